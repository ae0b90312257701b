// How long a solve may go on: a number of steps, and until somebody says stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace kpb {

class Patience {
 public:
  Patience(std::int64_t max_steps, std::function<bool()> interrupted)
      : steps_left_(max_steps), interrupted_(std::move(interrupted)) {}

  bool at_end() const { return steps_left_ <= 0 || stopped_; }
  bool stopped() const { return stopped_; }
  std::int64_t spent() const { return spent_; }
  std::int64_t steps_left() const { return steps_left_; }

  void spend(std::int64_t steps) {
    steps_left_ -= steps;
    spent_ += steps;
  }

  // Asks whether to stop, at most every 50 ms: asking takes the interpreter's lock.
  void poll() {
    const auto now = Clock::now();
    if (stopped_ || now < next_question_) return;
    next_question_ = now + std::chrono::milliseconds(50);
    stopped_ = interrupted_ && interrupted_();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t steps_left_;
  std::int64_t spent_ = 0;
  std::function<bool()> interrupted_;
  bool stopped_ = false;
  Clock::time_point next_question_ = Clock::now() + std::chrono::milliseconds(50);
};

}  // namespace kpb
