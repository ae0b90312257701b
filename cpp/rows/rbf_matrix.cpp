#include "rows/rbf_matrix.h"

#include <algorithm>

#include "threads/team.h"

namespace kpb {
namespace {

// Enough rows for whole tiles of the distance loops and whole cache lines of a column, and few
// enough that a band of ten thousand columns takes a few milliseconds.
constexpr std::size_t band_rows = 64;
constexpr std::size_t bands_in_piece = RbfPoints::piece_panels * panel_width / band_rows;
// Doubles in a cache line.
constexpr std::size_t line = 8;

}  // namespace

RbfMatrix::RbfMatrix(Points points, double gamma)
    : points_(points, gamma),
      slabs_(points_.row_length()),
      rows_(new std::atomic<double*>[points.size]()),
      band_made_(new std::atomic<bool>[bands()]()) {}

std::size_t RbfMatrix::bands() const { return (size() + band_rows - 1) / band_rows; }
std::size_t RbfMatrix::first_of(std::size_t band) const { return band * band_rows; }
std::size_t RbfMatrix::last_of(std::size_t band) const {
  return std::min(size(), first_of(band + 1));
}

// Returns the row that is kept: another thread may have been faster.
const double* RbfMatrix::keep(std::size_t i, double* row) const {
  double* there = nullptr;
  const bool first = rows_[i].compare_exchange_strong(there, row, std::memory_order_acq_rel);
  return first ? row : there;
}

const double* RbfMatrix::make(std::size_t i) const {
  if (expects_all_.load(std::memory_order_relaxed)) {
    make_band(i / band_rows);
    return find(i);
  }
  double* row = slabs_.take();
  points_.compute_row(i, row);
  return keep(i, row);
}

// Columns of bands that are made are taken over from their rows, the others computed.
void RbfMatrix::make_band(std::size_t own_band) const {
  const std::vector<std::size_t> own = missing_in(own_band);
  const std::vector<double> points = points_.copies_of(own.data(), own.size());
  std::vector<double*> rows;
  for (std::size_t c = 0; c < own.size(); ++c) rows.push_back(slabs_.take());
  in_pieces(bands(), Grain{bands_in_piece, 1}, [&](std::size_t first, std::size_t last) {
    for (std::size_t band = first, end; band < last; band = end) {
      end = band + 1;
      if (is_band_made(band)) {
        take_over(own, band, rows);
        continue;
      }
      while (end < last && end < band + bands_in_piece && !is_band_made(end)) ++end;
      compute_columns(points, first_of(band), last_of(end - 1), rows);
    }
  });
  for (std::size_t c = 0; c < own.size(); ++c) keep(own[c], rows[c]);
  band_made_[own_band].store(true, std::memory_order_release);
}

std::vector<std::size_t> RbfMatrix::missing_in(std::size_t band) const {
  std::vector<std::size_t> missing;
  for (std::size_t i = first_of(band); i < last_of(band); ++i)
    if (!find(i)) missing.push_back(i);
  return missing;
}

// rows[c][j] = K[j, own[c]] for all j of a band, a cache line at a time.
void RbfMatrix::take_over(const std::vector<std::size_t>& own, std::size_t band,
                          const std::vector<double*>& rows) const {
  for (std::size_t j = first_of(band); j < last_of(band); j += line) {
    const std::size_t count = std::min(line, last_of(band) - j);
    const double* from[line];
    for (std::size_t q = 0; q < count; ++q) from[q] = find(j + q);
    for (std::size_t c = 0; c < own.size(); ++c)
      for (std::size_t q = 0; q < count; ++q) rows[c][j + q] = from[q][own[c]];
  }
}

// At most a piece of columns, from the beginning of a band.
void RbfMatrix::compute_columns(const std::vector<double>& own, std::size_t first, std::size_t last,
                                const std::vector<double*>& rows) const {
  double values[RbfPoints::tile_rows * RbfPoints::piece_panels * panel_width];
  const std::size_t panels = panels_for(last - first);
  for (std::size_t c = 0; c < rows.size(); c += RbfPoints::tile_rows) {
    const std::size_t count = std::min(RbfPoints::tile_rows, rows.size() - c);
    points_.compute_piece(own.data() + c * points_.features(), count, first / panel_width, panels,
                          values);
    for (std::size_t r = 0; r < count; ++r)
      std::copy_n(values + r * panels * panel_width, last - first, rows[c + r] + first);
  }
}

void RbfMatrix::entries(std::size_t i, const std::size_t* columns, std::size_t count,
                        double* out) const {
  const double* known = find(i);
  if (!known) return points_.compute_entries(i, columns, count, out);
  for (std::size_t c = 0; c < count; ++c) out[c] = known[columns[c]];
}

std::size_t RbfMatrix::made_rows() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size(); ++i) count += find(i) != nullptr;
  return count;
}

}  // namespace kpb
