#include "threads/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
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
constexpr microseconds before_help{300};

// Helpers watch for the next pass so long before they sleep: longer than most stretches between two
// passes. They look at the clock every so many looks.
constexpr microseconds watch{200};
constexpr int looks_between_clocks = 64;

// Who has waited so many looks for the last piece lets others have the processor.
constexpr int looks_before_yield = 4096;

// Whether sharing pays is asked whenever passes have taken so long together: what they took, beside
// what they would have taken the calling thread, which its own pieces tell. If they took this much
// more, the processor has something else to do, or the memory gives no more. All teams work alone
// then, twice as long every time, up to a second, until sharing has paid for as long.
constexpr milliseconds between_questions{1};
constexpr double tolerated_loss = 1.1;
constexpr milliseconds first_time_alone{10}, longest_time_alone{1000};

class Solitude {
 public:
  bool is_on(Clock::time_point now) const { return now.time_since_epoch().count() < until_; }

  void begin(Clock::time_point now) {
    const Clock::duration length(length_.load());
    until_ = (now + length).time_since_epoch().count();
    length_ = std::min<Clock::duration>(2 * length, longest_time_alone).count();
  }

  void note_gain(Clock::time_point now) {
    if (now.time_since_epoch().count() - until_ > length_)
      length_ = Clock::duration(first_time_alone).count();
  }

 private:
  std::atomic<Clock::rep> until_{0}, length_{Clock::duration(first_time_alone).count()};
};

Solitude solitude;

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

}  // namespace

class Team::Helpers {
 public:
  explicit Helpers(std::size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {  // the system has no more; some or none will do
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
  void begin(std::size_t count, std::size_t length, const PieceWork& work) {
    pass_ = {&work, count, length, DenormalMode()};
    pieces_ = (count + length - 1) / length;
    done_.store(0, std::memory_order_relaxed);
    ticket_ = ((ticket_ | (one_pass - 1)) + 1) | pieces_;
    if (asleep_ == 0) return;
    const std::lock_guard<std::mutex> guard(lock_);
    wake_.notify_all();
  }

  // Returns false if no piece is left to take.
  bool do_piece() {
    std::uint64_t now = ticket_.load(std::memory_order_acquire);
    do {
      if (pieces_left(now) == 0) return false;
    } while (!ticket_.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel));
    pass_.mode.adopt();
    const std::size_t first = (pieces_left(now) - 1) * pass_.length;
    try {
      (*pass_.work)(first, std::min(pass_.count, first + pass_.length));
    } catch (...) {
      const std::lock_guard<std::mutex> guard(lock_);
      if (!error_) error_ = std::current_exception();
    }
    done_.fetch_add(1, std::memory_order_release);
    return true;
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
    const PieceWork* work;
    std::size_t count, length;
    DenormalMode mode;
  };

  void help() {
    while (!ended_) {
      while (do_piece()) continue;
      if (!watch_for_work()) sleep();
    }
  }

  bool is_there_work() const { return pieces_left(ticket_) > 0; }

  bool watch_for_work() const {
    const auto end = Clock::now() + watch;
    do {
      for (int look = 0; look < looks_between_clocks; ++look) {
        if (is_there_work() || ended_) return true;
        pause_briefly();
      }
    } while (Clock::now() < end);
    return false;
  }

  void sleep() {
    std::unique_lock<std::mutex> guard(lock_);
    ++asleep_;
    wake_.wait(guard, [this] { return is_there_work() || ended_; });
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

Team::Team(std::size_t threads) : threads_(threads) {}

Team::~Team() = default;

void Team::join() { older_ = std::exchange(team_of_this_thread, threads_ > 1 ? this : nullptr); }

void Team::leave() { team_of_this_thread = older_; }

Team* Team::current() { return team_of_this_thread; }

void Team::share(std::size_t count, std::size_t grain, PieceWork work) {
  const auto begun = Clock::now();
  if (solitude.is_on(begun)) return work(0, count);
  if (!helpers_ && alone_ < seconds(before_help)) {
    work(0, count);
    alone_ += seconds(Clock::now() - begun);
    return;
  }
  if (!helpers_) get_help();
  const std::size_t most = pieces_per_thread * (helpers_->size() + 1);
  const std::size_t grains = (count + grain - 1) / grain, pieces = std::min(grains, most);
  const std::size_t length = (grains + pieces - 1) / pieces * grain;
  team_of_this_thread = nullptr;  // a piece that asks for pieces does them all itself
  helpers_->begin(count, length, work);
  std::size_t own = 0;
  while (helpers_->do_piece()) ++own;
  const auto own_end = Clock::now();
  helpers_->wait_for_all();
  team_of_this_thread = this;
  const double made = static_cast<double>((count + length - 1) / length);
  alone_ += seconds(own_end - begun) * made / static_cast<double>(std::max(own, std::size_t{1}));
  spent_ += seconds(Clock::now() - begun);
  judge();
  helpers_->throw_error();
}

void Team::get_help() {
  helpers_.reset(new Helpers(threads_ - 1));
  alone_ = 0;
}

void Team::judge() {
  if (spent_ < seconds(between_questions)) return;
  if (spent_ > tolerated_loss * alone_)
    solitude.begin(Clock::now());
  else
    solitude.note_gain(Clock::now());
  spent_ = alone_ = 0;
}

}  // namespace kpb
