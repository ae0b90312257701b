// Where a round starts: with what the last one knows, without reading the matrix again.
#pragma once

#include <vector>

#include "solver/dual_solver.h"

namespace kpb {

// The last round's answer, under Q = diag(scale) K diag(scale).
struct LastRound {
  std::vector<double> beta;
  std::vector<double> field;  // Q beta
  std::vector<double> scale;
  std::vector<char> on_margin;  // free support vectors
  double rounding;              // bound on the error of field
};

struct NextStart {
  std::vector<double> beta;   // not necessarily feasible
  std::vector<double> field;  // Q beta under the new scale; empty where it is not known
  double rounding;            // bound on its error

  KnownField known() const { return {beta.data(), field.data(), rounding}; }
};

// With D = scale / last.scale = exp(-loss), the coefficients beta / (D c) have the field
// D (Q beta) / c, whatever the number c is. With c the D of most points on the margin, these start
// from beta / D^2: on them alone the new matrix is D^2 times the old one, and that is its solution,
// until a bound cuts in.
NextStart next_start(const LastRound& last, const std::vector<double>& loss,
                     const std::vector<double>& scale);

}  // namespace kpb
