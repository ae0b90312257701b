#include "rows/near_entries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simd/hot.h"
#include "threads/team.h"

namespace kpb {
namespace {

// Of the largest diagonal entry. Ten thousand coefficients around 1 then make an error of 1e-8 at
// most, a hundredth of the usual tolerance.
constexpr double negligible = 1e-12;

// Smaller problems are one block of the solver, and need no other way.
constexpr std::size_t least_points = 257;

// Entries of a row may be few and large, as in clusters that the kernel is wide for: conjugate
// gradients are slow then. So entries of a row together are at most so many times the diagonal, on
// the mean of the rows that are looked at.
constexpr double largest_row_sum = 4;

// Beyond this share whole rows are as fast: an entry on its own takes several times as long, and
// finding them a pass over the matrix. It is judged by some entries first; memory is for so many
// times what these promise.
constexpr double largest_share = 0.15, room_to_spare = 1.1;
constexpr std::size_t judged_rows = 64, judged_columns = 128;

std::size_t judged(std::size_t k, std::size_t of, std::size_t size) {
  return (2 * k + 1) * size / (2 * of);
}

bool can_be_counted(std::size_t size) {
  return size >= least_points && size <= std::numeric_limits<std::uint32_t>::max();
}

// A list for entries of which `share` of all are likely to matter.
std::unique_ptr<NearEntries> empty_list(std::size_t size, double least, double share) {
  auto list = std::make_unique<NearEntries>();
  const double pairs = static_cast<double>(size) * static_cast<double>(size);
  const auto likely = static_cast<std::size_t>(room_to_spare * share * pairs) + size;
  list->largest_left_out = least;
  list->begin.reserve(size + 1);
  list->begin.push_back(0);
  list->columns.reserve(likely);
  list->values.reserve(likely);
  return list;
}

std::size_t most_entries(std::size_t size) {
  return static_cast<std::size_t>(largest_share * static_cast<double>(size) *
                                  static_cast<double>(size));
}

// What some entries tell about all of them. Counts and sums only grow, so that a wide kernel is
// known as one after a few rows.
struct Judgement {
  std::size_t entries;  // that are looked at
  double largest_sum;   // that their sizes may have
  std::size_t count = 0;
  double sum = 0;

  double share() const { return static_cast<double>(count) / static_cast<double>(entries); }
  bool is_narrow() const { return share() <= largest_share && sum < largest_sum; }
};

Judgement judge(const double* matrix, std::size_t size, double largest_diagonal) {
  std::vector<std::uint32_t> columns(size);
  std::vector<double> values(size);
  Judgement seen = {judged_rows * size, judged_rows * largest_row_sum * largest_diagonal};
  for (std::size_t r = 0; r < judged_rows && seen.is_narrow(); ++r) {
    const double* row = matrix + judged(r, judged_rows, size) * size;
    const std::size_t own = hot().dense.large_entries(size, row, negligible * largest_diagonal,
                                                      columns.data(), values.data());
    for (std::size_t k = 0; k < own; ++k) seen.sum += std::fabs(values[k]);
    seen.count += own;
  }
  return seen;
}

// Some columns of some rows. These are further apart than two points, so that none of the entries
// is on the diagonal, which is 1.
Judgement judge(const RbfPoints& points) {
  std::size_t columns[judged_columns];
  double values[judged_columns];
  for (std::size_t c = 0; c < judged_columns; ++c)
    columns[c] = judged(c, judged_columns, points.size());
  const std::size_t entries = judged_rows * judged_columns;
  const double rows_seen = static_cast<double>(entries) / static_cast<double>(points.size());
  Judgement seen = {entries, (largest_row_sum - 1) * rows_seen};
  for (std::size_t r = 0; r < judged_rows && seen.is_narrow(); ++r) {
    const std::size_t i = judged(r, judged_rows, points.size());
    points.compute_entries(i, columns, judged_columns, values);
    for (std::size_t c = 0; c < judged_columns; ++c) {
      seen.count += values[c] > negligible;
      seen.sum += values[c];
    }
  }
  return seen;
}

// The columns of up to four rows from the panel with the diagonal on, at their places.
void compute_upper_rows(const RbfPoints& points, std::size_t first, std::size_t rows, double* out) {
  constexpr std::size_t piece = RbfPoints::piece_panels * panel_width;
  double values[RbfPoints::tile_rows * piece];
  std::size_t own[RbfPoints::tile_rows];
  for (std::size_t r = 0; r < rows; ++r) own[r] = first + r;
  const std::vector<double> copies = points.copies_of(own, rows);
  const std::size_t length = points.row_length();
  for (std::size_t column = first / panel_width * panel_width; column < length; column += piece) {
    const std::size_t width = std::min(piece, length - column);
    points.compute_piece(copies.data(), rows, column / panel_width, width / panel_width, values);
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(values + r * width, width, out + r * length + column);
  }
}

// Rows of the upper triangle, the diagonal included. Null if there are too many.
std::unique_ptr<const NearEntries> upper_triangle(const RbfPoints& points, double share,
                                                  const std::function<bool()>& stopped) {
  constexpr std::size_t tile = RbfPoints::tile_rows;
  const std::size_t n = points.size(), length = points.row_length();
  std::unique_ptr<NearEntries> list = empty_list(n, negligible, 0.5 * share);
  constexpr std::size_t at_once = FoundEntries::most_rows;
  FoundEntries found(n);
  std::vector<double> band(at_once * length);
  for (std::size_t first = 0; first < n; first += at_once) {
    if (stopped()) throw Stopped();
    const std::size_t rows = std::min(at_once, n - first);
    in_pieces(rows, Grain{tile, tile}, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; r += tile)
        compute_upper_rows(points, first + r, std::min(tile, end - r), band.data() + r * length);
      for (std::size_t r = begin; r < end; ++r)
        found.find(r, n - first - r, band.data() + r * length + first + r, negligible, first + r);
    });
    found.append(rows, *list);
    if (2 * list->columns.size() - list->begin.size() > most_entries(n)) return nullptr;
  }
  return list;
}

