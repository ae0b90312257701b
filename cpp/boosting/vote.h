// The rounds' votes at points: sums over the rounds of every problem.
#pragma once

#include <cstddef>

namespace kpb {

struct VoteShape {
  std::size_t points, problems, rounds;
};

// For values (points, problems, rounds), weights (problems, rounds) and both results (points,
// problems): of_signs = sum of alpha_t sign(f_t), where f = 0 has the side that `signs` tells of the
// problem, and of_values = sum of alpha_t f_t.
void weighted_sums(VoteShape shape, const double* values, const double* weights,
                   const double* signs, double* of_signs, double* of_values);

}  // namespace kpb
