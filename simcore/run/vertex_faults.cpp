#include "simcore/run/vertex_faults.h"

#include "simcore/run/codelet_stack.h"

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include <ucontext.h>

namespace simcore::run {

namespace {

// The body that runs on this thread, for the signal handler.
struct Running {
  sigjmp_buf back;
  VertexFault fault;
};
thread_local Running* t_running = nullptr;
thread_local VertexFaults::Mends t_mends = nullptr;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
std::mutex g_mutex;
int g_users = 0;
struct sigaction g_before[std::size(kSignals)];

[[noreturn]] void end(const VertexFault& fault) {
  Running& running = *t_running;
  t_running = nullptr;
  running.fault = fault;
  siglongjmp(running.back, 1);
}

// Calls the handler that was installed before ours, or the default action.
void passOn(int number, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] != number) continue;
    const struct sigaction& before = g_before[i];
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, context);
    if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

std::optional<bool> writes([[maybe_unused]] const void* context) {
#ifdef __x86_64__
  constexpr long long kWrite = 2; // write bit in the error code of a page fault
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return std::nullopt;
#endif
}

// Whether the address is on the stack. Nothing is below the stack pointer, so an address there comes from a wild pointer.
bool isOnStack([[maybe_unused]] const std::byte* address, [[maybe_unused]] const void* context) {
#ifdef __x86_64__
  constexpr std::uintptr_t kBelow = 256; // bytes below the stack pointer that may be used (red zone)
  const auto pointer = std::uintptr_t(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
  return reinterpret_cast<std::uintptr_t>(address) + kBelow >= pointer;
#else
  return true;
#endif
}

void onSignal(int number, siginfo_t* info, void* context) {
  if (!t_running || info->si_code <= 0) return passOn(number, info, context); // not raised by a body, or sent by another process
  VertexFault fault;
  if (number == SIGFPE)
    fault.kind = VertexFault::Kind::Arithmetic;
  else if (number == SIGILL)
    fault.kind = VertexFault::Kind::Instruction;
  else {
    // For an address that the processor cannot form (not canonical) the signal gives 0, which does not mean null.
    fault.address = info->si_code == SI_KERNEL ? reinterpret_cast<const std::byte*>(~std::uintptr_t(0))
                                               : static_cast<const std::byte*>(info->si_addr);
    fault.writes = writes(context);
    if (info->si_code == SEGV_ACCERR && t_mends && t_mends(fault.address, fault.writes)) return;
    if (isBehindCodeletStack(fault.address) && isOnStack(fault.address, context)) fault.kind = VertexFault::Kind::Stack;
  }
  end(fault);
}

// The stack of the signal handler, for bodies that have used up their own stack.
class SignalStack {
public:
  SignalStack() : m_memory(std::malloc(kBytes)) {}
  ~SignalStack() { std::free(m_memory); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  void use(stack_t& before) const {
    stack_t own{};
    own.ss_sp = m_memory, own.ss_size = kBytes;
    sigaltstack(&own, &before);
  }

private:
  static constexpr std::size_t kBytes = 64 << 10;
  void* m_memory;
};

struct Call {
  void (*body)(void*);
  void* argument;
  Running running;
  bool ended = false; // by a fault
};

void protect(void* given) {
  Call& call = *static_cast<Call*>(given);
  if (sigsetjmp(call.running.back, 0) == 0) {
    t_running = &call.running;
    call.body(call.argument);
  } else {
    call.ended = true;
  }
  t_running = nullptr;
}

} // namespace

VertexFaults::VertexFaults() {
  const std::lock_guard lock(g_mutex);
  if (g_users++ > 0) return;
  struct sigaction action {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // NODEFER: the jump out of a body does not unblock the signal
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &g_before[i]);
}

VertexFaults::~VertexFaults() {
  const std::lock_guard lock(g_mutex);
  if (--g_users > 0) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &g_before[i], nullptr);
}

std::optional<VertexFault> VertexFaults::run(void (*body)(void*), void* argument, int64_t stackBytes) {
  thread_local const SignalStack signalStack;
  stack_t before{};
  signalStack.use(before);
  Call call{body, argument, {}, false};
  if (stackBytes > 0)
    onCodeletStack(stackBytes, protect, &call);
  else
    protect(&call);
  sigaltstack(&before, nullptr);
  t_mends = nullptr;
  if (!call.ended) return std::nullopt;
  return call.running.fault;
}

void VertexFaults::mendAccesses(Mends mends) { t_mends = mends; }

void VertexFaults::exhausted() {
  if (!t_running) std::abort(); // instructions are only counted in a body
  end({VertexFault::Kind::Budget, nullptr, std::nullopt});
}

void VertexFaults::failed() {
  if (!t_running) std::abort();
  end({VertexFault::Kind::Assertion, nullptr, std::nullopt});
}

} // namespace simcore::run
