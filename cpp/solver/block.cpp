#include "solver/block.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "threads/team.h"

namespace kpb {

namespace {
// Rows start on cache lines, and the hot loops have no tails.
constexpr std::size_t row_multiple = 8;
std::size_t rounded_up(std::size_t n) {
  return (n + row_multiple - 1) / row_multiple * row_multiple;
}

// Threads share so many newcomers at a time.
constexpr std::size_t rows_between_polls = 64;
}  // namespace

ZeroMatrix::ZeroMatrix(std::size_t stride) : aligned_(nullptr), stride_(stride) {
  if (stride == 0) return;
  constexpr std::size_t line = 64;
  std::size_t space = stride * stride * sizeof(double) + line;
  memory_.reset(std::calloc(space, 1));
  if (!memory_) throw std::bad_alloc();
  void* start = memory_.get();
  aligned_ = static_cast<double*>(std::align(line, space - line, start, space));
}

Block::Block(const GramRows& gram, std::size_t most_members)
    : gram_(gram),
      scale_(gram.size(), 1.0),
      most_members_(rounded_up(most_members)),
      slot_of_(gram.size(), empty),
      wanted_(gram.size(), 0) {}

void Block::set_scale(const double* scale) {
  std::vector<double> ratio(point_.size(), 1.0);
  for (std::size_t slot = 0; slot < point_.size(); ++slot) {
    const std::size_t i = point_[slot];
    if (i == empty) continue;
    ratio[slot] = scale_[i] == 0 ? 0 : (scale ? scale[i] : 1.0) / scale_[i];
  }
  for (std::size_t r = 0; r < point_.size(); ++r) {
    double* row = matrix_.row(r);
    for (std::size_t c = 0; c < point_.size(); ++c) row[c] *= ratio[r] * ratio[c];
  }
  factor_.rescale(scale_, scale);
  for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = scale ? scale[i] : 1.0;
}

void Block::release_all_but(const std::vector<std::size_t>& members) {
  for (std::size_t i : members) wanted_[i] = 1;
  for (std::size_t slot = 0; slot < point_.size(); ++slot) {
    const std::size_t i = point_[slot];
    if (i == empty || wanted_[i]) continue;
    slot_of_[i] = point_[slot] = empty;
    variables_.vacate(slot);
  }
  for (std::size_t i : members) wanted_[i] = 0;
}

// A matrix grows by copying, which for a moment takes both; large ones get all the room they may
// ever need at once, since memory that is not written costs nothing.
std::size_t Block::room_for(std::size_t size) const {
  for (std::size_t room : {256, 1024})
    if (size <= room) return std::min(room, std::max(size, most_members_));
  return std::max(size, most_members_);
}

// At least `newcomers` empty slots.
void Block::make_room(std::size_t newcomers) {
  const std::size_t vacant = std::count(point_.begin(), point_.end(), empty);
  if (vacant >= newcomers) return;
  const std::size_t used = point_.size();
  const std::size_t size = rounded_up(used + newcomers - vacant);
  if (size > matrix_.stride()) {
    ZeroMatrix wider(room_for(size));
    for (std::size_t slot = 0; slot < used; ++slot)
      std::memcpy(wider.row(slot), row(slot), used * sizeof(double));
    matrix_ = std::move(wider);
  }
  point_.resize(size, empty);
  variables_.resize(size);
}

// Moves the members together when many slots are empty, since the loops visit every slot. Places
// only move down, so the matrix can be packed where it is.
void Block::close_gaps(std::size_t newcomers) {
  std::vector<std::size_t> slots;
  for (std::size_t s = 0; s < point_.size(); ++s)
    if (point_[s] != empty) slots.push_back(s);
  const std::size_t members = slots.size() + newcomers;
  if (point_.size() <= members + members / 4 + row_multiple) return;

  for (std::size_t r = 0; r < slots.size(); ++r) {
    const double* from = row(slots[r]);
    double* to = matrix_.row(r);
    for (std::size_t c = 0; c < slots.size(); ++c) to[c] = from[slots[c]];
    point_[r] = point_[slots[r]];
    slot_of_[point_[r]] = r;
  }
  const std::size_t size = rounded_up(slots.size());
  point_.resize(size);
  variables_.resize(size);
  for (std::size_t s = slots.size(); s < size; ++s) {
    point_[s] = empty;
    variables_.vacate(s);
  }
}

void Block::select(const std::vector<std::size_t>& members, const Variables& all,
                   Patience& patience) {
  release_all_but(members);
  std::vector<std::size_t> newcomers;
  for (std::size_t i : members)
    if (slot_of_[i] == empty) newcomers.push_back(i);
  close_gaps(newcomers.size());
  make_room(newcomers.size());

  std::size_t slot = 0;
  for (std::size_t i : newcomers) {
    while (point_[slot] != empty) ++slot;
    slot_of_[i] = slot;
    point_[slot] = i;
  }
  fill_rows(newcomers, patience);
  copy_state(all);
}

// Q's rows and columns of the newcomers. Entries between two newcomers come with both their rows,
// so that only the columns at longer-standing members are written one by one.
void Block::fill_rows(const std::vector<std::size_t>& newcomers, Patience& patience) {
  std::vector<std::size_t> slots, points;
  for (std::size_t s = 0; s < point_.size(); ++s)
    if (point_[s] != empty) {
      slots.push_back(s);
      points.push_back(point_[s]);
    }
  for (std::size_t i : newcomers) wanted_[i] = 1;
  std::vector<std::size_t> standing;
  for (std::size_t c = 0; c < slots.size(); ++c)
    if (!wanted_[points[c]]) standing.push_back(c);
  for (std::size_t i : newcomers) wanted_[i] = 0;

  std::vector<double> scales;
  for (std::size_t i : points) scales.push_back(scale_[i]);
  const auto fill = [&](std::size_t first, std::size_t last) {
    std::vector<double> entries(points.size());
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t i = newcomers[k], own = slot_of_[i];
      gram_.entries(i, points.data(), points.size(), entries.data());
      for (std::size_t c = 0; c < points.size(); ++c) entries[c] *= scale_[i] * scales[c];
      double* row = matrix_.row(own);
      for (std::size_t c = 0; c < slots.size(); ++c) row[slots[c]] = entries[c];
      for (std::size_t c : standing) matrix_.row(slots[c])[own] = entries[c];
    }
  };
  for (std::size_t first = 0; first < newcomers.size(); first += rows_between_polls) {
    patience.poll();  // rows may have to be computed
    if (patience.stopped()) return;
    const std::size_t count = std::min(rows_between_polls, newcomers.size() - first);
    const Grain grain = grain_of(lookup_cost * points.size());
    in_pieces(count, grain, [&](std::size_t begin, std::size_t end) {
      fill(first + begin, first + end);
    });
  }
}

void Block::copy_state(const Variables& all) {
  for (std::size_t s = 0; s < point_.size(); ++s) {
    const std::size_t i = point_[s];
    if (i == empty) continue;
    variables_.lower[s] = all.lower[i];
    variables_.upper[s] = all.upper[i];
    variables_.residual[s] = all.residual[i];
    variables_.diagonal[s] = all.diagonal[i];
    variables_.set_beta(s, all.beta[i]);
  }
}

std::vector<std::size_t> Block::free_slots() const {
  std::vector<std::size_t> slots;
  for (std::size_t s = 0; s < variables_.size(); ++s)
    if (variables_.is_free(s)) slots.push_back(s);
  return slots;
}

}  // namespace kpb
