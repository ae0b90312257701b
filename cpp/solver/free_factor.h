// The Cholesky factor of a block's free part, kept from one Newton path to the next.
//
// Between two paths few points become free or cease to be, and between two rounds of boosting Q
// becomes D Q D, whose factor is D times the old one. So most rows of a factor serve many paths:
// those before the first point that is no longer free stay as they are, and of the others what
// belongs to the columns before it. Points stand in the order of their room, the distance to the
// nearer bound, so that those who leave tend to be the last ones.
#pragma once

#include <cstddef>
#include <vector>

#include "simd/aligned.h"
#include "solver/patience.h"

namespace kpb {

class Block;

class FreeFactor {
 public:
  // Makes it L L' = Q_FF + ridge on the diagonal, of the block's free points. Rows that were made
  // with a smaller ridge stay. Returns false, and knows nothing afterwards, if the matrix is not
  // positive definite or somebody said stop.
  bool update(const Block& block, double ridge, Patience& patience);

  // Multiplications that `update` would take.
  double cost_of_update(const Block& block, double ridge, std::size_t free_points) const;

  // L := D L, where D is the quotient of two scales by point.
  void rescale(const std::vector<double>& from, const double* to);

  // The points of the rows.
  const std::vector<std::size_t>& points() const { return points_; }
  std::size_t size() const { return points_.size(); }

  // x := inverse * x, where the first `zeros` entries of x are zero.
  void solve(double* x, std::size_t zeros = 0) const;

 private:
  bool stays(const Block& block, double ridge, std::size_t r) const;
  std::size_t columns_kept(const Block& block, double ridge) const;
  void move_up(const Block& block, double ridge, std::size_t columns);
  void append_newcomers(const Block& block, double ridge);
  void make_room(std::size_t kept);
  void fill(const Block& block, std::size_t newcomers, std::size_t columns);
  bool factorise_panel(std::size_t first, std::size_t from);
  bool factorise(std::size_t newcomers, std::size_t columns, Patience& patience);
  void forget();
  double* row(std::size_t r) { return lower_.get() + r * stride_; }
  const double* row(std::size_t r) const { return lower_.get() + r * stride_; }

  std::vector<std::size_t> points_;
  std::vector<double> asked_ridge_;  // by row, as it was asked for
  std::vector<double> ridge_;        // by row, as it is after scaling
  AlignedDoubles lower_;  // pages above the diagonal are never touched, and so cost no memory
  std::size_t stride_ = 0, most_rows_ = 0;
};

}  // namespace kpb
