#include "disjuncts/nearest.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace kpb {
namespace {

// 52 bits of fraction less these 22 leave 30: far above what rounding disturbs, far below what a
// measurement can tell apart.
constexpr int dropped_bits = 22;
constexpr std::uint64_t half = std::uint64_t{1} << (dropped_bits - 1);
// Candidates gather until there are this many times as many as wanted, then the worse are dropped.
constexpr std::size_t slack = 2;

// Of numbers from 0 on, the bits are in the order of the values.
std::uint64_t rounded(double squared) {
  std::uint64_t bits;
  std::memcpy(&bits, &squared, sizeof bits);
  return (bits + half) >> dropped_bits;
}

// The smallest number that rounds to `key`; 0 for the smallest key, which nothing lies below.
double lower_edge(std::uint64_t key) {
  const std::uint64_t bits = key == 0 ? 0 : (key << dropped_bits) - half;
  double edge;
  std::memcpy(&edge, &bits, sizeof edge);
  return edge;
}

using Candidate = std::pair<std::uint64_t, std::int32_t>;  // compared by key, then by index

class Shortlist {
 public:
  explicit Shortlist(std::size_t wanted) : wanted_(wanted) { list_.reserve(slack * wanted); }

  // Later indices lose against equal keys, so only a smaller key can enter a full list.
  bool full_and_below(double squared) const { return !open_ && !(squared < edge_); }

  void add(double squared, std::size_t index) {
    list_.emplace_back(rounded(squared), static_cast<std::int32_t>(index));
    if (list_.size() == slack * wanted_) shorten();
  }

  void write(std::int32_t* out) {
    if (list_.size() > wanted_) shorten();
    std::sort(list_.begin(), list_.end());
    for (std::size_t k = 0; k < wanted_; ++k) out[k] = k < list_.size() ? list_[k].second : nobody;
  }

 private:
  void shorten() {
    std::nth_element(list_.begin(), list_.begin() + (wanted_ - 1), list_.end());
    list_.resize(wanted_);
    edge_ = lower_edge(list_.back().first);
    open_ = false;
  }

  std::size_t wanted_;
  std::vector<Candidate> list_;
  bool open_ = true;
  double edge_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void nearest(const double* squared, std::size_t size, std::int32_t skipped, std::size_t wanted,
             std::int32_t* out) {
  if (wanted == 0) return;
  Shortlist list(wanted);
  const std::size_t left_out = skipped == nobody ? size : static_cast<std::size_t>(skipped);
  for (std::size_t i = 0; i < size; ++i) {
    if (list.full_and_below(squared[i]) || i == left_out) continue;
    list.add(squared[i], i);
  }
  list.write(out);
}

}  // namespace kpb
