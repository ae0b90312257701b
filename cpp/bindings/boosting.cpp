// The boosting rounds for Python: arrays in, arrays out, the interpreter's lock released.
#include "boosting/boost.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/solving.h"
#include "bindings/to_numpy.h"
#include "boosting/rates.h"
#include "boosting/regions.h"
#include "boosting/trial.h"
#include "boosting/vote.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using kpb::Matrix, kpb::StopFlag, kpb::Vector;
using Mask = nb::ndarray<nb::numpy, bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

// The same member of all rounds, as an array of shape (rounds, n); NaN where it is empty.
nb::object stacked(const std::vector<kpb::BoostingRound>& rounds, Member member) {
  const std::size_t n = rounds[0].dual_coef.size();
  std::unique_ptr<double[]> values(new double[rounds.size() * n]);
  for (std::size_t t = 0; t < rounds.size(); ++t) {
    const std::vector<double>& own = rounds[t].*member;
    double* row = values.get() + t * n;
    std::fill(std::copy(own.begin(), own.end(), row), row + n,
              std::numeric_limits<double>::quiet_NaN());
  }
  return kpb::to_numpy(std::move(values), {rounds.size(), n});
}

// By points: dual_coef, decision, log_scale and perturbation. By rounds: intercept, gap, steps and
// how it ended. By points again: as_new.
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
                        status, stacked(rounds, &kpb::BoostingRound::as_new));
}

kpb::BoostingRound first_round(Vector dual_coef, Vector decision, double intercept, double gap,
                               double rounding, std::int64_t steps) {
  const std::size_t n = dual_coef.shape(0);
  const std::vector<double> zeros(n, 0.0);
  return {{dual_coef.data(), dual_coef.data() + n},
          {decision.data(), decision.data() + n},
          zeros,
          zeros,
          {},
          intercept,
          gap,
          rounding,
          steps,
          kpb::Status::converged};
}

