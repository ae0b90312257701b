// Rows of a Gram matrix that is already in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "rows/asymmetry.h"
#include "rows/gram_rows.h"
#include "rows/near_entries.h"

namespace kpb {

class DenseRows final : public GramRows {
 public:
  DenseRows(const double* gram, std::size_t size) : gram_(gram), size_(size), diagonal_(size) {
    for (std::size_t i = 0; i < size; ++i) {
      diagonal_[i] = gram[i * size + i];
      largest_diagonal_ = std::max(largest_diagonal_, std::fabs(diagonal_[i]));
    }
  }
  const double* data() const { return gram_; }
  std::size_t size() const override { return size_; }
  double diagonal(std::size_t i) const override { return diagonal_[i]; }
  Row row(std::size_t i) const override { return {gram_ + i * size_, nullptr}; }
  const NearEntries* near_entries(const std::function<bool()>& stopped) const override {
    return near_.get([&] {
      NearEntriesOfRows near(gram_, size_, largest_diagonal_);
      for (std::size_t i = 0; near.are_few() && i < size_; i += rows_per_visit) {
        if (stopped()) throw Stopped();
        near.add_rows(i, std::min(rows_per_visit, size_ - i));
      }
      return near.take();
    });
  }

  // As that of asymmetry.h, and finds the near entries in the same pass.
  double weighted_asymmetry(const std::function<void()>& pause) const {
    double found = 0;
    bool is_known = false;
    near_.get([&] {
      NearEntriesOfRows near(gram_, size_, largest_diagonal_);
      std::function<void(std::size_t, std::size_t)> visit;
      if (near.are_few())
        visit = [&near](std::size_t first, std::size_t count) { near.add_rows(first, count); };
      found = kpb::weighted_asymmetry(gram_, size_, pause, visit);
      is_known = true;
      return near.take();
    });
    return is_known ? found : kpb::weighted_asymmetry(gram_, size_, pause, {});
  }

 private:
  static_assert(rows_per_visit <= FoundEntries::most_rows, "rows are visited and searched together");

  const double* gram_;
  std::size_t size_;
  std::vector<double> diagonal_;  // in the matrix every entry of it would be a cache miss
  double largest_diagonal_ = 0;
  NearEntriesOnce near_;
};

}  // namespace kpb