// Both triangles of a symmetric matrix, from the upper one, whose rows begin with the diagonal.
std::unique_ptr<const NearEntries> with_lower_triangle(const NearEntries& upper) {
  const std::size_t n = upper.begin.size() - 1, count = 2 * upper.columns.size() - n;
  auto both = std::make_unique<NearEntries>();
  both->largest_left_out = upper.largest_left_out;
  both->begin.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    both->begin[i + 1] += upper.begin[i + 1] - upper.begin[i];
    for (std::size_t k = upper.begin[i] + 1; k < upper.begin[i + 1]; ++k)
      ++both->begin[upper.columns[k] + 1];
  }
  for (std::size_t i = 0; i < n; ++i) both->begin[i + 1] += both->begin[i];
  both->columns.resize(count);
  both->values.resize(count);
  std::vector<std::size_t> next(both->begin.begin(), both->begin.end() - 1);
  const auto put = [&](std::size_t row, std::size_t column, double value) {
    both->columns[next[row]] = static_cast<std::uint32_t>(column);
    both->values[next[row]++] = value;
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = upper.begin[i]; k < upper.begin[i + 1]; ++k) {
      put(i, upper.columns[k], upper.values[k]);
      if (upper.columns[k] != i) put(upper.columns[k], i, upper.values[k]);
    }
  return both;
}

}  // namespace

FoundEntries::FoundEntries(std::size_t row_length)
    : length_(row_length),
      columns_(new std::uint32_t[most_rows * row_length]),
      values_(new double[most_rows * row_length]) {}

void FoundEntries::find(std::size_t r, std::size_t count, const double* values, double least,
                        std::size_t first) {
  std::uint32_t* columns = columns_.get() + r * length_;
  found_[r] =
      hot().dense.large_entries(count, values, least, columns, values_.get() + r * length_);
  for (std::size_t k = 0; k < found_[r]; ++k) columns[k] += static_cast<std::uint32_t>(first);
}

void FoundEntries::append(std::size_t rows, NearEntries& list) const {
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint32_t* columns = columns_.get() + r * length_;
    const double* values = values_.get() + r * length_;
    list.columns.insert(list.columns.end(), columns, columns + found_[r]);
    list.values.insert(list.values.end(), values, values + found_[r]);
    list.begin.push_back(list.columns.size());
  }
}

void NearEntries::add_row(std::size_t i, double factor, double* out) const {
  const std::size_t end = begin[i + 1];
  for (std::size_t k = begin[i]; k < end; ++k) out[columns[k]] += factor * values[k];
}

NearEntriesOfRows::NearEntriesOfRows(const double* matrix, std::size_t size,
                                     double largest_diagonal)
    : matrix_(matrix), size_(size) {
  if (!can_be_counted(size)) return;
  const Judgement judgement = judge(matrix, size, largest_diagonal);
  if (!judgement.is_narrow()) return;
  most_ = most_entries(size);
  found_ = empty_list(size, negligible * largest_diagonal, judgement.share());
  rows_.emplace(size);
}

void NearEntriesOfRows::add_rows(std::size_t first, std::size_t count) {
  if (!found_) return;
  in_pieces(count, grain_of(size_), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r)
      rows_->find(r, size_, matrix_ + (first + r) * size_, found_->largest_left_out, 0);
  });
  rows_->append(count, *found_);
  if (found_->columns.size() > most_) found_.reset();
}

std::unique_ptr<const NearEntries> near_entries_of(const RbfPoints& points,
                                                   const std::function<bool()>& stopped) {
  if (!can_be_counted(points.size())) return nullptr;
  const Judgement judgement = judge(points);
  if (!judgement.is_narrow()) return nullptr;
  const std::unique_ptr<const NearEntries> upper =
      upper_triangle(points, judgement.share(), stopped);
  return upper ? with_lower_triangle(*upper) : nullptr;
}

}  // namespace kpb
