// Rows of the Gram matrix exp(-gamma |x_i - x_j|^2), computed when asked for and kept while there
// is room: the least recently used row leaves first.
//
// A row is computed outside the lock, so threads wait for each other only to look it up. Two
// threads that miss the same row both compute it, with the same result bit for bit.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rows/gram_rows.h"
#include "rows/rbf_points.h"

namespace kpb {

class RbfRows final : public GramRows {
 public:
  // Keeps as many rows as fit `cache_bytes`, and at least two, the pair of an SMO step.
  // `in_parts`: whether it may be divided into parts.
  RbfRows(Points points, double gamma, std::size_t cache_bytes, bool in_parts);
  ~RbfRows() override;

  std::size_t size() const override { return points_.size(); }
  double diagonal(std::size_t) const override { return 1.0; }
  Row row(std::size_t i) const override;
  bool rows_are_cheap() const override { return capacity_ >= size(); }
  // Reads a cached row, or computes the entries alone; leaves the cache as it was.
  void entries(std::size_t i, const std::size_t* columns, std::size_t count,
               double* out) const override;
  // Rows that are not to be kept are computed in pieces, faster than one by one.
  void add_rows(std::size_t count, const std::size_t* points, const double* factors,
                const double* scale, bool keep, double* target) const override;
  std::size_t largest_part() const override;
  std::vector<double> positions(const std::vector<std::size_t>& points) const override {
    return points_.positions(points);
  }
  // A part has all the memory of the whole for its rows; the whole gives up rows of its own. Parts
  // that live at the same time, of solves in several threads, share it: they then compute some rows
  // again. A part that has all its rows already keeps them, so that k of them may have
  // 1 + 1/2 + ... + 1/k times the memory.
  std::unique_ptr<GramRows> part(const std::vector<std::size_t>& points) const override;

  double gamma() const { return points_.gamma(); }
  std::size_t features() const { return points_.features(); }
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

  // Parts of one matrix are counted while they live, and leave their memory to the next: fresh
  // pages take time. If whole rows need some of it, all of it goes back: between short rows that
  // stay there is no room for long ones.
  struct Parts {
    void drop_spare_above(std::size_t most_doubles);

    std::atomic<std::size_t> alive{0};
    std::mutex lock;
    std::vector<Values> spare;
    std::size_t spare_length = 0;
  };
  class PartOfWhole {
   public:
    PartOfWhole() = default;
    explicit PartOfWhole(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {
      ++parts_->alive;
    }
    PartOfWhole(PartOfWhole&&) = default;
    ~PartOfWhole() {
      if (parts_) --parts_->alive;
    }
    // Among how many the memory is divided; 1 for a matrix that is no part.
    std::size_t sharers() const { return parts_ ? parts_->alive.load() : 1; }
    // A row of this length that an earlier part has left, or null.
    Values take_spare(std::size_t length) const;
    void leave_spare(Values row, std::size_t length) const;

   private:
    std::shared_ptr<Parts> parts_;
  };

  RbfRows(Points points, double gamma, std::size_t cache_bytes, bool in_parts,
          PartOfWhole part_of_whole);
  void leave_room_for(std::size_t doubles) const;
  // These expect the lock to be held.
  std::size_t rows_to_keep() const;
  Values find(std::size_t i) const;
  void keep(std::size_t i, const Values& values) const;
  Values drop_oldest() const;
  Values room_for_one() const;  // the memory of the oldest row if the cache is full
  static bool nobody_reads(const Values& row);

  RbfPoints points_;
  std::size_t cache_bytes_;
  std::size_t capacity_;
  bool in_parts_;
  std::shared_ptr<Parts> parts_;  // of this matrix
  PartOfWhole part_of_whole_;     // what this matrix is

  mutable std::mutex lock_;
  mutable Order order_;  // most recently used first
  mutable std::unordered_map<std::size_t, Order::iterator> where_;
  mutable std::size_t hits_ = 0;
  mutable std::size_t misses_ = 0;
};

}  // namespace kpb
