#include "threads/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "simd/flush_denormals.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kpb {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// Two pieces a thread, so that others can do more where one is late.
constexpr std::size_t pieces_per_thread = 2;

// To start a thread takes a tenth of this: the shortest computations do without.
constexpr microseconds time_before_help{300};

// Helpers watch for the next pass so long before they sleep: longer than most stretches between two
// passes. They look at the clock every so many looks.
constexpr microseconds watch{200};
constexpr int looks_between_clocks = 64;

// Looks at pieces of others before this thread offers its processor to them.
constexpr int looks_before_yield = 4096;

// Whether sharing pays is asked whenever passes have taken so long together: what they took, beside
// what they would have taken the calling thread, judged by its own pieces. If they took this much
// more, helpers keep it waiting, and all teams work alone: at first for ten milliseconds, and twice
// as long after every further loss.
constexpr milliseconds between_questions{1};
constexpr double tolerated_loss = 1.1;
constexpr milliseconds first_pause{10}, longest_pause{1000};

class Backoff {
 public:
  bool is_on(Clock::time_point now) const { return now.time_since_epoch().count() < until_; }

  // Several teams that lose at the same time count as one.
  void note_loss(Clock::time_point now) {
    if (is_on(now)) return;
    const Clock::duration length(length_.load());
    until_ = (now + length).time_since_epoch().count();
    length_ = std::min<Clock::duration>(2 * length, longest_pause).count();
  }

  // After so long without a loss the next pause will be half as long.
  void note_gain(Clock::time_point now) {
    const Clock::rep then = now.time_since_epoch().count(), length = length_;
    if (then - until_ <= length) return;
    until_ = then;
    length_ = std::max(length / 2, Clock::duration(first_pause).count());
  }

 private:
  std::atomic<Clock::rep> until_{0};  // the end of the last pause, or when it was last halved
  std::atomic<Clock::rep> length_{Clock::duration(first_pause).count()};  // of the next one
};

Backoff backoff;

double seconds(Clock::duration length) { return std::chrono::duration<double>(length).count(); }

void pause_briefly() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

thread_local Team* team_of_this_thread = nullptr;

// A ticket tells in its lower half how many pieces of a pass are left, in its upper half which pass
// it is: who takes a piece changes both at once, so that nobody takes one of a pass that is over.
constexpr std::uint64_t one_pass = std::uint64_t{1} << 32;
std::size_t pieces_left(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket); }

std::size_t rounded_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

class Team::Helpers {
 public:
  explicit Helpers(std::size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { help(); });
    } catch (const std::exception&) {  // the system has no more; some or none will do
    }
  }

  ~Helpers() {
    {
      const std::lock_guard<std::mutex> guard(lock_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& each : threads_) each.join();
  }

  std::size_t size() const { return threads_.size(); }

  // Either the helper that goes to sleep sees the ticket, or this sees that somebody sleeps.
  void begin(std::size_t count, std::size_t length, const Piece& piece) {
    pass_ = {&piece, count, length, DenormalMode()};
    pieces_ = (count + length - 1) / length;
    done_.store(0, std::memory_order_relaxed);
    ticket_ = ((ticket_ | (one_pass - 1)) + 1) | pieces_;
    if (asleep_ == 0) return;
    const std::lock_guard<std::mutex> guard(lock_);
    wake_.notify_all();
  }

  // Returns how long the piece was; 0 if none was left to take.
  std::size_t do_piece() {
    std::uint64_t now = ticket_.load(std::memory_order_acquire);
    do {
      if (pieces_left(now) == 0) return 0;
    } while (!ticket_.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel));
    const std::size_t first = (pieces_left(now) - 1) * pass_.length;
    const std::size_t last = std::min(pass_.count, first + pass_.length);
    pass_.mode.adopt();
    try {
      (*pass_.piece)(first, last);
    } catch (...) {
      const std::lock_guard<std::mutex> guard(lock_);
      if (!error_) error_ = std::current_exception();
    }
    done_.fetch_add(1, std::memory_order_release);
    return last - first;
  }

  void wait_for_all() const {
    for (int look = 0; done_.load(std::memory_order_acquire) < pieces_; ++look) {
      pause_briefly();
      if (look > looks_before_yield) std::this_thread::yield();
    }
  }

  void throw_error() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  // Written before there is a ticket for it, and again only when all its pieces are done.
  struct Pass {
    const Piece* piece;
    std::size_t count, length;
    DenormalMode mode;
  };

  void help() {
    while (!ended_) {
      while (do_piece() > 0) continue;
      if (!watch_for_pass()) sleep();
    }
  }

  bool is_there_one() const { return pieces_left(ticket_) > 0; }

  bool watch_for_pass() const {
    const auto end = Clock::now() + watch;
    do {
      for (int look = 0; look < looks_between_clocks; ++look) {
        if (is_there_one() || ended_) return true;
        pause_briefly();
      }
    } while (Clock::now() < end);
    return false;
  }

  void sleep() {
    std::unique_lock<std::mutex> guard(lock_);
    ++asleep_;
    wake_.wait(guard, [this] { return is_there_one() || ended_; });
    --asleep_;
  }

  Pass pass_ = {};
  std::size_t pieces_ = 0;
  alignas(64) std::atomic<std::uint64_t> ticket_{0};
  alignas(64) std::atomic<std::size_t> done_{0};
  alignas(64) std::atomic<int> asleep_{0};
  std::atomic<bool> ended_{false};
  std::mutex lock_;
  std::condition_variable wake_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

void use_team(Team* team) { team_of_this_thread = team; }

Team* team_in_use() { return team_of_this_thread; }

Team::Team(std::size_t threads, bool always) : threads_(threads), always_(always) {}

Team::~Team() = default;

void Team::end() { helpers_.reset(); }

void Team::share(std::size_t count, Grain grain, const Piece& piece) {
  const auto begun = Clock::now();
  if (works_alone()) {
    piece(0, count);
    if (!helpers_) before_help_ += seconds(Clock::now() - begun);
    return;
  }
  if (!helpers_) helpers_.reset(new Helpers(threads_ - 1));
  const std::size_t most = pieces_per_thread * (helpers_->size() + 1);
  const std::size_t pieces = std::min(std::max(count / grain.least, std::size_t{1}), most);
  const std::size_t length = rounded_up((count + pieces - 1) / pieces, grain.multiple);
  team_of_this_thread = nullptr;  // a piece that asks for pieces does them all itself
  helpers_->begin(count, length, piece);
  const auto own_begun = Clock::now();
  std::size_t own = 0;
  while (const std::size_t done = helpers_->do_piece()) own += done;
  const auto own_end = Clock::now();
  helpers_->wait_for_all();
  team_of_this_thread = this;
  ++shared_passes_;
  if (own > 0)
    judge(seconds(Clock::now() - begun), seconds(own_end - own_begun) *
                                             static_cast<double>(count) / static_cast<double>(own));
  helpers_->throw_error();
}

bool Team::works_alone() {
  if (threads_ < 2) return true;
  if (always_) return false;
  if (!helpers_ && before_help_ < seconds(time_before_help)) return true;
  if (!backoff.is_on(Clock::now())) return false;
  spent_ = alone_ = 0;
  return true;
}

void Team::judge(double spent, double alone) {
  spent_ += spent;
  alone_ += alone;
  if (spent_ < seconds(between_questions)) return;
  if (spent_ > tolerated_loss * alone_)
    backoff.note_loss(Clock::now());
  else
    backoff.note_gain(Clock::now());
  spent_ = alone_ = 0;
}

}  // namespace kpb
