// Takes cases through a tree, depth first. The recursion is written out, with a stack of its own: a
// chain of nodes can be as long as the data set.
#pragma once

#include "tree/cases.h"

namespace kpb::c45 {

// A visitor has `void enter(Index node, Range cases)`, which may still change the node, and
// `bool leave(Index node, const Division&)`, called once all branches are done; true starts the
// node over, with the same cases. Leaves and branches without cases are not left, the latter
// not even entered.
template <class Visitor>
void walk(const Tree& tree, Cases& cases, Index root, Range range, Visitor& visitor) {
  struct Frame {
    Index node, branch;
    Division division;
  };
  std::vector<Frame> path;
  const auto enter = [&](Index node, Range here) {
    visitor.enter(node, here);
    if (!tree[node].is_leaf()) path.push_back({node, 0, Division(cases, tree[node], here)});
  };
  enter(root, range);
  while (!path.empty()) {
    Frame& top = path.back();
    if (top.branch < tree[top.node].n_branches) {
      const Index branch = top.branch++;
      if (!top.division.enter(branch)) continue;
      const std::size_t depth = path.size();
      enter(tree[top.node].first_branch + branch, top.division.branch_range());
      if (path.size() == depth) path.back().division.leave();  // it was a leaf
    } else {
      const Frame done = top;
      path.pop_back();
      if (visitor.leave(done.node, done.division)) enter(done.node, done.division.range());
      // Started over, the node is on the path again, unless it has become a leaf.
      const bool is_back = !path.empty() && path.back().node == done.node;
      if (!is_back && !path.empty()) path.back().division.leave();
    }
  }
}

}  // namespace kpb::c45
