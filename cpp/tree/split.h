// The best test for a node: gain ratio among the attributes of at least average gain.
#pragma once

#include <optional>

#include "tree/cases.h"
#include "tree/column_order.h"
#include "tree/tally.h"

namespace kpb::c45 {

struct Split {
  Index attribute;
  double cut;         // of a numeric attribute
  double gain;        // bits per case, after the price of choosing a cut
  double split_info;  // bits per case that say which branch
};

class SplitSearch {
 public:
  SplitSearch(const TrainingData& data, const Options& options, const Pause& pause);

  // None if no test is worth it.
  std::optional<Split> best(const Cases& cases, Range range);

 private:
  std::optional<Split> try_nominal(const Cases& cases, Index attribute);
  std::optional<Split> try_numeric(const Cases& cases, Index attribute);
  std::optional<Split> best_of(const std::vector<Split>& valid) const;
  double average_gain(const std::vector<Split>& valid) const;
  double known_disorder(const Cases& cases, const Indices& rows);
  double smallest_side(double known) const;
  bool has_many_values(std::size_t attribute) const;

  const TrainingData& data_;
  const Options& options_;
  const Pause& pause_;
  ColumnOrder order_;
  Tally left_, right_;
  double root_weight_;
  bool all_have_many_values_;
  double total_ = 0.0;  // weight of the node at hand, missing cases included. N
};

}  // namespace kpb::c45
