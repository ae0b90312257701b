// Growing, collapsing and pruning: the three steps from cases to a tree.
#pragma once

#include "tree/cases.h"

namespace kpb::c45 {

Tree grow(Cases& cases, const Options& options, const Pause& pause);

// Turns tests that make no fewer errors on the training cases than a leaf into leaves.
void collapse(Tree& tree);

// Replaces parts of the tree by leaves or by their heaviest branch where a pessimistic estimate
// of the errors does not get worse.
void prune(Tree& tree, Cases& cases, const Options& options, const Pause& pause);

// The nodes that are still in use, level by level, and the depth of each.
Tree compact(const Tree& tree, Indices& depth);

}  // namespace kpb::c45
