#include "simcore/numerics/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <new>

namespace simcore::numerics {

namespace {
constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kLargeZeros = 1 << 20;
constexpr std::size_t kLeastCounted = 1 << 16; // threads would wait for one another over tensors of a few elements

std::atomic<std::int64_t> g_limit{0}, g_taken{0}; // limit 0: the default

std::int64_t defaultLimit() {
  static const std::int64_t bytes = [] {
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? std::int64_t(pages) * size / 5 * 4 : std::numeric_limits<std::int64_t>::max();
  }();
  return bytes;
}
} // namespace

void limitHostMemory(std::int64_t bytes) { g_limit = bytes; }

std::int64_t hostMemoryLimit() {
  const std::int64_t limit = g_limit;
  return limit > 0 ? limit : defaultLimit();
}

std::shared_ptr<std::byte> countedMemory(std::size_t bytes) {
  const std::int64_t wanted = bytes < kLeastCounted ? 0 : std::int64_t(bytes);
  if (wanted < 0) return nullptr;
  if (wanted > 0 && g_taken.fetch_add(wanted) > hostMemoryLimit() - wanted) {
    g_taken.fetch_sub(wanted);
    return nullptr;
  }
  auto* memory = static_cast<std::byte*>(::operator new(bytes ? bytes : 1, kAlignment, std::nothrow));
  if (!memory) {
    if (wanted > 0) g_taken.fetch_sub(wanted);
    return nullptr;
  }
  return {memory, [wanted](std::byte* p) {
            ::operator delete(p, kAlignment);
            if (wanted > 0) g_taken.fetch_sub(wanted);
          }};
}

std::shared_ptr<std::byte> zeroedMemory(std::size_t bytes) {
  if (bytes >= kLargeZeros && std::int64_t(bytes) <= hostMemoryLimit()) {
    void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) return {static_cast<std::byte*>(pages), [bytes](std::byte* p) { ::munmap(p, bytes); }};
  }
  auto memory = countedMemory(bytes);
  if (memory) std::memset(memory.get(), 0, bytes);
  return memory;
}

} // namespace simcore::numerics
