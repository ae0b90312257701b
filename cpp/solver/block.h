// A working set with its compact, cache-resident copy of Q.
//
// Points keep their place ("slot") while they stay, so that a change of the working set costs
// one row and column per newcomer and nothing for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "rows/gram_rows.h"
#include "solver/free_factor.h"
#include "solver/patience.h"
#include "solver/variables.h"

namespace kpb {

// A square matrix of zeros whose pages cost nothing until they are written.
class ZeroMatrix {
 public:
  explicit ZeroMatrix(std::size_t stride = 0);
  double* row(std::size_t r) { return aligned_ + r * stride_; }
  const double* row(std::size_t r) const { return aligned_ + r * stride_; }
  std::size_t stride() const { return stride_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_;
  double* aligned_;
  std::size_t stride_;
};

class Block {
 public:
  // `most_members` is how large a working set is expected to become.
  Block(const GramRows& gram, std::size_t most_members);

  // From now on Q = diag(scale) K diag(scale); null: ones. What is copied already is multiplied,
  // not read again.
  void set_scale(const double* scale);

  // Makes the working set be `members` (distinct points) and copies their state from `all`. Of no
  // use afterwards if patience was stopped meanwhile.
  void select(const std::vector<std::size_t>& members, const Variables& all, Patience& patience);

  Variables& variables() { return variables_; }
  const Variables& variables() const { return variables_; }
  const double* row(std::size_t slot) const { return matrix_.row(slot); }

  // The point in a slot, or `empty`.
  std::size_t point(std::size_t slot) const { return point_[slot]; }
  static constexpr std::size_t empty = static_cast<std::size_t>(-1);

  // The slot of a point, or `empty`.
  std::size_t slot(std::size_t point) const { return slot_of_[point]; }

  // Slots that hold a free variable, in order.
  std::vector<std::size_t> free_slots() const;

  // Of Q's free part, as of its last update.
  FreeFactor& factor() { return factor_; }

 private:
  void release_all_but(const std::vector<std::size_t>& members);
  void close_gaps(std::size_t newcomers);
  std::size_t room_for(std::size_t size) const;
  void make_room(std::size_t newcomers);
  void fill_rows(const std::vector<std::size_t>& newcomers, Patience& patience);
  void copy_state(const Variables& all);

  const GramRows& gram_;
  std::vector<double> scale_;
  std::size_t most_members_;
  std::vector<std::size_t> slot_of_;  // by point; `empty` where not a member
  std::vector<std::size_t> point_;    // by slot
  std::vector<std::uint8_t> wanted_;  // scratch, by point
  Variables variables_;               // by slot; empty slots are closed
  ZeroMatrix matrix_;                 // Q of the slots
  FreeFactor factor_;
};

}  // namespace kpb
