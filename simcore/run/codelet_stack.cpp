#include "simcore/run/codelet_stack.h"

#include "reports/core/error.h"
#include "reports/core/sanitizers.h"
#include "reports/core/units.h"

#include <sys/mman.h>
#include <ucontext.h>

#if TILESCOPE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#if TILESCOPE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace simcore::run {

namespace {

constexpr std::size_t kBehind = 16 << 20;     // inaccessible bytes after the stack; many, because a single frame may be large
constexpr std::size_t kOfCallers = 128 << 10; // bytes for the functions that call the body

struct CodeletStack {
  std::byte* begin = nullptr; // begin of the block, which starts with the inaccessible bytes
  std::size_t bytes = 0;      // usable bytes
  ucontext_t inside{}, outside{};
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
#if TILESCOPE_ADDRESS_SANITIZER
  const void* outsideBottom = nullptr;
  std::size_t outsideBytes = 0;
#endif
#if TILESCOPE_THREAD_SANITIZER
  void* insideFiber = nullptr;
  void* outsideFiber = nullptr;
#endif

  CodeletStack() = default;
  CodeletStack(const CodeletStack&) = delete;
  CodeletStack& operator=(const CodeletStack&) = delete;
  ~CodeletStack() { release(); }

  void release() {
    if (begin) munmap(begin, kBehind + bytes);
    begin = nullptr;
  }
  void grow(std::size_t wanted) {
    if (begin && bytes >= wanted) return;
    release();
    void* const all = mmap(nullptr, kBehind + wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED || mprotect(static_cast<std::byte*>(all) + kBehind, wanted, PROT_READ | PROT_WRITE) != 0)
      throw reports::Error(reports::ErrorCode::OutOfMemory, "not enough memory for the stack of a codelet", "this computer");
    begin = static_cast<std::byte*>(all);
    bytes = wanted;
  }
};
thread_local CodeletStack t_stack;

void enter() {
  CodeletStack& s = t_stack;
#if TILESCOPE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &s.outsideBottom, &s.outsideBytes);
#endif
  s.body(s.argument);
#if TILESCOPE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(nullptr, s.outsideBottom, s.outsideBytes);
#endif
#if TILESCOPE_THREAD_SANITIZER
  __tsan_switch_to_fiber(s.outsideFiber, 0);
#endif
  swapcontext(&s.inside, &s.outside);
}

} // namespace

void onCodeletStack(int64_t bytes, void (*body)(void*), void* argument) {
  CodeletStack& s = t_stack;
  s.grow(std::size_t(reports::roundUp(bytes + int64_t(kOfCallers), 4096)));
  s.body = body, s.argument = argument;
  getcontext(&s.inside);
  s.inside.uc_stack.ss_sp = s.begin + kBehind;
  s.inside.uc_stack.ss_size = s.bytes;
  s.inside.uc_link = nullptr;
  makecontext(&s.inside, enter, 0);
#if TILESCOPE_ADDRESS_SANITIZER
  void* fakeStack = nullptr;
  __sanitizer_start_switch_fiber(&fakeStack, s.begin + kBehind, s.bytes);
#endif
#if TILESCOPE_THREAD_SANITIZER
  s.outsideFiber = __tsan_get_current_fiber();
  s.insideFiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(s.insideFiber, 0);
#endif
  swapcontext(&s.outside, &s.inside);
#if TILESCOPE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fakeStack, nullptr, nullptr);
#endif
#if TILESCOPE_THREAD_SANITIZER
  __tsan_destroy_fiber(s.insideFiber);
#endif
}

bool isBehindCodeletStack(const std::byte* address) {
  return t_stack.begin && address >= t_stack.begin && address < t_stack.begin + kBehind;
}

} // namespace simcore::run
