// A part (part.h) where not all free points have room and few others are still to move: the points
// on one stretch of a line.
//
// Parts chosen by violation alone depend on the points outside of them everywhere, and it takes
// many until they agree. Where the kernel is narrow beside the length of the line, points of a
// stretch depend on others only near its two ends, so that few stretches settle them all.
#pragma once

#include <cstddef>
#include <vector>

#include "rows/gram_rows.h"
#include "solver/variables.h"

namespace kpb {

// With a gap below this few points still reach or leave their bounds.
constexpr double nearly_settled = 1;

// Up to `size` of the points that are free, or at most the gap away from leaving their bound. Of
// all stretches it is the one that violates most; the most violating pair belongs to it, too.
// Sorted. Empty where the matrix knows of no line.
std::vector<std::size_t> next_stretch(const Variables& v, const Extremes& extremes,
                                      const GramRows& gram, std::size_t size);

// Whether stretches are worth their time in a solve.
class StretchRecord {
 public:
  bool pays(double gap) const;
  // A stretch is taken at this gap.
  void add(double gap);
  void give_up() { is_slow_ = true; }

 private:
  std::vector<double> gaps_;
  int until_settled_ = 0;
  bool is_slow_ = false;
};

}  // namespace kpb
