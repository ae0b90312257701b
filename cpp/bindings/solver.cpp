#include <nanobind/nanobind.h>
namespace nb = nanobind;
void bind_solver(nb::module_& module) { (void)module; }
