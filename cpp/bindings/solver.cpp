// The dual solver for Python: arrays in, arrays out, the interpreter's lock released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/interrupt.h"
#include "bindings/solving.h"
#include "bindings/to_numpy.h"
#include "rows/asymmetry.h"
#include "rows/dense_rows.h"
#include "solver/dual_solver.h"
#include "solver/feasible_start.h"
#include "solver/low_rank_start.h"
#include "solver/quality.h"
#include "threads/team.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using kpb::Matrix, kpb::StopFlag, kpb::Vector;

const double* data_of(const std::optional<Vector>& vector) {
  return vector ? vector->data() : nullptr;
}

// What a solve tells Python, made before the lock is taken again.
struct Answer {
  Answer(const kpb::DualOutcome& outcome, const double* target, const double* bound)
      : size(outcome.variables.size()),
        coef(new double[size]),
        decision(new double[size]),
        quality(kpb::quality_of(size, target, bound, outcome.variables.beta.data(),
                                outcome.variables.residual.data())),
        rounding(outcome.rounding),
        steps(outcome.steps),
        status(outcome.status) {
    const kpb::Variables& v = outcome.variables;
    for (std::size_t t = 0; t < size; ++t) {
      coef[t] = v.beta[t];
      decision[t] = target[t] - v.residual[t] + quality.intercept;
    }
  }

  std::size_t size;
  std::unique_ptr<double[]> coef, decision;
  kpb::Quality quality;
  double rounding;
  std::int64_t steps;
  kpb::Status status;
};

nb::tuple solve_dual(const kpb::GramRows& gram, Vector target, Vector bound,
                     std::optional<Vector> scale, std::optional<Vector> start, double tolerance,
                     std::int64_t max_steps, const StopFlag* stop) {
  const double *y = target.data(), *C = bound.data(), *s = data_of(scale), *b = data_of(start);
  std::optional<Answer> answer;
  {
    const nb::gil_scoped_release unlocked;
    const std::vector<double> feasible =
        b ? kpb::feasible_start(gram.size(), y, C, b) : std::vector<double>();
    const kpb::DualProblem problem = {gram,    y,      C, s, b ? feasible.data() : nullptr,
                                      nullptr, nullptr};
    const auto is_stopped = [stop] { return kpb::interrupted(stop); };
    answer.emplace(kpb::solve_dual(problem, {tolerance, max_steps, is_stopped}), y, C);
  }
  const char* status = kpb::word_for(answer->status);
  return nb::make_tuple(kpb::to_numpy(std::move(answer->coef), {answer->size}),
                        answer->quality.intercept,
                        kpb::to_numpy(std::move(answer->decision), {answer->size}),
                        answer->quality.objective, answer->quality.gap, answer->steps, status,
                        answer->rounding);
}

// What a solve may begin with; none if the kernel is not of low rank. For tests.
std::optional<nb::object> low_rank_start(const kpb::GramRows& gram, Vector target, Vector bound,
                                         std::optional<Vector> scale, double least_explained) {
  std::vector<double> start;
  {
    const nb::gil_scoped_release unlocked;
    const kpb::DualProblem problem = {gram,    target.data(), bound.data(), data_of(scale),
                                      nullptr, nullptr,       nullptr};
    kpb::Patience patience(1, nullptr);
    start = kpb::low_rank_start(problem, least_explained, patience);
  }
  if (start.empty()) return std::nullopt;
  std::unique_ptr<double[]> values(new double[start.size()]);
  std::copy(start.begin(), start.end(), values.get());
  return kpb::to_numpy(std::move(values), {start.size()});
}

double asymmetry(Matrix matrix) {
  const nb::gil_scoped_release unlocked;
  return kpb::asymmetry(matrix.data(), matrix.shape(0), kpb::SignalCheck());
}

double weighted_asymmetry(const kpb::DenseRows& rows) {
  const nb::gil_scoped_release unlocked;
  return rows.weighted_asymmetry(kpb::SignalCheck());
}

void make_dense_rows(kpb::DenseRows* self, Matrix gram) {
  new (self) kpb::DenseRows(gram.data(), gram.shape(0));
}

}  // namespace

void bind_solver(nb::module_& module) {
  nb::class_<kpb::Team>(module, "Team", "Threads that share the passes of the one that uses it.")
      .def(nb::init<std::size_t, bool>(), "threads"_a, "always"_a = false)
      .def("end", &kpb::Team::end, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("shared_passes", &kpb::Team::shared_passes);
  module.def("use_team", kpb::use_team, "team"_a.none());
  nb::class_<StopFlag>(module, "StopFlag", "Set it in one thread to stop the solves of others.")
      .def(nb::init<>())
      .def("set", &StopFlag::set)
      .def("is_set", &StopFlag::is_set);
  nb::class_<kpb::DenseRows, kpb::GramRows>(module, "DenseRows")
      .def("__init__", make_dense_rows, "gram"_a.noconvert(), nb::keep_alive<1, 2>())
      .def("weighted_asymmetry", weighted_asymmetry);
  module.def("asymmetry", asymmetry, "matrix"_a.noconvert());
  module.def("solve_dual", solve_dual, "gram"_a, "target"_a.noconvert(), "bound"_a.noconvert(),
             "scale"_a.noconvert().none(), "start"_a.noconvert().none(), "tolerance"_a,
             "max_steps"_a, "stop"_a.none() = nb::none());
  module.def("low_rank_start", low_rank_start, "gram"_a, "target"_a.noconvert(),
             "bound"_a.noconvert(), "scale"_a.noconvert().none(), "least_explained"_a);
}
