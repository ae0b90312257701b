// Numbers below 1e-308 cost a hundred times as much as others and never matter here.
#pragma once

#if defined(__SSE2__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

namespace kpb {

// While it lives, this thread treats denormal numbers as zero. Other machines than x86 either do
// denormals at full speed or keep them.
class FlushDenormals {
 public:
#if defined(__SSE2__)
  FlushDenormals() : before_(_mm_getcsr()) {
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
  }
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  FlushDenormals() {}
  ~FlushDenormals() {}

 private:
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

// How a thread treats denormal numbers, for another one to do the same.
class DenormalMode {
 public:
#if defined(__SSE2__)
  DenormalMode() : mode_(_mm_getcsr()) {}  // that of the calling thread
  void adopt() const { _mm_setcsr(mode_); }

 private:
  unsigned mode_;
#else
  void adopt() const {}
#endif
};

}  // namespace kpb
