// Threads that share the passes of one piece of work.
//
// While a thread has a team, loops that ask for it are split among the team; without one they run
// as they are. Pieces do not depend on each other, and no number depends on where a piece begins,
// so that results are the same, bit for bit. A pass takes ten microseconds and more, handing half
// of it over less than one: helpers watch for work for a while before they go to sleep. Where
// sharing does not pay, because the processor has something else to do, threads work alone for some
// time.
#pragma once

#include <cstddef>
#include <memory>

namespace kpb {

// What is to be done for [first, last). Several threads may call it at the same time.
class PieceWork {
 public:
  template <class Work>
  explicit PieceWork(const Work& work)
      : work_(&work), call_([](const void* own, std::size_t first, std::size_t last) {
          (*static_cast<const Work*>(own))(first, last);
        }) {}
  void operator()(std::size_t first, std::size_t last) const { call_(work_, first, last); }

 private:
  const void* work_;
  void (*call_)(const void*, std::size_t, std::size_t);
};

class Team {
 public:
  explicit Team(std::size_t threads);  // with the one that calls; the others start when needed
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Becomes that of the calling thread, and is it no longer: the thread then has the one it had
  // before.
  void join();
  void leave();

  // That of the calling thread; null if it works alone.
  static Team* current();

  // All of [0, count), in pieces of multiples of `grain`. An exception of one of them is thrown
  // when all are done.
  void share(std::size_t count, std::size_t grain, PieceWork work);

 private:
  class Helpers;
  void get_help();
  void judge();

  std::size_t threads_;
  Team* older_ = nullptr;
  std::unique_ptr<Helpers> helpers_;
  double spent_ = 0, alone_ = 0;  // seconds of passes: as they were, and if nobody had helped
};

// What is worth handing over: so many numbers take some microseconds to read and to add up.
// One that is looked up takes the time of four.
constexpr std::size_t numbers_worth_sharing = 16384, lookup_cost = 4;

// The fewest things of so many numbers each that are worth it, a multiple of `of`.
inline std::size_t grain_of(std::size_t numbers, std::size_t of = 1) {
  return (numbers_worth_sharing / (numbers + 1) / of + 1) * of;
}

// Work on [0, count), split where the thread has a team and there is more of it than `grain`.
template <class Work>
void in_pieces(std::size_t count, std::size_t grain, const Work& work) {
  Team* team = count > grain ? Team::current() : nullptr;
  if (team)
    team->share(count, grain, PieceWork(work));
  else if (count > 0)
    work(0, count);
}

}  // namespace kpb
