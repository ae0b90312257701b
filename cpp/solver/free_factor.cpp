#include "solver/free_factor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simd/hot.h"
#include "solver/block.h"
#include "threads/team.h"

namespace kpb {

namespace {

// A factor whose first half cannot stay is made anew, in the order of today's room.
constexpr double least_share_kept = 0.5;

// Rows may have up to this many times the ridge asked for. A row whose scale has fallen to less
// than a thousandth, and its ridge to less than a millionth, is made anew: the inverse could
// overflow.
constexpr double tolerated_ridge = 2, least_share_of_ridge = 1e-6;

// Room for so many times the rows that are needed now.
constexpr double spare_room = 1.25;

// Rows of a panel that threads share come in whole tiles of its loops, in which so many
// multiplications take the time of a number that is read.
constexpr std::size_t rows_of_tiles = 24, multiplications_per_read = 4;

std::size_t to_end_of_panel(std::size_t n) {
  return (n + cholesky_panel_width - 1) / cholesky_panel_width * cholesky_panel_width;
}

double room(const Variables& v, std::size_t slot) {
  return std::min(v.upper[slot] - v.beta[slot], v.beta[slot] - v.lower[slot]);
}

}  // namespace

bool FreeFactor::update(const Block& block, double ridge, Patience& patience) {
  const std::size_t columns = columns_kept(block, ridge);
  move_up(block, ridge, columns);
  const std::size_t newcomers = size();
  append_newcomers(block, ridge);
  make_room(newcomers);
  fill(block, newcomers, columns);
  if (factorise(newcomers, columns, patience)) return true;
  forget();
  return false;
}

double FreeFactor::cost_of_update(const Block& block, double ridge, std::size_t free_points) const {
  const std::size_t columns = columns_kept(block, ridge);
  std::size_t rows = 0;
  for (std::size_t r = 0; columns > 0 && r < size(); ++r) rows += stays(block, ridge, r);
  const double p = static_cast<double>(columns), redone = static_cast<double>(free_points) - p;
  const double newcomers = static_cast<double>(free_points) - static_cast<double>(rows);
  return 0.5 * newcomers * p * p + 0.5 * redone * redone * p + redone * redone * redone / 6;
}

// Whether the point of a row is still free, and the row's ridge suitable.
bool FreeFactor::stays(const Block& block, double ridge, std::size_t r) const {
  const std::size_t slot = block.slot(points_[r]);
  return slot != Block::empty && block.variables().is_free(slot) &&
         ridge_[r] <= tolerated_ridge * ridge &&
         ridge_[r] >= least_share_of_ridge * asked_ridge_[r];
}

// Whole panels of columns, up to the first row that does not stay; none if they are too few.
std::size_t FreeFactor::columns_kept(const Block& block, double ridge) const {
  std::size_t r = 0;
  while (r < size() && stays(block, ridge, r)) ++r;
  const std::size_t columns = r / cholesky_panel_width * cholesky_panel_width;
  const double least = least_share_kept * static_cast<double>(size());
  return static_cast<double>(columns) < least ? 0 : columns;
}

// What stays of the rows comes together at the top.
void FreeFactor::move_up(const Block& block, double ridge, std::size_t columns) {
  std::size_t to = 0;
  for (std::size_t from = 0; columns > 0 && from < size(); ++from) {
    if (!stays(block, ridge, from)) continue;
    points_[to] = points_[from];
    asked_ridge_[to] = asked_ridge_[from];
    ridge_[to] = ridge_[from];
    if (from != to) std::memcpy(row(to), row(from), columns * sizeof(double));
    ++to;
  }
  points_.resize(to);
  asked_ridge_.resize(to);
  ridge_.resize(to);
}

void FreeFactor::append_newcomers(const Block& block, double ridge) {
  const Variables& v = block.variables();
  std::vector<char> known(v.size(), 0);
  for (std::size_t point : points_) known[block.slot(point)] = 1;
  std::vector<std::size_t> newcomers;
  for (std::size_t slot : block.free_slots())
    if (!known[slot]) newcomers.push_back(slot);
  std::sort(newcomers.begin(), newcomers.end(), [&](std::size_t a, std::size_t b) {
    const double room_a = room(v, a), room_b = room(v, b);
    return room_a > room_b || (room_a == room_b && block.point(a) < block.point(b));
  });
  for (std::size_t slot : newcomers) points_.push_back(block.point(slot));
  asked_ridge_.resize(size(), ridge);
  ridge_.resize(size(), ridge);
}

void FreeFactor::make_room(std::size_t kept) {
  if (size() <= most_rows_) return;
  const auto rows = static_cast<std::size_t>(spare_room * static_cast<double>(size()));
  const std::size_t stride = to_end_of_panel(rows);
  AlignedDoubles wider = aligned_doubles(rows * stride);
  for (std::size_t r = 0; r < kept; ++r)
    std::memcpy(wider.get() + r * stride, row(r), to_end_of_panel(r + 1) * sizeof(double));
  lower_ = std::move(wider);
  stride_ = stride;
  most_rows_ = rows;
}

// Q's entries where the factor is to be made: the columns from `columns` on, and all of newcomers.
void FreeFactor::fill(const Block& block, std::size_t newcomers, std::size_t columns) {
  std::vector<std::size_t> slots;
  for (std::size_t point : points_) slots.push_back(block.slot(point));
  const Grain grain = grain_of(lookup_cost * size());
  in_pieces(size() - columns, grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = columns + first; r < columns + last; ++r) {
      const double* q = block.row(slots[r]);
      double* own = row(r);
      for (std::size_t c = r < newcomers ? columns : 0; c <= r; ++c) own[c] = q[slots[c]];
      own[r] += ridge_[r];
      std::fill(own + r + 1, own + to_end_of_panel(r + 1), 0.0);  // the panel's loops pass over it
    }
  });
}

