#include "rows/rbf_rows.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "simd/hot.h"
#include "threads/team.h"

namespace kpb {
namespace {

constexpr std::size_t least_rows = 2;
std::size_t rows_that_fit(std::size_t size, std::size_t cache_bytes) {
  const std::size_t row_bytes = panels_for(size) * panel_width * sizeof(double);
  return std::max(least_rows, cache_bytes / row_bytes);
}

}  // namespace

RbfRows::RbfRows(Points points, double gamma, std::size_t cache_bytes, bool in_parts)
    : RbfRows(points, gamma, cache_bytes, in_parts, PartOfWhole()) {}

RbfRows::RbfRows(Points points, double gamma, std::size_t cache_bytes, bool in_parts,
                 PartOfWhole part_of_whole)
    : points_(points, gamma),
      cache_bytes_(cache_bytes),
      capacity_(rows_that_fit(points.size, cache_bytes)),
      in_parts_(in_parts),
      parts_(std::make_shared<Parts>()),
      part_of_whole_(std::move(part_of_whole)) {}

RbfRows::~RbfRows() {
  for (Cached& row : order_)
    if (nobody_reads(row.values))
      part_of_whole_.leave_spare(std::move(row.values), points_.row_length());
}

void RbfRows::Parts::drop_spare_above(std::size_t most_doubles) {
  const std::lock_guard<std::mutex> guard(lock);
  if (spare.size() * spare_length > most_doubles) spare.clear();
}

RbfRows::Values RbfRows::PartOfWhole::take_spare(std::size_t length) const {
  if (!parts_) return nullptr;
  const std::lock_guard<std::mutex> guard(parts_->lock);
  if (parts_->spare_length != length) parts_->spare.clear();
  if (parts_->spare.empty()) return nullptr;
  const Values row = std::move(parts_->spare.back());
  parts_->spare.pop_back();
  return row;
}

void RbfRows::PartOfWhole::leave_spare(Values row, std::size_t length) const {
  if (!parts_) return;
  const std::lock_guard<std::mutex> guard(parts_->lock);
  if (parts_->spare_length != length) parts_->spare.clear();
  parts_->spare_length = length;
  try {
    parts_->spare.push_back(std::move(row));
  } catch (const std::bad_alloc&) {  // called by a destructor; the row is freed then
  }
}

std::size_t RbfRows::rows_to_keep() const {
  return std::max(least_rows, capacity_ / (part_of_whole_.sharers() + parts_->alive.load()));
}

RbfRows::Values RbfRows::find(std::size_t i) const {
  const auto found = where_.find(i);
  return found == where_.end() ? nullptr : found->second->values;
}

void RbfRows::keep(std::size_t i, const Values& values) const {
  order_.push_front({i, values});
  where_[i] = order_.begin();
  while (order_.size() > rows_to_keep()) drop_oldest();
}

RbfRows::Values RbfRows::drop_oldest() const {
  Values values = std::move(order_.back().values);
  where_.erase(order_.back().index);
  order_.pop_back();
  return values;
}

// Nobody can begin to read it either, if the cache was the only way to it. The fence orders the
// last reader's reads before what is written next.
bool RbfRows::nobody_reads(const Values& row) {
  if (row.use_count() > 1) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

RbfRows::Values RbfRows::room_for_one() const {
  if (order_.size() >= rows_to_keep()) {
    const Values oldest = drop_oldest();
    if (nobody_reads(oldest)) return oldest;
  }
  const std::size_t used = (order_.size() + 1) * points_.row_length();
  parts_->drop_spare_above(std::max(cache_bytes_ / sizeof(double), used) - used);
  const Values spare = part_of_whole_.take_spare(points_.row_length());
  return spare ? spare : Values(aligned_doubles(points_.row_length()));
}

Row RbfRows::row(std::size_t i) const {
  Values values;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if ((values = find(i))) {
      ++hits_;
      order_.splice(order_.begin(), order_, where_[i]);
      return {values.get(), values};
    }
    ++misses_;
    values = room_for_one();
  }
  points_.compute_row(i, values.get());
  const std::lock_guard<std::mutex> guard(lock_);
  if (const Values earlier = find(i)) {
    values = earlier;  // another thread was faster; one copy is enough
  } else {
    keep(i, values);
  }
  return {values.get(), values};
}

void RbfRows::entries(std::size_t i, const std::size_t* columns, std::size_t count,
                      double* out) const {
  Values known;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    known = find(i);
  }
  if (known) {
    for (std::size_t c = 0; c < count; ++c) out[c] = known[columns[c]];
    return;
  }
  points_.compute_entries(i, columns, count, out);
}

void RbfRows::add_rows(std::size_t count, const std::size_t* points, const double* factors,
                       const double* scale, bool keep, double* target) const {
  if (keep) return GramRows::add_rows(count, points, factors, scale, keep, target);
  constexpr std::size_t tile_rows = RbfPoints::tile_rows;
  constexpr std::size_t piece = RbfPoints::piece_panels * panel_width;
  const std::vector<double> own = points_.copies_of(points, count);
  in_pieces(size(), Grain{piece, panel_width}, [&](std::size_t begin, std::size_t end) {
    double values[tile_rows * piece];
    for (std::size_t first = begin; first < end; first += piece) {
      const std::size_t panels = panels_for(std::min(piece, end - first));
      const std::size_t stride = panels * panel_width;
      for (std::size_t c = 0; c < count; c += tile_rows) {
        const std::size_t rows = std::min(tile_rows, count - c);
        points_.compute_piece(own.data() + c * features(), rows, first / panel_width, panels,
                              values);
        const double* tile[tile_rows];
        for (std::size_t r = 0; r < tile_rows; ++r) tile[r] = values + r * stride;
        hot().dense.add_rows(std::min(stride, end - first), rows, tile, factors + c,
                             scale ? scale + first : nullptr, target + first);
      }
    }
  });
}

// With a whole number of panels in a row, none of its memory is padding.
std::size_t RbfRows::largest_part() const {
  if (rows_are_cheap() || !in_parts_) return size();
  const double side = std::sqrt(static_cast<double>(cache_bytes_ / sizeof(double)));
  return static_cast<std::size_t>(side) / panel_width * panel_width;
}

void RbfRows::leave_room_for(std::size_t doubles) const {
  const std::lock_guard<std::mutex> guard(lock_);
  const std::size_t all = cache_bytes_ / sizeof(double);
  while (!order_.empty() && order_.size() * points_.row_length() + doubles > all) drop_oldest();
}

std::unique_ptr<GramRows> RbfRows::part(const std::vector<std::size_t>& points) const {
  leave_room_for(points.size() * panels_for(points.size()) * panel_width);
  const std::vector<double> own = points_.copies_of(points.data(), points.size());
  return std::unique_ptr<GramRows>(new RbfRows({own.data(), points.size(), features()}, gamma(),
                                               cache_bytes_, false, PartOfWhole(parts_)));
}

std::size_t RbfRows::cached_rows() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return order_.size();
}

std::size_t RbfRows::hits() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return hits_;
}

std::size_t RbfRows::misses() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return misses_;
}

}  // namespace kpb
