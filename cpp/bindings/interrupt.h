// Lets Ctrl-C stop long work that runs without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace kpb {

// Call it often: it asks Python for pending signals about ten times a second, and throws the
// exception that a signal handler raised (KeyboardInterrupt).
class SignalCheck {
 public:
  void operator()() {
    const auto now = Clock::now();
    if (now - last_ < period) return;
    last_ = now;
    nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds period{100};
  Clock::time_point last_ = Clock::now();
};

}  // namespace kpb
