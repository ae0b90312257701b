#include "tree/errors.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kpb::c45 {
namespace {

// Release 8 interpolates in this table of upper tails and rounded deviates, and so does every tree
// that is to come out as it did.
constexpr std::array<double, 9> tails = {0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
constexpr std::array<double, 9> deviates = {4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0};
// Fewer errors than this are none.
constexpr double no_error = 1e-6;
// Up to here, next to a whole one, the limit is interpolated between none and one.
constexpr double one_error = 0.9999;
// Share of the cases classified right that counts as wrong where nearly all are wrong.
constexpr double nearly_all_wrong = 0.67;
// From counts to the continuous limit.
constexpr double continuity = 0.5;

double deviate(double confidence) {
  std::size_t i = 1;
  while (i + 1 < tails.size() && confidence > tails[i]) ++i;
  const double share = (confidence - tails[i - 1]) / (tails[i] - tails[i - 1]);
  return deviates[i - 1] + share * (deviates[i] - deviates[i - 1]);
}

}  // namespace

ErrorLimit::ErrorLimit(double confidence)
    : confidence_(confidence), squared_(deviate(confidence) * deviate(confidence)) {}

double ErrorLimit::without_errors(double cases) const {
  return cases * (1 - std::pow(confidence_, 1 / cases));
}

double ErrorLimit::added(double cases, double errors) const {
  if (errors < no_error) return without_errors(cases);
  if (errors < one_error) {
    const double none = without_errors(cases);
    return none + errors * (added(cases, 1.0) - none);
  }
  const double middle = errors + continuity;
  if (middle >= cases) return nearly_all_wrong * (cases - errors);
  const double spread = squared_ * (middle * (1 - middle / cases) + squared_ / 4);
  const double rate = (middle + squared_ / 2 + std::sqrt(spread)) / (cases + squared_);
  return cases * rate - errors;
}

double ErrorLimit::estimate(const double* class_weights, std::size_t n_classes) const {
  const double cases = std::accumulate(class_weights, class_weights + n_classes, 0.0);
  if (cases <= 0) return 0.0;
  const double errors = cases - *std::max_element(class_weights, class_weights + n_classes);
  return errors + added(cases, errors);
}

}  // namespace kpb::c45
