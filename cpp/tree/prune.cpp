#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "tree/errors.h"
#include "tree/grow.h"
#include "tree/walk.h"

namespace kpb::c45 {
namespace {

// Release 8's own: a simpler tree may cost this many errors more.
constexpr double simplicity = 0.1;

// Sums the estimates of the leaves that cases reach, the leaves labelled anew for them.
class Estimator {
 public:
  Estimator(const Tree& tree, const Cases& cases, const ErrorLimit& limit, const Pause& pause)
      : tree_(tree), cases_(cases), limit_(limit), pause_(pause), weights_(tree.n_classes()) {}

  void enter(Index node, Range range) {
    if (!tree_[node].is_leaf()) return;
    pause_();
    std::fill(weights_.begin(), weights_.end(), 0.0);
    cases_.add_classes(range, weights_.data());
    sum_ += limit_.estimate(weights_.data(), weights_.size());
  }
  bool leave(Index, const Division&) { return false; }
  double sum() const { return sum_; }

 private:
  const Tree& tree_;
  const Cases& cases_;
  const ErrorLimit& limit_;
  const Pause& pause_;
  Numbers weights_;
  double sum_ = 0.0;
};

class Pruner {
 public:
  Pruner(Tree& tree, Cases& cases, const Options& options, const Pause& pause)
      : tree_(tree),
        cases_(cases),
        options_(options),
        pause_(pause),
        limit_(options.confidence),
        estimates_(tree.size(), 0.0),
        all_known_(tree.size(), 1) {}

  void run() { walk(tree_, cases_, 0, cases_.all(), *this); }

  void enter(Index node, Range range) {
    double* weights = tree_.class_weights(node);
    std::fill_n(weights, tree_.n_classes(), 0.0);
    cases_.add_classes(range, weights);
    tree_[node].label = heaviest_class(weights, tree_.n_classes());
    tree_[node].weight = cases_.total(range);
    estimates_[node] = limit_.estimate(weights, tree_.n_classes());  // as a leaf
    all_known_[node] = 1;
  }

  bool leave(Index node, const Division& division) {
    pause_();
    const Node& here = tree_[node];
    const auto first = estimates_.begin() + here.first_branch;
    const double as_leaf = estimates_[node];
    const double as_tree = std::accumulate(first, first + here.n_branches, 0.0);
    const Index heaviest = heaviest_branch(here);
    all_known_[node] = division.n_missing() == 0 && branches_know_all(here);
    const double as_branch = options_.raise ? branch_estimate(heaviest, here, division) : INFINITY;
    if (as_leaf <= std::min(as_tree, as_branch) + simplicity) {
      tree_[node].make_leaf();
      all_known_[node] = 1;
      return false;
    }
    estimates_[node] = as_tree;
    if (as_branch > as_tree + simplicity) return false;
    raise(node, heaviest);
    return true;
  }

 private:
  // The last of several.
  Index heaviest_branch(const Node& node) const {
    Index best = node.first_branch;
    for (Index k = best + 1; k < node.first_branch + node.n_branches; ++k) {
      if (tree_[k].weight >= tree_[best].weight - weight_slack) best = k;
    }
    return best;
  }

  bool branches_know_all(const Node& node) const {
    const auto first = all_known_.begin() + node.first_branch;
    return std::all_of(first, first + node.n_branches, [](char known) { return known; });
  }

  // The branch with all cases of its node.
  double branch_estimate(Index branch, const Node& node, const Division& division) {
    if (division.n_missing() == 0 && all_known_[branch]) {
      if (const auto quick = add_others(branch, node, division.range())) return *quick;
    }
    Estimator estimator(tree_, cases_, limit_, pause_);
    walk(tree_, cases_, branch, division.range(), estimator);
    return estimator.sum();
  }

  // The same where nothing is missing: what the branch has of the cases stands in its leaves
  // already, and only the others need to be sent down. A chain of nodes would else take the cube of
  // its length. None if one of the others misses a value after all.
  std::optional<double> add_others(Index branch, const Node& node, Range range) {
    std::unordered_map<Index, Numbers> reached;
    const bool nominal = is_nominal(node);
    for (const Index* row = cases_.begin(range); row != cases_.end(range); ++row) {
      const Index own = node.first_branch + branch_of(node, nominal, value(node, *row));
      if (own == branch) continue;
      const Index leaf = leaf_of(branch, *row);
      if (leaf < 0) return std::nullopt;
      const double* weights = tree_.class_weights(leaf);
      auto& sums = reached.try_emplace(leaf, weights, weights + tree_.n_classes()).first->second;
      sums[cases_.data().classes[*row]] += cases_.weight(*row);
    }
    double sum = estimates_[branch];
    for (const auto& [leaf, sums] : reached) {
      sum += limit_.estimate(sums.data(), sums.size()) - estimates_[leaf];
    }
    return sum;
  }

  // -1 where a value is missing.
  Index leaf_of(Index from, Index row) const {
    while (!tree_[from].is_leaf()) {
      const Node& node = tree_[from];
      if (cases_.data().is_missing(node.attribute, row)) return -1;
      from = node.first_branch + branch_of(node, is_nominal(node), value(node, row));
    }
    return from;
  }

  void raise(Index node, Index branch) {
    const Node kept = tree_[branch];
    tree_[node] = kept;
  }

  bool is_nominal(const Node& node) const { return cases_.data().is_nominal(node.attribute); }
  double value(const Node& node, Index row) const {
    return cases_.data().value(node.attribute, row);
  }

  Tree& tree_;
  Cases& cases_;
  const Options& options_;
  const Pause& pause_;
  ErrorLimit limit_;
  Numbers estimates_;            // per node, for the cases that it got last
  std::vector<char> all_known_;  // per node: whether none of them misses a value tested below
};

}  // namespace

void prune(Tree& tree, Cases& cases, const Options& options, const Pause& pause) {
  Pruner(tree, cases, options, pause).run();
}

}  // namespace kpb::c45
