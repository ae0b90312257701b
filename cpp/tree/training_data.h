// What a tree is grown from, and how.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kpb::c45 {

using Index = std::int32_t;
using Numbers = std::vector<double>;
using Indices = std::vector<Index>;
// Called now and then; it throws to stop the work.
using Pause = std::function<void()>;

// Sums of fractional weights that should be equal differ in their last digits; by this much they
// count as equal, so that neither the order of a sum nor the processor decides.
constexpr double weight_slack = 1e-9;

struct TrainingData {
  const double* columns;  // one row per attribute; NaN is missing; nominal values are 0, 1, 2, ...
  const Index* n_values;  // per attribute: number of values of a nominal one, 0 for a numeric one
  const Index* classes;   // per case
  const double* weights;  // per case, positive
  std::size_t cases, attributes, n_classes;

  double value(std::size_t attribute, Index row) const {
    return columns[attribute * cases + static_cast<std::size_t>(row)];
  }
  bool is_missing(std::size_t attribute, Index row) const {
    return std::isnan(value(attribute, row));
  }
  bool is_nominal(std::size_t attribute) const { return n_values[attribute] > 0; }
};

struct Options {
  double min_leaf;    // a test needs two branches of this weight. m
  double min_gap;     // values closer than this are one
  double confidence;  // of the pessimistic estimate. CF
  bool gain_ratio, penalise_cuts, collapse, prune, raise;
};

}  // namespace kpb::c45
