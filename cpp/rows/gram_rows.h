// A symmetric Gram matrix, read by rows. The solver knows nothing more of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace kpb {

struct NearEntries;

// One row of n doubles. `owner` keeps a computed row alive while it is in use, however full the
// cache it came from; a row of a dense matrix needs no owner.
struct Row {
  const double* values;
  std::shared_ptr<const void> owner;
};

// Implementations may be read from several threads at once.
class GramRows {
 public:
  virtual ~GramRows() = default;
  virtual std::size_t size() const = 0;
  virtual double diagonal(std::size_t i) const = 0;
  virtual Row row(std::size_t i) const = 0;

  // False where a row asked for again may have to be computed again.
  virtual bool rows_are_cheap() const { return true; }

  // Nearly all rows are going to be asked for.
  virtual void expect_all() const {}

  // The entries that matter, where they are few; null elsewhere, and if `stopped`, which is asked
  // now and then, says so.
  virtual const NearEntries* near_entries(const std::function<bool()>& stopped) const {
    (void)stopped;
    return nullptr;
  }

  // out[c] = K[i, columns[c]]; cheaper than a whole row where rows are computed on demand.
  virtual void entries(std::size_t i, const std::size_t* columns, std::size_t count,
                       double* out) const {
    const Row whole = row(i);
    for (std::size_t c = 0; c < count; ++c) out[c] = whole.values[columns[c]];
  }

  // target[t] += scale[t] * sum_c factors[c] K[points[c], t] for all t; a null scale means ones.
  // `keep`: the rows are likely to be asked for again.
  virtual void add_rows(std::size_t count, const std::size_t* points, const double* factors,
                        const double* scale, bool keep, double* target) const;

  // How many points may be in a part whose rows all fit the memory there is for rows.
  virtual std::size_t largest_part() const { return size(); }

  // Where these points stand along some line, so that entries of points far apart on it are small;
  // empty where nothing is known of that.
  virtual std::vector<double> positions(const std::vector<std::size_t>& points) const {
    (void)points;
    return {};
  }

  // Rows and columns of these points, as a matrix of its own with cheap rows. Only to be asked for
  // where the largest part is not the whole.
  virtual std::unique_ptr<GramRows> part(const std::vector<std::size_t>& points) const;
};

}  // namespace kpb
