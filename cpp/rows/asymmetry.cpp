#include "rows/asymmetry.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/flush_denormals.h"
#include "simd/hot.h"

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
                          const std::function<void(std::size_t)>& visit) {
  const FlushDenormals guard;
  constexpr std::size_t at_once = 4;
  const std::vector<double> weights = scattered_weights(size), zeros(size, 0.0);
  std::vector<double> by_row(size + at_once, 0.0), by_column(size, 0.0);
  for (std::size_t first = 0; first < size; first += at_once) {
    pause();
    const double* rows[at_once];
    double own[at_once];
    for (std::size_t r = 0; r < at_once; ++r) {
      const bool there = first + r < size;
      rows[r] = there ? matrix + (first + r) * size : zeros.data();
      own[r] = there ? weights[first + r] : 0.0;
    }
    hot().dense.weigh_four_rows(size, rows, own, weights.data(), by_row.data() + first,
                                by_column.data());
    for (std::size_t i = first; visit && i < std::min(first + at_once, size); ++i) visit(i);
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
