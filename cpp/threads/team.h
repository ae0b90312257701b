// Threads that share the passes of one computation.
//
// While a thread uses a team, loops that ask for it are split among the team; without one they run
// as they are. Pieces do not depend on each other, and no number depends on where a piece begins,
// so that results are the same, bit for bit. A pass takes ten microseconds and more, handing half
// of it over less than one: helpers watch for passes for a while before they go to sleep. Where
// sharing does not pay, because the processors have something else to do, threads work alone for
// some time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace kpb {

// What is worth handing over: so many numbers take some microseconds to read and to add up. One that
// is looked up takes the time of four.
constexpr std::size_t numbers_worth_sharing = 8192, lookup_cost = 4;

// How a loop is cut: the least that a piece has, and what its length is a multiple of.
struct Grain {
  std::size_t least, multiple;
};

// Of a loop over things of so many numbers each.
inline Grain grain_of(std::size_t numbers, std::size_t multiple = 1) {
  return {numbers_worth_sharing / (numbers + 1) + 1, multiple};
}

class Team {
 public:
  using Piece = std::function<void(std::size_t first, std::size_t last)>;

  // The calling thread is one of them; the others start when needed. `always`: whether it pays or
  // not, for tests.
  explicit Team(std::size_t threads, bool always = false);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // All of [0, count). An exception of a piece is thrown when all are done.
  void share(std::size_t count, Grain grain, const Piece& piece);

  // Helpers end; a pass that is shared later starts new ones.
  void end();

  std::size_t shared_passes() const { return shared_passes_; }

 private:
  class Helpers;
  bool works_alone();
  void judge(double spent, double alone);

  std::size_t threads_;
  bool always_;
  std::unique_ptr<Helpers> helpers_;
  std::size_t shared_passes_ = 0;
  double before_help_ = 0;        // seconds of passes until helpers start
  double spent_ = 0, alone_ = 0;  // seconds of passes: as they were, and as of one thread
};

// The team that the calling thread uses from now on; null: it works alone. A team must live for as
// long as it is used.
void use_team(Team* team);
Team* team_in_use();

// Work on [0, count), shared where the thread uses a team and there is enough of it for two.
template <class Work>
void in_pieces(std::size_t count, Grain grain, const Work& work) {
  Team* team = count >= 2 * grain.least ? team_in_use() : nullptr;
  if (team)
    team->share(count, grain, std::cref(work));
  else if (count > 0)
    work(0, count);
}

}  // namespace kpb
