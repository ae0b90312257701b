// Quinlan's pessimistic estimate of a leaf's errors: as many as a binomial upper limit allows.
#pragma once

#include "tree/training_data.h"

namespace kpb::c45 {

class ErrorLimit {
 public:
  explicit ErrorLimit(double confidence);

  // Errors to add to `errors` among cases of this weight, above 0. AddErrs(N, e)
  double added(double cases, double errors) const;
  // Errors of a leaf labelled with its heaviest class, with those added; 0 without any cases.
  double estimate(const double* class_weights, std::size_t n_classes) const;

 private:
  double without_errors(double cases) const;

  double confidence_;
  double squared_;  // of the normal deviate that leaves this confidence above it
};

}  // namespace kpb::c45
