// The constants of the solver are made for kernel values around 1. Where Q's largest diagonal entry
// is far from it, the problem is solved in other units: Q / unit, beta * unit, the same residual.
#pragma once

#include <vector>

#include "solver/dual_solver.h"

namespace kpb {

// 1 where it need not be another one. A power of four, so that nothing is rounded.
double unit_of(const DualProblem& problem);

struct InOtherUnits {
  InOtherUnits(const DualProblem& given, double unit);
  InOtherUnits(const InOtherUnits&) = delete;  // the problem points to its own members
  InOtherUnits& operator=(const InOtherUnits&) = delete;

  std::vector<double> scale, bound, start, known_beta;
  KnownField known;
  DualProblem problem;

 private:
  void take_over(const KnownField& given, double unit);
};

}  // namespace kpb
