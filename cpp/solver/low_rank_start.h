// Where to start if the kernel is wide: at the solution of a problem of low rank close to the given
// one.
//
// With K ~ Z Z' from a few rows of K (Nystroem's approximation), the SVM is linear in the rows z_i
// of Z, and its primal has few variables, w and b:
//
//   minimise  1/2 |w|^2 + sum_i C_i loss(y_i (z_i'w + b)).
//
// The loss is the hinge with a rounded corner: a parabola within `delta` of margin 1. Newton's
// method solves the problem for a large delta first, where it is nearly least squares, then for
// smaller ones. What the loss's slopes are at the end is a point of the dual: alpha_i = -C_i
// loss'(.). Most of its points are at the bounds at which the exact solution has them, and that is
// what takes long to find where the matrix is flat.
#pragma once

#include <vector>

#include "solver/dual_solver.h"
#include "solver/patience.h"

namespace kpb {

// A feasible beta for a problem of more points than it takes landmarks; empty if these explain less
// than a certain share of the kernel's diagonal.
std::vector<double> low_rank_start(const DualProblem& problem, double least_explained,
                                   Patience& patience);

}  // namespace kpb
