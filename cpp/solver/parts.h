// Where rows do not all fit the memory for rows: whether the next working set is a part of the
// points (part.h), and which one.
#pragma once

#include <cstddef>
#include <vector>

#include "solver/dual_solver.h"
#include "solver/stretch.h"
#include "solver/variables.h"

namespace kpb {

class Parts {
 public:
  Parts(const DualProblem& problem, const Variables& v);

  // Whether a solve begins with parts and avoids whole rows. Otherwise it begins with whole rows,
  // and if not all of them fit, most are found again.
  bool come_first() const;

  // Whether a part is worth more than a block of `max_block` points.
  bool pay(const Extremes& extremes, std::size_t max_block) const;

  struct Choice {
    std::vector<std::size_t> members;
    double precision;  // to which share of the gap they are to be solved
  };
  Choice next(const Extremes& extremes);

 private:
  bool are_possible() const;
  std::size_t half_of_all() const { return v_.size() / 2; }
  std::size_t size(std::size_t free) const;

  const DualProblem& problem_;
  const Variables& v_;
  StretchRecord stretches_;
};

}  // namespace kpb
