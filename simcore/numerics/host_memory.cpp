#include "simcore/numerics/host_memory.h"

#include "reports/core/sanitizers.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

namespace simcore::numerics {

namespace {
constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kLargeZeros = 1 << 20;
constexpr std::size_t kLeastCounted = 1 << 16; // smaller tensors are not counted, because threads would contend for the counter

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

std::atomic<std::int64_t> g_limit{0}, g_taken{0}; // limit 0: the default
std::atomic<std::int64_t> g_allowed{kUnlimited};

// Reads the number in the first line of a file; kUnlimited if it has none.
std::int64_t limitIn(const char* file) {
  std::ifstream in(file);
  std::int64_t bytes = 0;
  return in >> bytes && bytes > 0 ? bytes : kUnlimited;
}

std::int64_t limitOf(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur <= rlim_t(kUnlimited) ? std::int64_t(limit.rlim_cur) : kUnlimited;
}

// The computer's memory, or less if limited by a container, a batch system or `ulimit`.
std::int64_t grantedMemory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return std::min({pages > 0 && size > 0 ? std::int64_t(pages) * size : kUnlimited, limitOf(RLIMIT_AS), limitOf(RLIMIT_DATA),
                   limitIn("/sys/fs/cgroup/memory.max"), limitIn("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

std::int64_t defaultLimit() {
  static const std::int64_t bytes = grantedMemory() / 5 * 4;
  return bytes;
}

std::byte* newBlock(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes ? bytes : 1, kAlignment, std::nothrow));
}
void deleteBlock(std::byte* block) { ::operator delete(block, kAlignment); }

// Keeps a few large freed blocks for the next tensors of the same size. The system would take back the pages of each block and
// clear new ones, which costs more than most arithmetic on them. The blocks count as free, and are released when other tensors
// need the memory.
class KeptBlocks {
public:
  static KeptBlocks& ofProcess() {
    static auto* blocks = new KeptBlocks; // never destroyed, because tensors may be freed at the end of the process
    return *blocks;
  }
  static bool keeps(std::size_t bytes) { return kKeeps && bytes >= kLeast && bytes <= kMost; }

  std::byte* take(std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    const auto at = std::find_if(m_blocks.rbegin(), m_blocks.rend(), [&](const Block& b) { return b.bytes == bytes; });
    if (at == m_blocks.rend()) return nullptr;
    std::byte* const block = at->memory;
    m_bytes -= bytes;
    m_blocks.erase(std::next(at).base());
    return block;
  }
  // Must not allocate, because memory may be short: the list of blocks was reserved at its largest size.
  void give(std::byte* block, std::size_t bytes) noexcept {
    const std::lock_guard lock(m_mutex);
    m_blocks.push_back({block, bytes});
    m_bytes += bytes;
    while (m_bytes > kMost || std::int64_t(m_bytes) > freeHostMemory()) dropOldest();
  }
  void drop(std::int64_t leave) {
    const std::lock_guard lock(m_mutex);
    while (!m_blocks.empty() && std::int64_t(m_bytes) > leave) dropOldest();
  }

private:
  KeptBlocks() { m_blocks.reserve(kMost / kLeast + 1); }

  // Off for sanitizers, which could not detect reads of freed tensors.
  static constexpr bool kKeeps = !TILESCOPE_ADDRESS_SANITIZER && !TILESCOPE_THREAD_SANITIZER && !TILESCOPE_MEMORY_SANITIZER;
  static constexpr std::size_t kLeast = 1 << 20, kMost = 1 << 27;
  struct Block {
    std::byte* memory;
    std::size_t bytes;
  };
  void dropOldest() {
    deleteBlock(m_blocks.front().memory);
    m_bytes -= m_blocks.front().bytes;
    m_blocks.erase(m_blocks.begin());
  }

  std::mutex m_mutex;
  std::vector<Block> m_blocks; // the oldest first
  std::size_t m_bytes = 0;
};
} // namespace

void limitHostMemory(std::int64_t bytes) { g_limit = bytes; }

std::int64_t hostMemoryLimit() {
  const std::int64_t limit = g_limit;
  return std::min<std::int64_t>(limit > 0 ? limit : defaultLimit(), g_allowed);
}

std::int64_t freeHostMemory() { return std::max<std::int64_t>(0, hostMemoryLimit() - g_taken); }

MemoryAllowance::MemoryAllowance(std::int64_t bytes) : m_previous(g_allowed) {
  std::int64_t allowed = 0;
  if (__builtin_add_overflow(g_taken.load(), bytes, &allowed)) allowed = kUnlimited;
  g_allowed = std::min(m_previous, allowed);
}
MemoryAllowance::~MemoryAllowance() { g_allowed = m_previous; }

std::shared_ptr<std::byte> countedMemory(std::size_t bytes) {
  const std::int64_t wanted = bytes < kLeastCounted ? 0 : std::int64_t(bytes);
  if (wanted < 0) return nullptr;
  if (wanted > 0 && g_taken.fetch_add(wanted) > hostMemoryLimit() - wanted) {
    g_taken.fetch_sub(wanted);
    return nullptr;
  }
  const bool isKept = KeptBlocks::keeps(bytes);
  std::byte* memory = isKept ? KeptBlocks::ofProcess().take(bytes) : nullptr;
  if (!memory) {
    if (wanted > 0) KeptBlocks::ofProcess().drop(freeHostMemory());
    memory = newBlock(bytes);
  }
  if (!memory) {
    KeptBlocks::ofProcess().drop(0);
    memory = newBlock(bytes);
  }
  if (!memory) {
    if (wanted > 0) g_taken.fetch_sub(wanted);
    return nullptr;
  }
  return {memory, [wanted, isKept](std::byte* p) {
            if (wanted > 0) g_taken.fetch_sub(wanted);
            if (isKept)
              KeptBlocks::ofProcess().give(p, std::size_t(wanted));
            else
              deleteBlock(p);
          }};
}

std::shared_ptr<std::byte> zeroedMemory(std::size_t bytes) {
  if (bytes >= kLargeZeros && std::int64_t(bytes) <= hostMemoryLimit()) {
    const auto map = [&] { return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); };
    void* pages = map();
    if (pages == MAP_FAILED) {
      KeptBlocks::ofProcess().drop(0);
      pages = map();
    }
    if (pages != MAP_FAILED) return {static_cast<std::byte*>(pages), [bytes](std::byte* p) { ::munmap(p, bytes); }};
  }
  auto memory = countedMemory(bytes);
  if (memory) std::memset(memory.get(), 0, bytes);
  return memory;
}

} // namespace simcore::numerics
