// Searches from the lowest unvisited row, along the links, never entering an earlier disjunct.
//
// Such a search puts point v into the disjunct of the lowest row from which a path leads to v: that
// row is unvisited when its turn comes (otherwise a still lower row would reach v). So the answer is
// lowest[v] = min(v, lowest[u] for every link u -> v), which new links can only lower, and a step
// needs to follow up only the links that do.
#include <algorithm>
#include <numeric>

#include "disjuncts/growth.h"

namespace kpb {
namespace {

class DirectedGrowth final : public Growth {
 public:
  explicit DirectedGrowth(Links links)
      : links_(links), lowest_(links.points), count_(links.points) {
    std::iota(lowest_.begin(), lowest_.end(), 0);
  }

  // From the lowest rows up, no point is lowered twice in one step.
  void add_column(std::size_t column) override {
    Rows sources;
    for (std::size_t u = 0; u < links_.points; ++u) {
      if (lowers(lowest_[u], links_.target(u, column))) {
        sources.push_back(static_cast<std::int32_t>(u));
      }
    }
    std::sort(sources.begin(), sources.end(),
              [&](std::int32_t u, std::int32_t v) { return lowest_[u] < lowest_[v]; });
    for (const std::int32_t u : sources) spread(lowest_[u], links_.target(u, column), column);
  }

  std::size_t count() const override { return count_; }
  Rows lowest_rows() override { return lowest_; }

 private:
  bool lowers(std::int32_t row, std::int32_t v) const { return v != nobody && row < lowest_[v]; }

  void spread(std::int32_t row, std::int32_t first, std::size_t column) {
    visit(row, first);
    while (!waiting_.empty()) {
      const std::size_t u = waiting_.back();
      waiting_.pop_back();
      for (std::size_t c = 0; c <= column; ++c) visit(row, links_.target(u, c));
    }
  }

  void visit(std::int32_t row, std::int32_t v) {
    if (!lowers(row, v)) return;
    count_ -= lowest_[v] == v;  // v led a disjunct of its own
    lowest_[v] = row;
    waiting_.push_back(v);
  }

  Links links_;
  Rows lowest_, waiting_;
  std::size_t count_;
};

}  // namespace

std::unique_ptr<Growth> directed_growth(Links links) {
  return std::make_unique<DirectedGrowth>(links);
}

}  // namespace kpb
