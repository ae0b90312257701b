// What the functions that solve duals share: their arrays, how they are stopped, how they ended.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>

#include "solver/dual_solver.h"

namespace kpb {

using Vector = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig,
                                 nanobind::device::cpu>;
using Matrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig,
                                 nanobind::device::cpu>;

// Lets one thread stop the solves of others: signals reach Python's main thread only.
class StopFlag {
 public:
  void set() { set_ = true; }
  bool is_set() const { return set_; }

 private:
  std::atomic<bool> set_{false};
};

// True with a Python exception set, if the flag asks for it or a signal handler raised, as it
// does on Ctrl-C.
inline bool interrupted(const StopFlag* stop) {
  const nanobind::gil_scoped_acquire lock;
  if (stop && stop->is_set()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return true;
  }
  return PyErr_CheckSignals() != 0;
}

inline const char* word_for(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::iteration_limit: return "iteration_limit";
    case Status::stalled: return "stalled";
    case Status::interrupted: break;
  }
  throw nanobind::python_error();  // what `interrupted` has set
}

}  // namespace kpb
