#include "tree/grow.h"

#include "tree/split.h"
#include "tree/walk.h"

namespace kpb::c45 {
namespace {

class Grower {
 public:
  Grower(Cases& cases, const Options& options, const Pause& pause)
      : cases_(cases),
        options_(options),
        search_(cases.data(), options, pause),
        tree_(cases.data().n_classes) {}

  Tree run() {
    const Index root = tree_.add_leaves(1, 0);
    walk(tree_, cases_, root, cases_.all(), *this);
    return std::move(tree_);
  }

  void enter(Index node, Range range) {
    count(node, range);
    if (is_settled(node)) return;
    const auto split = search_.best(cases_, range);
    if (split) branch(node, *split);
  }

  bool leave(Index, const Division&) { return false; }

 private:
  void count(Index node, Range range) {
    double* weights = tree_.class_weights(node);
    cases_.add_classes(range, weights);
    tree_[node].label = heaviest_class(weights, tree_.n_classes());
    tree_[node].weight = cases_.total(range);
  }

  // One class has everything, or there is too little for two branches.
  bool is_settled(Index node) const {
    const Node& here = tree_[node];
    return here.weight < 2 * options_.min_leaf - weight_slack ||
           here.weight - tree_.class_weights(node)[here.label] < weight_slack;
  }

  void branch(Index node, const Split& split) {
    const Index n_values = cases_.data().n_values[split.attribute];
    const Index count = n_values > 0 ? n_values : 2;
    const Index first = tree_.add_leaves(static_cast<std::size_t>(count), tree_[node].label);
    Node& here = tree_[node];
    here.attribute = split.attribute;
    here.cut = split.cut;
    here.first_branch = first;
    here.n_branches = count;
  }

  Cases& cases_;
  const Options& options_;
  SplitSearch search_;
  Tree tree_;
};

}  // namespace

Tree grow(Cases& cases, const Options& options, const Pause& pause) {
  return Grower(cases, options, pause).run();
}

}  // namespace kpb::c45
