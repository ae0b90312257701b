// Connected components of the links taken without direction: disjoint sets, merged link by link.
#include <algorithm>
#include <numeric>

#include "disjuncts/growth.h"

namespace kpb {
namespace {

class WeakGrowth final : public Growth {
 public:
  explicit WeakGrowth(Links links) : links_(links), parent_(links.points), count_(links.points) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  void add_column(std::size_t column) override {
    for (std::size_t u = 0; u < links_.points; ++u) {
      const std::int32_t v = links_.target(u, column);
      if (v != nobody) unite(static_cast<std::int32_t>(u), v);
    }
  }

  std::size_t count() const override { return count_; }

  Rows lowest_rows() override {
    Rows rows(links_.points);
    for (std::size_t u = 0; u < rows.size(); ++u) rows[u] = root(static_cast<std::int32_t>(u));
    return rows;
  }

 private:
  // The lower root stays one, so that a set's root is its lowest row.
  void unite(std::int32_t u, std::int32_t v) {
    const auto [low, high] = std::minmax({root(u), root(v)});
    if (low == high) return;
    parent_[high] = low;
    --count_;
  }

  std::int32_t root(std::int32_t u) {
    while (parent_[u] != u) u = parent_[u] = parent_[parent_[u]];  // halves the path as it goes
    return u;
  }

  Links links_;
  Rows parent_;
  std::size_t count_;
};

}  // namespace

std::unique_ptr<Growth> weak_growth(Links links) { return std::make_unique<WeakGrowth>(links); }

}  // namespace kpb
