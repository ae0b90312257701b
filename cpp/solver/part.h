// A part of the problem: some of the points, with rows that all fit the memory for rows, are solved
// for while the others keep their coefficients.
//
// Where rows do not fit, every working set has the rows of all the points it moved computed anew,
// over all n points. A part is a small problem of many working sets, and only what it changed in
// the end has to be told to the others.
#pragma once

#include <cstddef>
#include <vector>

#include "solver/dual_solver.h"
#include "solver/patience.h"

namespace kpb {

// The coefficients of `members` (distinct points) that solve their part to `tolerance`, or as far
// as patience lets it come, which is spent. v has the coefficients and residuals of all points.
std::vector<double> solve_part(const DualProblem& whole, const Variables& v,
                               const std::vector<std::size_t>& members, double tolerance,
                               Patience& patience);

}  // namespace kpb
