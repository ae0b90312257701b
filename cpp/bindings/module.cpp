// kpboost._core: arrays in, arrays out. The Python packages above it check their arguments.
#include <nanobind/nanobind.h>

#include "simd/hot.h"

namespace nb = nanobind;

void bind_boosting(nb::module_& module);
void bind_disjuncts(nb::module_& module);
void bind_kernels(nb::module_& module);
void bind_solver(nb::module_& module);
void bind_tree(nb::module_& module);

NB_MODULE(_core, module) {
  module.def("simd_level", [] { return kpb::hot().level; }, "Instruction set of the hot loops.");
  bind_boosting(module);
  bind_disjuncts(module);
  bind_kernels(module);
  bind_solver(module);
  bind_tree(module);
}
