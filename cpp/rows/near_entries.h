// The entries of a Gram matrix that matter where the kernel is narrow: points hardly touch each
// other then, and all but a few entries of a row are so close to zero that they are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "rows/rbf_points.h"

namespace kpb {

struct NearEntries {
  std::vector<std::size_t> begin;      // of each row's entries; one more tells where the last end
  std::vector<std::uint32_t> columns;  // ascending within a row
  std::vector<double> values;
  double largest_left_out;  // no entry that is not here is larger

  // out[t] += factor * K[i, t]
  void add_row(std::size_t i, double factor, double* out) const;
};

// Those of a matrix in memory, as its rows are read.
class NearEntriesOfRows {
 public:
  NearEntriesOfRows(const double* matrix, std::size_t size, double largest_diagonal);

  bool are_few() const { return found_ != nullptr; }  // as far as is known
  void add_row(std::size_t i);                        // one after the other
  std::unique_ptr<const NearEntries> take() { return std::move(found_); }  // null: not few

 private:
  const double* matrix_;
  std::size_t size_, most_ = 0;
  std::unique_ptr<NearEntries> found_;
  std::vector<std::uint32_t> columns_;  // of a row
  std::vector<double> values_;
};

// Those of exp(-gamma |x_i - x_j|^2), half of which is computed for it and not kept. Null where they
// are not few.
std::unique_ptr<const NearEntries> near_entries_of(const RbfPoints& points);

// Found when first asked for, and kept. Threads may ask at the same time.
class NearEntriesOnce {
 public:
  template <class Find>
  const NearEntries* get(Find find) const {
    std::call_once(once_, [&] { found_ = find(); });
    return found_.get();
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const NearEntries> found_;
};

}  // namespace kpb
