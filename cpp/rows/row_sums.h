// Sums of rows, which the threads of a team share.
#pragma once

#include <algorithm>
#include <cstddef>

#include "simd/hot.h"
#include "threads/team.h"

namespace kpb {

// As DenseLoops::add_rows.
inline void add_rows_in_pieces(std::size_t n, std::size_t count, const double* const* rows,
                               const double* factors, const double* scale, double* target) {
  constexpr std::size_t vectors = 64;  // pieces have whole vectors and cache lines
  constexpr std::size_t at_once = 64;  // a multiple of the rows that the loop takes at a time
  in_pieces(n, grain_of(count, vectors), [&](std::size_t first, std::size_t last) {
    const double* own[at_once];
    for (std::size_t r = 0; r < count; r += at_once) {
      const std::size_t width = std::min(at_once, count - r);
      for (std::size_t c = 0; c < width; ++c) own[c] = rows[r + c] + first;
      hot().dense.add_rows(last - first, width, own, factors + r, scale ? scale + first : nullptr,
                           target + first);
    }
  });
}

}  // namespace kpb
