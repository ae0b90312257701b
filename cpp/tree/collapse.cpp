#include <algorithm>
#include <numeric>

#include "tree/grow.h"

namespace kpb::c45 {
namespace {

// Release 8's own: fewer errors than this saved are none saved. eps
constexpr double epsilon = 1e-3;

}  // namespace

// Branches come after their node, so that the way back meets them first.
void collapse(Tree& tree) {
  Numbers errors(tree.size());
  for (auto k = static_cast<Index>(tree.size()); k-- > 0;) {
    Node& node = tree[k];
    const double as_leaf = node.weight - tree.class_weights(k)[node.label];
    const auto first = errors.begin() + node.first_branch;
    const double as_test = std::accumulate(first, first + node.n_branches, 0.0);
    if (node.is_leaf() || as_test >= as_leaf - epsilon) {
      node.make_leaf();
      errors[k] = as_leaf;
    } else {
      errors[k] = as_test;
    }
  }
}

Tree compact(const Tree& tree, Indices& depth) {
  Tree result(tree.n_classes());
  Indices origin = {0};
  depth = {0};
  result.add_leaves(1, 0);
  for (std::size_t k = 0; k < origin.size(); ++k) {
    const auto here = static_cast<Index>(k);
    const Node& node = tree[origin[k]];
    result[here] = node;
    std::copy_n(tree.class_weights(origin[k]), tree.n_classes(), result.class_weights(here));
    if (node.is_leaf()) continue;
    result[here].first_branch =
        result.add_leaves(static_cast<std::size_t>(node.n_branches), node.label);
    for (Index branch = 0; branch < node.n_branches; ++branch) {
      origin.push_back(node.first_branch + branch);
      depth.push_back(depth[k] + 1);
    }
  }
  return result;
}

}  // namespace kpb::c45
