#include "boosting/vote.h"

#include <cmath>

namespace kpb {

void weighted_sums(VoteShape shape, const double* values, const double* weights,
                   const double* signs, double* of_signs, double* of_values) {
  const std::size_t T = shape.rounds;
  for (std::size_t i = 0; i < shape.points; ++i)
    for (std::size_t p = 0; p < shape.problems; ++p, ++of_signs, ++of_values, values += T) {
      const double* alpha = weights + p * T;
      double by_sign = 0, by_value = 0;
      for (std::size_t t = 0; t < T; ++t) {
        by_sign += std::copysign(alpha[t], values[t] == 0 ? signs[p] : values[t]);
        by_value += alpha[t] * values[t];
      }
      *of_signs = by_sign;
      *of_values = by_value;
    }
}

}  // namespace kpb
