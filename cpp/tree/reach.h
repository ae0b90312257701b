// The leaves that a case reaches: one, or several with a share each where values are missing.
#pragma once

#include <utility>

#include "tree/tree.h"

namespace kpb::c45 {

// A finished tree as the arrays that Python keeps.
struct TreeView {
  const Index* attribute;     // no_attribute at a leaf
  const double* cut;
  const Index* first_branch;
  const Index* n_branches;
  const double* weight;       // of the training cases, per node
  const bool* is_nominal;     // per attribute
};

using Share = std::pair<Index, double>;  // node, weight

class Reach {
 public:
  explicit Reach(const TreeView& tree) : tree_(tree) {}

  // Leaves in the order of the branches, with shares that sum to 1. A missing value follows all
  // branches, each with its part of the training weight.
  const std::vector<Share>& leaves(const double* values) {
    reached_.clear();
    open_.assign(1, {0, 1.0});
    while (!open_.empty()) {
      const Share here = open_.back();
      open_.pop_back();
      follow(here.first, here.second, values);
    }
    return reached_;
  }

  // The leaf with the largest share, the first of several.
  Index heaviest_leaf(const double* values) {
    Share best = {0, 0.0};
    for (const Share& leaf : leaves(values)) {
      if (leaf.second > best.second * (1 + weight_slack)) best = leaf;
    }
    return best.first;
  }

 private:
  void follow(Index node, double share, const double* values) {
    while (tree_.attribute[node] != no_attribute) {
      const double value = values[tree_.attribute[node]];
      if (std::isnan(value)) return follow_all(node, share);
      const bool nominal = tree_.is_nominal[tree_.attribute[node]];
      const Index branch = nominal ? static_cast<Index>(value) : !(value <= tree_.cut[node]);
      node = tree_.first_branch[node] + branch;
    }
    reached_.emplace_back(node, share);
  }

  void follow_all(Index node, double share) {
    const Index first = tree_.first_branch[node];
    for (Index k = first + tree_.n_branches[node]; k-- > first;) {
      if (tree_.weight[k] > 0) open_.emplace_back(k, share * tree_.weight[k] / tree_.weight[node]);
    }
  }

  const TreeView& tree_;
  std::vector<Share> open_, reached_;
};

}  // namespace kpb::c45
