#include <algorithm>

#include "tree/grow.h"

namespace kpb::c45 {

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
