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

}  // namespace kpb::c45
