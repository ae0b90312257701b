// A decision tree as a list of nodes; the branches of a node are neighbours in it.
#pragma once

#include <algorithm>

#include "tree/training_data.h"

namespace kpb::c45 {

constexpr Index no_attribute = -1;

struct Node {
  Index attribute = no_attribute;  // tested here; none at a leaf
  double cut = 0.0;                // of a numeric test: at most this goes to the first branch
  Index first_branch = 0;
  Index n_branches = 0;
  Index label = 0;      // heaviest class
  double weight = 0.0;  // of the training cases here. N

  bool is_leaf() const { return attribute == no_attribute; }
  void make_leaf() {
    attribute = no_attribute;
    n_branches = 0;
  }
};

class Tree {
 public:
  explicit Tree(std::size_t n_classes) : n_classes_(n_classes) {}

  // Adds leaves without any cases, labelled as told; returns the first one's number.
  Index add_leaves(std::size_t count, Index label) {
    const std::size_t first = nodes_.size();
    nodes_.resize(first + count);
    for (std::size_t k = first; k < nodes_.size(); ++k) nodes_[k].label = label;
    class_weights_.resize(nodes_.size() * n_classes_, 0.0);
    return static_cast<Index>(first);
  }

  std::size_t size() const { return nodes_.size(); }
  std::size_t n_classes() const { return n_classes_; }
  Node& operator[](Index node) { return nodes_[node]; }
  const Node& operator[](Index node) const { return nodes_[node]; }
  // Weight of each class among the cases of a node.
  double* class_weights(Index node) { return &class_weights_[node * n_classes_]; }
  const double* class_weights(Index node) const { return &class_weights_[node * n_classes_]; }

 private:
  std::size_t n_classes_;
  std::vector<Node> nodes_;
  Numbers class_weights_;
};

// The first of several.
inline Index heaviest_class(const double* weights, std::size_t n_classes) {
  const double* end = weights + n_classes;
  const double least = *std::max_element(weights, end) - weight_slack;
  const auto is_heaviest = [least](double weight) { return weight >= least; };
  return static_cast<Index>(std::find_if(weights, end, is_heaviest) - weights);
}

// Which branch a known value takes.
inline Index branch_of(const Node& node, bool is_nominal, double value) {
  if (is_nominal) return static_cast<Index>(value);
  return value <= node.cut ? 0 : 1;
}

}  // namespace kpb::c45
