#include "rows/asymmetry.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/flush_denormals.h"
#include "simd/hot.h"
#include "threads/team.h"

namespace kpb {
namespace {

// Tiles of 32 by 32 are transposed within the first-level cache and compared along rows.
constexpr std::size_t tile = 32;

double compare_tiles(const double* matrix, std::size_t size, std::size_t top, std::size_t left) {
  const std::size_t rows = std::min(tile, size - top), columns = std::min(tile, size - left);
  double transposed[tile][tile];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      transposed[c][r] = matrix[(top + r) * size + left + c];
  double worst = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const double* mirror = matrix + (left + c) * size + top;
    const double found = hot().dense.largest_difference(rows, transposed[c], mirror);
    if (!(found <= worst)) worst = found;
    if (std::isnan(worst)) return worst;
  }
  return worst;
}

// Rows are weighed in strips of columns, which threads may share.
constexpr std::size_t strip = 512;

// As DenseLoops::weigh_four_rows, for some columns of up to rows_per_visit rows. `by_row` has room
// for all of these.
void weigh_rows(const double* matrix, std::size_t stride, std::size_t count, std::size_t columns,
                const double* row_weights, const double* weights, double* by_row,
                double* by_column) {
  constexpr std::size_t at_once = 4;
  static_assert(rows_per_visit % at_once == 0, "sums are written four at a time");
  for (std::size_t first = 0; first < count; first += at_once) {
    const double* rows[at_once];
    double own[at_once];
    for (std::size_t r = 0; r < at_once; ++r) {
      const bool there = first + r < count;
      rows[r] = matrix + (there ? first + r : first) * stride;
      own[r] = there ? row_weights[first + r] : 0.0;
    }
    hot().dense.weigh_four_rows(columns, rows, own, weights, by_row + first, by_column);
  }
}

// 1 + the fractional part of t times the golden ratio: spread evenly and without a pattern.
std::vector<double> scattered_weights(std::size_t size) {
  constexpr double golden_ratio = 0.6180339887498949;
  std::vector<double> weights(size);
  for (std::size_t t = 0; t < size; ++t) {
    const double turns = golden_ratio * static_cast<double>(t + 1);
    weights[t] = 1 + turns - std::floor(turns);
  }
  return weights;
}

}  // namespace

double weighted_asymmetry(const double* matrix, std::size_t size,
                          const std::function<void()>& pause,
                          const std::function<void(std::size_t, std::size_t)>& visit) {
  const FlushDenormals guard;
  const std::vector<double> weights = scattered_weights(size);
  std::vector<double> by_row(size, 0.0), by_column(size, 0.0);
  const std::size_t strips = (size + strip - 1) / strip;
  std::vector<double> sums(strips * rows_per_visit);
  for (std::size_t first = 0; first < size; first += rows_per_visit) {
    pause();
    const std::size_t count = std::min(rows_per_visit, size - first);
    in_pieces(strips, Grain{1, 1}, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s)
        weigh_rows(matrix + first * size + s * strip, size, count,
                   std::min(strip, size - s * strip), weights.data() + first,
                   weights.data() + s * strip, sums.data() + s * rows_per_visit,
                   by_column.data() + s * strip);
    });
    for (std::size_t s = 0; s < strips; ++s)
      for (std::size_t r = 0; r < count; ++r) by_row[first + r] += sums[s * rows_per_visit + r];
    if (visit) visit(first, count);
  }
  return hot().dense.largest_difference(size, by_row.data(), by_column.data());
}

double asymmetry(const double* matrix, std::size_t size, const std::function<void()>& pause) {
  const FlushDenormals guard;
  double worst = 0;
  for (std::size_t top = 0; top < size; top += tile) {
    pause();
    for (std::size_t left = top; left < size; left += tile) {
      const double found = compare_tiles(matrix, size, top, left);
      if (std::isnan(found)) return found;
      worst = std::max(worst, found);
    }
  }
  return worst;
}

}  // namespace kpb
