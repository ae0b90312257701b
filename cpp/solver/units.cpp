#include "solver/units.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kpb {

namespace {

// A kernel below `next_to_nothing` is left as it is: only a C above 1e100 would make it matter.
constexpr double far_from_one = 1e6, next_to_nothing = 1e-100;

}  // namespace

double unit_of(const DualProblem& problem) {
  double largest = 0;
  for (std::size_t t = 0; t < problem.gram.size(); ++t) {
    const double factor = problem.scale ? problem.scale[t] : 1.0;
    largest = std::max(largest, factor * factor * std::fabs(problem.gram.diagonal(t)));
  }
  const bool usual = largest >= 1 / far_from_one && largest <= far_from_one;
  if (usual || !(largest > next_to_nothing) || !std::isfinite(largest)) return 1.0;
  return std::ldexp(1.0, std::ilogb(largest) / 2 * 2);
}

InOtherUnits::InOtherUnits(const DualProblem& given, double unit)
    : scale(given.gram.size()), bound(scale), start(given.start ? scale : std::vector<double>()),
      problem{given.gram, given.target, bound.data(), scale.data(),
              given.start ? start.data() : nullptr, nullptr, given.block, given.start_residual,
              given.opens} {
  for (std::size_t t = 0; t < scale.size(); ++t) {
    scale[t] = (given.scale ? given.scale[t] : 1.0) / std::sqrt(unit);
    bound[t] = given.bound[t] * unit;
    if (given.start) start[t] = std::min(std::max(given.start[t] * unit, -bound[t]), bound[t]);
  }
  if (given.known) take_over(*given.known, unit);
}

// The field, Q beta, is the same in all units.
void InOtherUnits::take_over(const KnownField& given, double unit) {
  known_beta.assign(given.beta, given.beta + scale.size());
  for (double& beta : known_beta) beta *= unit;
  known = {known_beta.data(), given.field, given.rounding};
  problem.known = &known;
}

}  // namespace kpb