bool FreeFactor::factorise(std::size_t newcomers, std::size_t columns, Patience& patience) {
  for (std::size_t first = 0; first < size(); first += cholesky_panel_width) {
    const std::size_t from = first < columns ? newcomers : first;
    if (from >= size()) continue;
    if (!factorise_panel(first, from)) return false;
    patience.poll();
    if (patience.stopped()) return false;
  }
  return true;
}

// The corner first; the rows below it do not need each other.
bool FreeFactor::factorise_panel(std::size_t first, std::size_t from) {
  const auto factor_rows = [&](std::size_t begin, std::size_t end) {
    return hot().dense.cholesky_panel(end, first, begin, lower_.get(), stride_);
  };
  const std::size_t corner = std::min(first + cholesky_panel_width, size());
  if (from == first && !factor_rows(first, corner)) return false;
  const std::size_t below = std::max(from, corner);
  const std::size_t per_row = cholesky_panel_width * corner / multiplications_per_read;
  const Grain grain = grain_of(per_row, rows_of_tiles);
  in_pieces(size() - below, grain, [&](std::size_t begin, std::size_t end) {
    factor_rows(below + begin, below + end);
  });
  return true;
}

void FreeFactor::rescale(const std::vector<double>& from, const double* to) {
  for (std::size_t r = 0; r < size(); ++r) {
    const double before = from[points_[r]], now = to ? to[points_[r]] : 1.0;
    const double d = before == 0 ? 0.0 : now / before;
    for (std::size_t c = 0; c <= r; ++c) row(r)[c] *= d;
    ridge_[r] *= d * d;
  }
}

void FreeFactor::solve(double* x, std::size_t zeros) const {
  hot().dense.solve_lower(size(), zeros, lower_.get(), stride_, x);
  hot().dense.solve_upper(size(), lower_.get(), stride_, x);
}

void FreeFactor::forget() {
  points_.clear();
  asked_ridge_.clear();
  ridge_.clear();
}

}  // namespace kpb