nb::tuple boost(const kpb::GramRows& gram, Vector target, Vector bound, double step,
                std::size_t rounds, const nb::object& rule, Vector dual_coef, Vector decision,
                double intercept, double gap, double rounding, std::int64_t steps,
                double tolerance, std::int64_t max_steps, const StopFlag* stop,
                const nb::object& after_round) {
  const auto is_stopped = [stop] { return kpb::interrupted(stop); };
  const kpb::BoostingPlan plan = {
      gram,   target.data(),      bound.data(),
      step,   rounds,             {tolerance, max_steps, is_stopped},
      rule_from(rule, gram.size()), callback_from(after_round)};
  kpb::BoostingRound first = first_round(dual_coef, decision, intercept, gap, rounding, steps);
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

kpb::Regions regions_from(const Bits& bits, std::size_t n) {
  const kpb::Regions regions = {bits.data(), n};
  if (bits.shape(0) != n || bits.shape(1) != regions.row_bytes())
    throw nb::value_error("The regions must have one row of bits for every point.");
  return regions;
}

// The candidates of a fold with one C and one rule; they differ in their steps.
class Trials {
 public:
  Trials(Matrix test_kernel, bool as_new, std::size_t rounds, double tolerance,
         std::int64_t max_steps)
      : test_kernel_(test_kernel),
        trial_{{}, test_kernel.data(), test_kernel.shape(0), test_kernel.shape(1), 0.0, rounds,
               {tolerance, max_steps, {}}, as_new} {}

  void add(nb::object gram, Vector target, Vector bound, Vector weight, Vector dual_coef,
           Vector decision, double intercept, double gap, double rounding, std::int64_t steps,
           Places rows, std::optional<Bits> bits, std::optional<Places> nearest) {
    const kpb::DenseRows& dense = nb::cast<const kpb::DenseRows&>(gram);
    const Owned& own = owned_.emplace_back(
        Owned{gram, target, bound, weight, rows, bits, nearest,
              first_round(dual_coef, decision, intercept, gap, rounding, steps),
              bits ? regions_from(*bits, dense.size()) : kpb::Regions{}});
    trial_.problems.push_back({dense, own.target.data(), own.bound.data(), own.weight.data(),
                               own.first, own.rows.data(), bits ? &own.regions : nullptr,
                               nearest ? own.nearest->data() : nullptr});
  }

  // tpr, tnr, sums, inherited and intercept, see trial.h, and how solves failed.
  nb::tuple run(double step, const StopFlag* stop) const {
    kpb::Trial trial = trial_;
    trial.step = step;
    trial.limits.interrupted = [stop] { return kpb::interrupted(stop); };
    const std::size_t P = trial.problems.size(), T = trial.rounds, n = trial.n_test;
    const bool inherits = P > 0 && trial.problems[0].nearest != nullptr;
    std::unique_ptr<double[]> tpr(new double[P * T]), tnr(new double[P * T]),
        sums(new double[n * P * T]), intercept(new double[P * T]),
        inherited(inherits ? new double[n * P * T] : nullptr);
    kpb::TrialEnd end;
    {
      const nb::gil_scoped_release unlocked;
      end = kpb::try_step(
          trial, {tpr.get(), tnr.get(), sums.get(), inherited.get(), intercept.get()});
    }
    if (!end.complete) throw nb::python_error();  // what `interrupted` has set
    nb::list failed;
    for (const kpb::FailedSolve& each : end.failed)
      failed.append(nb::make_tuple(kpb::word_for(each.status), each.steps, each.gap));
    nb::object perturbation = nb::none();
    if (inherits) perturbation = kpb::to_numpy(std::move(inherited), {n, P, T});
    return nb::make_tuple(kpb::to_numpy(std::move(tpr), {P, T}),
                          kpb::to_numpy(std::move(tnr), {P, T}),
                          kpb::to_numpy(std::move(sums), {n, P, T}), perturbation,
                          kpb::to_numpy(std::move(intercept), {P, T}), failed);
  }

 private:
  struct Owned {
    nb::object gram;
    Vector target, bound, weight;
    Places rows;
    std::optional<Bits> bits;
    std::optional<Places> nearest;
    kpb::BoostingRound first;
    kpb::Regions regions;
  };

  Matrix test_kernel_;
  std::deque<Owned> owned_;  // whose members the problems point to
  kpb::Trial trial_;
};

// Rates of several answers, (rounds, n).
nb::tuple class_rates(const Masks& correct, const Vector& target, const Vector& weight) {
  const std::size_t rounds = correct.shape(0), n = correct.shape(1);
  if (target.shape(0) != n || weight.shape(0) != n)
    throw nb::value_error("Every point must have an answer, a label and a weight.");
  std::unique_ptr<double[]> tpr(new double[rounds]), tnr(new double[rounds]);
  for (std::size_t t = 0; t < rounds; ++t) {
    const kpb::ClassRates rates =
        kpb::class_rates(n, target.data(), weight.data(), correct.data() + t * n);
    tpr[t] = rates.tpr;
    tnr[t] = rates.tnr;
  }
  return nb::make_tuple(kpb::to_numpy(std::move(tpr), {rounds}),
                        kpb::to_numpy(std::move(tnr), {rounds}));
}

nb::tuple weighted_sums(const Cube& values, const Matrix& weights, const Vector& signs) {
  const kpb::VoteShape shape = {values.shape(0), values.shape(1), values.shape(2)};
  if (weights.shape(0) != shape.problems || weights.shape(1) != shape.rounds ||
      signs.shape(0) != shape.problems)
    throw nb::value_error("Values, weights and signs must be of the same problems and rounds.");
  const std::size_t size = shape.points * shape.problems;
  std::unique_ptr<double[]> of_signs(new double[size]), of_values(new double[size]);
  {
    const nb::gil_scoped_release unlocked;
    kpb::weighted_sums(shape, values.data(), weights.data(), signs.data(), of_signs.get(),
                       of_values.get());
  }
  return nb::make_tuple(kpb::to_numpy(std::move(of_signs), {shape.points, shape.problems}),
                        kpb::to_numpy(std::move(of_values), {shape.points, shape.problems}));
}

}  // namespace

void bind_boosting(nb::module_& module) {
  module.def("boost", boost, "gram"_a, "target"_a.noconvert(), "bound"_a.noconvert(), "step"_a,
             "rounds"_a, "rule"_a.none(), "dual_coef"_a.noconvert(), "decision"_a.noconvert(),
             "intercept"_a, "gap"_a, "rounding"_a, "steps"_a, "tolerance"_a, "max_steps"_a,
             "stop"_a.none(), "after_round"_a.none());
  module.def("class_rates", class_rates, "correct"_a.noconvert(), "target"_a.noconvert(),
             "weight"_a.noconvert());
  module.def("weighted_sums", weighted_sums, "values"_a.noconvert(), "weights"_a.noconvert(),
             "signs"_a.noconvert());
  nb::class_<Trials>(module, "BoostingTrials")
      .def(nb::init<Matrix, bool, std::size_t, double, std::int64_t>(), "test_kernel"_a.noconvert(),
           "as_new"_a, "rounds"_a, "tolerance"_a, "max_steps"_a)
      .def("add", &Trials::add, "gram"_a, "target"_a.noconvert(), "bound"_a.noconvert(),
           "weight"_a.noconvert(), "dual_coef"_a.noconvert(), "decision"_a.noconvert(),
           "intercept"_a, "gap"_a, "rounding"_a, "steps"_a, "rows"_a.noconvert(),
           "regions"_a.noconvert().none(),
           "nearest"_a.noconvert().none())
      .def("run", &Trials::run, "step"_a, "stop"_a.none());
}
