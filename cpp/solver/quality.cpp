#include "solver/quality.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kpb {

namespace {

// A coefficient this close to a bound, in units of C_i, is there up to rounding.
constexpr double bound_margin = 1e-10;

// The highest residual that can rise and the lowest that can fall.
struct Ends {
  double highest = -std::numeric_limits<double>::infinity();
  double lowest = std::numeric_limits<double>::infinity();

  void count(double residual, bool can_rise, bool can_fall) {
    if (can_rise) highest = std::max(highest, residual);
    if (can_fall) lowest = std::min(lowest, residual);
  }

  // Without a free point every value between the ends is optimal; without an end, the other one.
  double middle() const {
    if (std::isfinite(highest) && std::isfinite(lowest)) return (highest + lowest) / 2;
    if (std::isfinite(highest)) return highest;
    return std::isfinite(lowest) ? lowest : 0;
  }
};

}  // namespace

Quality quality_of(std::size_t n, const double* target, const double* bound, const double* beta,
                   const double* residual) {
  Ends exact, within_margin;
  double free_sum = 0, objective = 0;
  std::size_t free = 0;
  for (std::size_t t = 0; t < n; ++t) {
    const double far_end = target[t] * bound[t], room = bound_margin * bound[t];
    const double upper = std::max(far_end, 0.0), lower = std::min(far_end, 0.0);
    exact.count(residual[t], beta[t] < upper, beta[t] > lower);
    const bool can_rise = beta[t] < upper - room, can_fall = beta[t] > lower + room;
    within_margin.count(residual[t], can_rise, can_fall);
    if (can_rise && can_fall) {
      free_sum += residual[t];
      ++free;
    }
    objective -= 0.5 * (residual[t] + target[t]) * beta[t];
  }
  const double intercept = free ? free_sum / static_cast<double>(free) : within_margin.middle();
  return {intercept, objective, std::max(0.0, exact.highest - exact.lowest)};
}

}  // namespace kpb
