#include "solver/part.h"

#include <memory>

#include "solver/working_set.h"

namespace kpb {

namespace {

std::vector<double> at(const std::vector<std::size_t>& members, const double* values) {
  std::vector<double> own;
  own.reserve(members.size());
  for (std::size_t i : members) own.push_back(values[i]);
  return own;
}

// Whether most members stand at a bound that they should leave. Blocks let such points in by and
// by; steps on whole rows are faster.
bool are_mostly_violators(const std::vector<std::size_t>& members, const Variables& v) {
  const Extremes extremes = find_extremes(v);
  const double middle = 0.5 * (extremes.highest.value + extremes.lowest.value);
  std::size_t violators = 0;
  for (std::size_t i : members)
    violators += !v.is_free(i) && (v.residual[i] > middle ? v.may_rise(i) : v.may_fall(i));
  return 2 * violators > members.size();
}

}  // namespace

std::vector<double> solve_part(const DualProblem& whole, const Variables& v,
                               const std::vector<std::size_t>& members, double tolerance,
                               Patience& patience) {
  const std::unique_ptr<GramRows> gram = whole.gram.part(members);
  const std::vector<double> target = at(members, whole.target), bound = at(members, whole.bound),
                            scale = whole.scale ? at(members, whole.scale) : std::vector<double>(),
                            beta = at(members, v.beta.data()),
                            residual = at(members, v.residual.data());
  const DualProblem part = {*gram,
                            target.data(),
                            bound.data(),
                            whole.scale ? scale.data() : nullptr,
                            beta.data(),
                            nullptr,
                            nullptr,
                            residual.data(),
                            are_mostly_violators(members, v)};
  const auto stopped = [&patience] {
    patience.poll();
    return patience.stopped();
  };
  const DualOutcome outcome = solve_dual(part, {tolerance, patience.steps_left(), stopped});
  patience.spend(outcome.steps);
  const Numbers& solved = outcome.variables.beta;
  return std::vector<double>(solved.begin(), solved.end());
}

}  // namespace kpb
