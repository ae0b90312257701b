// Strongly connected components: two points are together if paths lead from each to the other.
//
// What is joined stays joined, so after each step a component becomes one node, named by its lowest
// row, and only the links between different nodes are kept. These become few very soon.
#include <algorithm>
#include <numeric>

#include "disjuncts/growth.h"
#include "disjuncts/strong_components.h"

namespace kpb {
namespace {

class StrongGrowth final : public Growth {
 public:
  explicit StrongGrowth(Links links) : links_(links), home_(links.points), count_(links.points) {
    std::iota(home_.begin(), home_.end(), 0);
  }

  void add_column(std::size_t column) override {
    for (std::size_t u = 0; u < links_.points; ++u) {
      const std::int32_t v = links_.target(u, column);
      if (v != nobody) edges_.push_back({home_[u], home_[v]});
    }
    keep_edges_between_homes();
    const Rows joined = strong_components(edges_, links_.points);
    for (std::int32_t& node : home_) node = joined[node];
    for (Edge& edge : edges_) edge = {joined[edge.from], joined[edge.to]};
    count_ = count_homes();
  }

  std::size_t count() const override { return count_; }
  Rows lowest_rows() override { return home_; }

 private:
  void keep_edges_between_homes() {
    const auto inside = [](const Edge& edge) { return edge.from == edge.to; };
    edges_.erase(std::remove_if(edges_.begin(), edges_.end(), inside), edges_.end());
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  std::size_t count_homes() const {
    std::size_t homes = 0;
    for (std::size_t u = 0; u < home_.size(); ++u)
      homes += home_[u] == static_cast<std::int32_t>(u);
    return homes;
  }

  Links links_;
  Rows home_;
  std::vector<Edge> edges_;
  std::size_t count_;
};

}  // namespace

std::unique_ptr<Growth> strong_growth(Links links) {
  return std::make_unique<StrongGrowth>(links);
}

}  // namespace kpb
