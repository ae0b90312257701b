// Products of several vectors with rows of a Gram matrix.
#pragma once

#include <cstddef>
#include <functional>

#include "rows/gram_rows.h"

namespace kpb {

// out[t, j] = sum over c of coef[t, c] K[points[c], j], for `vectors` rows of `count` coefficients
// and all j. Calls `pause` now and then, which may throw.
void products(const GramRows& gram, std::size_t count, const std::size_t* points,
              std::size_t vectors, const double* coef, double* out,
              const std::function<void()>& pause);

}  // namespace kpb
