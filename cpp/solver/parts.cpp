#include "solver/parts.h"

#include <utility>

#include "solver/working_set.h"

namespace kpb {

namespace {

// A part smaller than this has too little room around the free points.
constexpr std::size_t least_part = 2048;

// Stretches of this share of the free points still pay.
constexpr double least_stretch = 0.5;

// To which share of the gap a part is solved. More precision would be lost on a part that is about
// to change. The next stretch is another in any case, and a part that has all free points hardly
// changes once they are settled.
constexpr double part_precision = 0.1, stretch_precision = 0.03, settled_precision = 0.01;

}  // namespace

Parts::Parts(const DualProblem& problem, const Variables& v) : problem_(problem), v_(v) {}

// Not where a block is kept from a problem close to this one: little is left to change, and its
// rows are there.
bool Parts::are_possible() const {
  const std::size_t largest = problem_.gram.largest_part();
  return !problem_.block && largest >= least_part && largest < v_.size();
}

// If more than half of the points fit, the cache has most rows that blocks ask for again.
bool Parts::come_first() const {
  return are_possible() && problem_.gram.largest_part() <= half_of_all();
}

// As large as can be, but of half of the points if that has room for all free ones: the rest would
// be rows of points that stay at their bounds.
std::size_t Parts::size(std::size_t free) const {
  const std::size_t largest = problem_.gram.largest_part();
  if (largest <= half_of_all() || free > most_free_in_part(half_of_all())) return largest;
  return half_of_all();
}

// A part has room for more free points than a block, or for all; or for half of them, where
// stretches pay. With most rows in the cache blocks do as well while they have room for all.
bool Parts::pay(const Extremes& extremes, std::size_t max_block) const {
  if (!are_possible()) return false;
  const std::size_t free = v_.free_points();
  if (!come_first() && free <= max_block) return false;
  const std::size_t most = most_free_in_part(size(free));
  const double share = stretches_.pays(extremes.gap()) ? least_stretch : 1;
  return most >= max_block || share * static_cast<double>(free) <= static_cast<double>(most);
}

Parts::Choice Parts::next(const Extremes& extremes) {
  const double gap = extremes.gap();
  const std::size_t free = v_.free_points(), places = size(free);
  const bool has_room = free <= most_free_in_part(places);
  if (!has_room && stretches_.pays(gap)) {
    stretches_.add(gap);
    std::vector<std::size_t> members = next_stretch(v_, extremes, problem_.gram, places);
    if (!members.empty()) return {std::move(members), stretch_precision};
    stretches_.give_up();
  }
  const bool is_settled = has_room && gap < nearly_settled;
  return {next_part(v_, extremes, places), is_settled ? settled_precision : part_precision};
}

}  // namespace kpb
