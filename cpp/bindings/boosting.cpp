// The boosting rounds for Python: arrays in, arrays out, the interpreter's lock released.
#include "boosting/boost.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/solving.h"
#include "bindings/to_numpy.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using kpb::StopFlag, kpb::Vector;
using Mask = nb::ndarray<nb::numpy, bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Calls back into Python. False after Ctrl-C there; any other exception goes on to the caller.
template <class Call>
bool unless_interrupted(Call call) {
  const nb::gil_scoped_acquire lock;
  try {
    call();
    return true;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    return false;
  }
}

std::function<bool(bool*)> rule_from(const nb::object& rule, std::size_t n) {
  if (rule.is_none()) return {};
  return [&rule, n](bool* mask) {
    return unless_interrupted([&] {
      const auto correct = nb::cast(Mask(mask, {n}, nb::handle()), nb::rv_policy::copy);
      const auto losing = nb::cast<Mask>(rule(correct));
      if (losing.shape(0) != n) throw nb::value_error("The rule must answer for every point.");
      std::memcpy(mask, losing.data(), n * sizeof(bool));
    });
  };
}

std::function<bool()> callback_from(const nb::object& after_round) {
  if (after_round.is_none()) return {};
  return [&after_round] { return unless_interrupted([&] { after_round(); }); };
}

using Member = std::vector<double> kpb::BoostingRound::*;

// The same member of all rounds, as an array of shape (rounds, n).
nb::object stacked(const std::vector<kpb::BoostingRound>& rounds, Member member) {
  const std::size_t n = (rounds[0].*member).size();
  std::unique_ptr<double[]> values(new double[rounds.size() * n]);
  for (std::size_t t = 0; t < rounds.size(); ++t)
    std::copy((rounds[t].*member).begin(), (rounds[t].*member).end(), values.get() + t * n);
  return kpb::to_numpy(std::move(values), {rounds.size(), n});
}

// By points: dual_coef, decision, log_scale and perturbation. By rounds: intercept, gap, steps and
// how it ended.
nb::tuple to_python(const std::vector<kpb::BoostingRound>& rounds) {
  nb::list intercept, gap, steps, status;
  for (const kpb::BoostingRound& round : rounds) {
    intercept.append(round.intercept);
    gap.append(round.gap);
    steps.append(round.steps);
    status.append(kpb::word_for(round.status));
  }
  return nb::make_tuple(stacked(rounds, &kpb::BoostingRound::dual_coef),
                        stacked(rounds, &kpb::BoostingRound::decision),
                        stacked(rounds, &kpb::BoostingRound::log_scale),
                        stacked(rounds, &kpb::BoostingRound::perturbation), intercept, gap, steps,
                        status);
}

nb::tuple boost(const kpb::GramRows& gram, Vector target, Vector bound, double step,
                std::size_t rounds, const nb::object& rule, Vector dual_coef, Vector decision,
                double intercept, double gap, double rounding, std::int64_t steps,
                double tolerance, std::int64_t max_steps, const StopFlag* stop,
                const nb::object& after_round) {
  const std::size_t n = gram.size();
  const auto is_stopped = [stop] { return kpb::interrupted(stop); };
  const kpb::BoostingPlan plan = {
      gram,   target.data(),      bound.data(),
      step,   rounds,             {tolerance, max_steps, is_stopped},
      rule_from(rule, n), callback_from(after_round)};
  const std::vector<double> zeros(n, 0.0);
  kpb::BoostingRound first = {{dual_coef.data(), dual_coef.data() + n},
                              {decision.data(), decision.data() + n},
                              zeros,
                              zeros,
                              intercept,
                              gap,
                              rounding,
                              steps,
                              kpb::Status::converged};
  std::vector<kpb::BoostingRound> done;
  {
    const nb::gil_scoped_release unlocked;
    done = kpb::boost(plan, std::move(first));
  }
  if (PyErr_Occurred()) {  // Ctrl-C leaves the rounds that are complete
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
  }
  return to_python(done);
}

}  // namespace

void bind_boosting(nb::module_& module) {
  module.def("boost", boost, "gram"_a, "target"_a.noconvert(), "bound"_a.noconvert(), "step"_a,
             "rounds"_a, "rule"_a.none(), "dual_coef"_a.noconvert(), "decision"_a.noconvert(),
             "intercept"_a, "gap"_a, "rounding"_a, "steps"_a, "tolerance"_a, "max_steps"_a,
             "stop"_a.none(), "after_round"_a.none());
}
