#include "boosting/rates.h"

namespace kpb {

ClassRates class_rates(std::size_t n, const double* target, const double* weight,
                       const bool* correct) {
  double right[2] = {0, 0}, total[2] = {0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t side = target[i] > 0;
    total[side] += weight[i];
    if (correct[i]) right[side] += weight[i];
  }
  return {right[1] / total[1], right[0] / total[0]};
}

}  // namespace kpb
