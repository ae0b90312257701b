#include "solver/feasible_start.h"

#include <algorithm>
#include <cmath>

namespace kpb {

namespace {

// A sum is zero up to rounding if it is below this share of what it was summed from.
constexpr double rounding_share = 1e-12;

}  // namespace

std::vector<double> feasible_start(std::size_t n, const double* target, const double* bound,
                                   const double* wanted) {
  std::vector<double> beta(n);
  double excess = 0;
  for (std::size_t t = 0; t < n; ++t) {
    beta[t] = target[t] * std::clamp(target[t] * wanted[t], 0.0, bound[t]);
    excess += beta[t];
  }
  const auto is_heavier = [&](std::size_t t) { return (target[t] > 0) == (excess > 0); };
  double all = 0, between_bounds = 0;
  for (std::size_t t = 0; t < n; ++t) {
    if (!is_heavier(t)) continue;
    const double size = std::fabs(beta[t]);
    all += size;
    if (size < bound[t]) between_bounds += size;
  }
  const bool some_are_enough = between_bounds >= std::fabs(excess);
  const double total = some_are_enough ? between_bounds : all;
  if (!(total > 0) || std::fabs(excess) <= rounding_share * all) return beta;
  const double share_left = std::max(0.0, 1 - std::fabs(excess) / total);
  for (std::size_t t = 0; t < n; ++t)
    if (is_heavier(t) && (!some_are_enough || std::fabs(beta[t]) < bound[t])) beta[t] *= share_left;
  return beta;
}

}  // namespace kpb
