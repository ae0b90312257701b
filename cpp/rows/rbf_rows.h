// Rows of the Gram matrix exp(-gamma |x_i - x_j|^2), computed when asked for and kept while there
// is room: the least recently used row leaves first.
//
// A row is computed outside the lock, so threads wait for each other only to look it up. Two
// threads that miss the same row both compute it, with the same result bit for bit.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "kernels/packed.h"
#include "rows/gram_rows.h"

namespace kpb {

class RbfRows final : public GramRows {
 public:
  // Copies the points, twice: in rows for single entries, and packed for whole rows.
  // Keeps as many rows as fit `cache_bytes`, and at least two, the pair of an SMO step.
  RbfRows(Points points, double gamma, std::size_t cache_bytes);

  std::size_t size() const override { return packed_.size(); }
  double diagonal(std::size_t) const override { return 1.0; }
  Row row(std::size_t i) const override;
  bool rows_are_cheap() const override { return capacity_ >= size(); }
  // Reads a cached row, or computes the entries alone; leaves the cache as it was.
  void entries(std::size_t i, const std::size_t* columns, std::size_t count,
               double* out) const override;

  double gamma() const { return gamma_; }
  std::size_t features() const { return packed_.features(); }
  std::size_t capacity() const { return capacity_; }
  std::size_t cached_rows() const;
  std::size_t hits() const;
  std::size_t misses() const;

 private:
  using Values = std::shared_ptr<double[]>;
  struct Cached {
    std::size_t index;
    Values values;
  };
  using Order = std::list<Cached>;

  const double* point(std::size_t i) const { return points_.data() + i * packed_.features(); }
  void compute(std::size_t i, double* values) const;
  void compute_entries(std::size_t i, const std::size_t* columns, std::size_t count,
                       double* out) const;
  // These expect the lock to be held.
  Values find(std::size_t i) const;
  void keep(std::size_t i, const Values& values) const;
  Values drop_oldest() const;
  Values room_for_one() const;  // the memory of the oldest row if the cache is full

  std::vector<double> points_;
  PackedPoints packed_;
  double gamma_;
  std::size_t capacity_;

  mutable std::mutex lock_;
  mutable Order order_;  // most recently used first
  mutable std::unordered_map<std::size_t, Order::iterator> where_;
  mutable std::size_t hits_ = 0;
  mutable std::size_t misses_ = 0;
};

}  // namespace kpb
