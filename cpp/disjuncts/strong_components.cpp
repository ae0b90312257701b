#include "disjuncts/strong_components.h"

#include <algorithm>
#include <utility>

namespace kpb {
namespace {

using Rows = std::vector<std::int32_t>;

constexpr std::int32_t unseen = -1;

// The recursion is written out, with a stack of its own: a chain of links can be as long as the
// data set.
class Search {
 public:
  Search(const std::vector<Edge>& edges, std::size_t nodes)
      : edges_(edges), next_(nodes + 1), order_(nodes, unseen), reach_(nodes),
        lowest_(nodes, unseen) {
    for (const Edge& edge : edges) ++next_[edge.from + 1];
    for (std::size_t v = 0; v < nodes; ++v) next_[v + 1] += next_[v];
    end_.assign(next_.begin() + 1, next_.end());
  }

  Rows run() {
    for (std::size_t v = 0; v < order_.size(); ++v) {
      if (order_[v] == unseen) explore(static_cast<std::int32_t>(v));
    }
    return std::move(lowest_);
  }

 private:
  void explore(std::int32_t start) {
    enter(start);
    while (!path_.empty()) {
      const std::int32_t u = path_.back();
      if (next_[u] < end_[u]) {
        follow(u, edges_[next_[u]++].to);
      } else {
        leave(u);
      }
    }
  }

  void enter(std::int32_t v) {
    order_[v] = reach_[v] = clock_++;
    path_.push_back(v);
    open_.push_back(v);
  }

  void follow(std::int32_t u, std::int32_t v) {
    if (order_[v] == unseen) {
      enter(v);
    } else if (lowest_[v] == unseen) {  // still open, so u's component reaches back to v
      reach_[u] = std::min(reach_[u], order_[v]);
    }
  }

  void leave(std::int32_t u) {
    path_.pop_back();
    if (!path_.empty()) reach_[path_.back()] = std::min(reach_[path_.back()], reach_[u]);
    if (reach_[u] == order_[u]) close(u);
  }

  // u is the first of its component to be entered; the others were entered since and are open.
  void close(std::int32_t u) {
    const auto first = std::find(open_.rbegin(), open_.rend(), u).base() - 1;
    const std::int32_t low = *std::min_element(first, open_.end());
    for (auto v = first; v != open_.end(); ++v) lowest_[*v] = low;
    open_.erase(first, open_.end());
  }

  const std::vector<Edge>& edges_;
  std::vector<std::size_t> next_, end_;
  Rows order_, reach_, lowest_, path_, open_;
  std::int32_t clock_ = 0;
};

}  // namespace

std::vector<std::int32_t> strong_components(const std::vector<Edge>& edges, std::size_t nodes) {
  return Search(edges, nodes).run();
}

}  // namespace kpb
