// The Gram matrix exp(-gamma |x_i - x_j|^2) where there is room for all of it: a row is computed
// when it is first asked for, and stays. Once nearly all of them are expected to be asked for, rows
// are made in bands, which take over by symmetry what other bands have.
//
// Two threads that ask for the same row may both compute it, with the same result bit for bit; one
// of the two is kept.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "rows/gram_rows.h"
#include "rows/near_entries.h"
#include "rows/rbf_points.h"
#include "rows/row_slabs.h"

namespace kpb {

class RbfMatrix final : public GramRows {
 public:
  RbfMatrix(Points points, double gamma);

  std::size_t size() const override { return points_.size(); }
  double diagonal(std::size_t) const override { return 1.0; }
  Row row(std::size_t i) const override {
    const double* known = find(i);
    return {known ? known : make(i), nullptr};
  }
  // Reads a row that is there, or computes the entries alone.
  void entries(std::size_t i, const std::size_t* columns, std::size_t count,
               double* out) const override;
  const NearEntries* near_entries(const std::function<bool()>& stopped) const override {
    return near_.get([&] { return near_entries_of(points_, stopped); });
  }
  void expect_all() const override { expects_all_.store(true, std::memory_order_relaxed); }

  double gamma() const { return points_.gamma(); }
  std::size_t made_rows() const;

 private:
  const double* find(std::size_t i) const { return rows_[i].load(std::memory_order_acquire); }
  const double* keep(std::size_t i, double* row) const;
  const double* make(std::size_t i) const;
  void make_band(std::size_t band) const;
  std::vector<std::size_t> missing_in(std::size_t band) const;
  void take_over(const std::vector<std::size_t>& own, std::size_t band,
                 const std::vector<double*>& rows) const;
  void compute_columns(const std::vector<double>& own, std::size_t first, std::size_t last,
                       const std::vector<double*>& rows) const;
  bool is_band_made(std::size_t band) const {
    return band_made_[band].load(std::memory_order_acquire);
  }
  std::size_t bands() const;
  std::size_t first_of(std::size_t band) const;
  std::size_t last_of(std::size_t band) const;  // one past it

  RbfPoints points_;
  mutable RowSlabs slabs_;
  std::unique_ptr<std::atomic<double*>[]> rows_;  // null: not made yet
  std::unique_ptr<std::atomic<bool>[]> band_made_;
  mutable std::atomic<bool> expects_all_{false};
  NearEntriesOnce near_;
};

}  // namespace kpb
