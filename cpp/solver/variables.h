// The dual of the soft-margin SVM, in the signed variables beta_i = y_i a_i:
//
//     minimise   1/2 beta' Q beta - y' beta      with Q = diag(scale) K diag(scale)
//     subject to lower_i <= beta_i <= upper_i    [0, C_i] for y_i = +1, [-C_i, 0] for y_i = -1
//                sum_i beta_i = 0
//
// The residual e = y - Q beta is minus the gradient. A point may rise while beta_i < upper_i and
// fall while beta_i > lower_i; beta is optimal when no point that may rise has a larger residual
// than a point that may fall. The violation gap is the largest such difference.
#pragma once

#include <cstddef>

#include "simd/aligned.h"
#include "solver/pair_loops.h"

namespace kpb {

// All points of a problem, or the few of a working set: structure of arrays for the hot loops.
struct Variables {
  Numbers beta, lower, upper, residual, diagonal;
  Numbers up, down;  // 0 where the point may rise / fall, -closed / +closed where it may not

  std::size_t size() const { return beta.size(); }

  void resize(std::size_t n) {
    for (Numbers* column : {&beta, &lower, &upper, &residual, &diagonal}) column->resize(n, 0.0);
    up.resize(n, -closed);
    down.resize(n, closed);
  }

  bool may_rise(std::size_t t) const { return beta[t] < upper[t]; }
  bool may_fall(std::size_t t) const { return beta[t] > lower[t]; }
  bool is_free(std::size_t t) const { return may_rise(t) && may_fall(t); }

  std::size_t free_points() const {
    std::size_t count = 0;
    for (std::size_t t = 0; t < size(); ++t) count += is_free(t);
    return count;
  }

  void set_beta(std::size_t t, double value) {
    beta[t] = value;
    up[t] = may_rise(t) ? 0.0 : -closed;
    down[t] = may_fall(t) ? 0.0 : closed;
  }

  // Closes a place that holds no point.
  void vacate(std::size_t t) {
    beta[t] = lower[t] = upper[t] = residual[t] = diagonal[t] = 0.0;
    up[t] = -closed;
    down[t] = closed;
  }
};

}  // namespace kpb
