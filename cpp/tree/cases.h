// The cases of a node, sent down its branches in place. A case with a missing value goes down
// every branch that has cases, with the share of its weight that the branch has of the known ones.
#pragma once

#include "tree/tree.h"

namespace kpb::c45 {

// A node's cases stand side by side in one list of rows.
struct Range {
  std::size_t first, last;
};

class Cases {
 public:
  explicit Cases(const TrainingData& data);

  const TrainingData& data() const { return data_; }
  Range all() const { return {0, rows_.size()}; }
  Index* rows() { return rows_.data(); }
  const Index* begin(Range range) const { return rows_.data() + range.first; }
  const Index* end(Range range) const { return rows_.data() + range.last; }
  double weight(Index row) const { return weights_[row]; }
  void scale(Range range, double factor);
  double total(Range range) const;
  // Adds the weights of a range's classes to `sums`.
  void add_classes(Range range, double* sums) const;

 private:
  const TrainingData& data_;
  Indices rows_;
  Numbers weights_;
};

// One node's cases on their way down: branch after branch, with the missing ones always standing
// right before the branch that comes next.
class Division {
 public:
  Division(Cases& cases, const Node& node, Range range);

  // Sets the next branch up; false, and nothing changed, if it has no known cases.
  bool enter(Index branch);
  // Its cases, between `enter` and `leave`.
  Range branch_range() const { return {missing_, next_}; }
  void leave();

  Range range() const { return range_; }
  std::size_t n_missing() const { return n_missing_; }

 private:
  Index branch_of_row(Index row) const;

  Cases* cases_;
  Node node_;
  bool is_nominal_;
  Range range_;
  std::size_t n_missing_, missing_, next_;  // where the missing cases and the next branch start
  double known_weight_, factor_ = 1.0;
};

}  // namespace kpb::c45
