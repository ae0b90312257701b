#include "rows/asymmetry.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

double asymmetry(const double* matrix, std::size_t size, const std::function<void()>& pause) {
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
