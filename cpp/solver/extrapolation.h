// Extrapolation: where steps on whole rows would lead to if there were many more of them.
//
// Along directions in which Q is flat, steps go the same way again and again. What the steps of a
// stride have done together points along these directions, and since the residual is linear in
// beta, it is known for every combination of strides, without a row of Q. So the lowest objective
// in the span of the last strides costs a few dot products (sequential subspace optimisation; a
// conjugate gradient method whose preconditioner is the steps comes close to it). Points that it
// would take beyond a bound stay there, for the price of their rows.
#pragma once

#include <cstddef>
#include <vector>

#include "solver/changes.h"
#include "solver/dual_solver.h"
#include "solver/patience.h"
#include "solver/variables.h"

namespace kpb {

class Extrapolation {
 public:
  Extrapolation(const DualProblem& problem, Variables& v, Patience& patience)
      : problem_(problem), v_(v), patience_(patience) {}

  // To be called after every look of the opening, with how far steps went since the last one.
  // Every third or sixth may move v on. Returns how far in the same sense, as far as rounding goes.
  double look(double moved);

 private:
  struct State {
    Numbers beta, residual;
  };
  struct Stride {
    Numbers step, field;  // the change of beta, and of the residual
    double moved;
  };

  double end_stride();
  Stride& next_stride();
  void measure(Stride& stride) const;
  std::vector<double> lowest_in_span() const;
  double follow(const std::vector<double>& weights);
  std::vector<std::size_t> beyond_bounds() const;
  bool try_step();
  bool share_out(double excess, std::size_t takers);
  void subtract(const Changes& changes);
  double rise_of_objective(const State& before) const;

  const DualProblem& problem_;
  Variables& v_;
  Patience& patience_;
  State base_;                   // where the stride began; empty before the first
  std::vector<Stride> strides_;  // the oldest first
  Numbers step_, field_;         // what is being tried
  double moved_ = 0;             // in this stride
  std::size_t looks_ = 0;
  bool promising_ = true;  // by the last weights, whatever bounds made of them
};

}  // namespace kpb
