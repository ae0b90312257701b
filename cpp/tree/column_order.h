// The rows of a node in the order of an attribute's values, without sorting values again: all
// columns are sorted once, and a node either walks that order or sorts its rows' places in it.
#pragma once

#include "tree/training_data.h"

namespace kpb::c45 {

class ColumnOrder {
 public:
  ColumnOrder(const TrainingData& data, const Pause& pause);

  // Rows of the node at hand, for the calls of `known_rows` that follow.
  void choose(const Index* first, const Index* last);
  // Those of them whose value is known, by value.
  const Indices& known_rows(std::size_t attribute);
  // Largest value of the whole training set that is at most `limit` and below `above`.
  double largest_value(std::size_t attribute, double limit, double above) const;

 private:
  void walk(const Indices& order);
  void sort_places(std::size_t attribute);

  const TrainingData& data_;
  std::vector<Indices> order_;  // per attribute: rows with a known value, by value
  std::vector<Indices> place_;  // per attribute and row: its place in that order
  std::vector<char> chosen_;    // per row
  const Index *first_ = nullptr, *last_ = nullptr;
  Indices rows_;
};

}  // namespace kpb::c45
