// Weighted rates of correct answers, by class.
#pragma once

#include <cstddef>

namespace kpb {

struct ClassRates {
  double tpr, tnr;  // of the points with y = +1, and with y = -1
};

// Correct weight over all weight of each class. Both are summed in one order, so that no error is a
// rate of exactly 1; with weights 1 sums are exact, and equal counts give equal rates.
ClassRates class_rates(std::size_t n, const double* target, const double* weight,
                       const bool* correct);

}  // namespace kpb
