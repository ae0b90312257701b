// The dual solver for Python: arrays in, arrays out, the interpreter's lock released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "rows/dense_rows.h"
#include "solver/dual_solver.h"

namespace nb = nanobind;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Runs Python's signal handlers; true if one of them raised.
bool interrupted_by_signal() {
  nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

const char* word_for(kpb::Status status) {
  switch (status) {
    case kpb::Status::converged: return "converged";
    case kpb::Status::iteration_limit: return "iteration_limit";
    case kpb::Status::stalled: return "stalled";
    case kpb::Status::interrupted: break;
  }
  throw nb::python_error();
}

nb::object to_numpy(const kpb::Numbers& numbers) {
  double* copy = new double[numbers.size()];
  std::copy(numbers.begin(), numbers.end(), copy);
  nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {numbers.size()}, owner));
}

const double* data_of(const std::optional<Vector>& vector) {
  return vector ? vector->data() : nullptr;
}

nb::tuple solve(const kpb::GramRows& gram, Vector target, Vector bound,
                std::optional<Vector> scale, std::optional<Vector> start, double tolerance,
                std::int64_t max_steps) {
  const kpb::DualProblem problem = {gram, target.data(), bound.data(), data_of(scale),
                                    data_of(start)};
  std::optional<kpb::DualOutcome> outcome;
  {
    nb::gil_scoped_release unlocked;
    outcome = kpb::solve_dual(problem, {tolerance, max_steps, interrupted_by_signal});
  }
  const char* status = word_for(outcome->status);
  return nb::make_tuple(to_numpy(outcome->variables.beta), to_numpy(outcome->variables.residual),
                        outcome->steps, status);
}

nb::tuple solve_dense(Matrix gram, Vector target, Vector bound, std::optional<Vector> scale,
                      std::optional<Vector> start, double tolerance, std::int64_t max_steps) {
  return solve(kpb::DenseRows(gram.data(), gram.shape(0)), target, bound, scale, start, tolerance,
               max_steps);
}

}  // namespace

void bind_solver(nb::module_& module) {
  module.def("solve_dense", &solve_dense, nb::arg("gram"), nb::arg("target"), nb::arg("bound"),
             nb::arg("scale").none(), nb::arg("start").none(), nb::arg("tolerance"),
             nb::arg("max_steps"));
}
