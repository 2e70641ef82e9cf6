#include "simcore/run/guarded_fields.h"

#include "reports/core/error.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <sys/mman.h>

namespace simcore::run {

namespace {
constexpr std::size_t kPage = 4096;
constexpr std::size_t kBeside = 160 * kPage; // inaccessible bytes on either side, as many as a tile's memory
constexpr std::size_t kWatched = 64;         // marker bytes beside a field that must not change
constexpr std::byte kMark{0xa5};
constexpr auto kMarks = [] {
  std::array<std::byte, kWatched> marks{};
  marks.fill(kMark);
  return marks;
}();
constexpr std::size_t kMostSlots = 16'000; // the system grants a process some 65,000 mappings
} // namespace

bool equalBytes(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t kLong = 128;
  if (bytes >= kLong) return std::memcmp(a, b, bytes) == 0;
  std::size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    if (x != y) return false;
  }
  for (; at < bytes; ++at)
    if (a[at] != b[at]) return false;
  return true;
}

std::byte* GuardedFields::Slot::begin() const { return mapping + kBeside; }

GuardedFields::~GuardedFields() {
  for (const Slot& s : m_slots)
    if (s.mapping) munmap(s.mapping, s.bytes + 2 * kBeside);
}

void GuardedFields::Slot::close() {
  const auto protect = [this](std::byte* first, std::byte* last) {
    if (first >= last) return;
    if (writtenOutside) madvise(first, std::size_t(last - first), MADV_DONTNEED);
    mprotect(first, std::size_t(last - first), PROT_NONE);
  };
  protect(openBegin, std::min(openEnd, begin()));
  protect(std::max(openBegin, begin() + bytes), openEnd);
  openBegin = openEnd = nullptr;
  writtenOutside = nullptr;
}

std::byte* GuardedFields::add(int64_t bytes, int64_t alignment, bool atEnd, bool keepOpen) {
  const auto size = std::size_t(bytes);
  if (m_used == m_slots.size()) {
    if (m_used == kMostSlots)
      throw reports::Error(reports::ErrorCode::Unsupported, "a vertex of more than 16,000 vectors cannot be guarded");
    m_slots.emplace_back();
  }
  Slot& s = m_slots[m_used++];
  if (s.isWatched) mprotect(s.begin(), s.bytes, PROT_READ | PROT_WRITE);
  s.isWatched = s.isWritten = false;
  s.readOutside = nullptr;
  if (s.openBegin && (!keepOpen || s.writtenOutside)) s.close();
  const std::size_t wanted = (std::max(size, std::size_t(1)) + kPage - 1) / kPage * kPage;
  if (s.bytes < wanted) {
    if (s.mapping) munmap(s.mapping, s.bytes + 2 * kBeside);
    void* const all = mmap(nullptr, wanted + 2 * kBeside, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED || mprotect(static_cast<std::byte*>(all) + kBeside, wanted, PROT_READ | PROT_WRITE) != 0) {
      s = {};
      throw reports::Error(reports::ErrorCode::OutOfMemory, "not enough memory for a copy of a vertex's fields", "this computer");
    }
    s = {};
    s.mapping = static_cast<std::byte*>(all);
    s.bytes = wanted;
  }
  s.size = size;
  s.atEnd = atEnd;
  s.field = atEnd ? s.begin() + (s.bytes - size) / std::size_t(alignment) * std::size_t(alignment) : s.begin();
  Slot::Marked& marked = s.marked[atEnd];
  const bool isMarked = marked.field == s.field && marked.size == size;
  if (2 * (size + kWatched + std::size_t(alignment)) > s.bytes) s.marked[!atEnd] = {}; // this field may overwrite those marks
  marked = {};                                                                         // set again once they have been checked
  if (isMarked) return s.field;
  std::byte* const end = s.begin() + s.bytes;
  std::memset(std::max(s.begin(), s.field - kWatched), int(kMark),
              std::size_t(s.field - std::max(s.begin(), s.field - kWatched)));
  std::memset(s.field + size, int(kMark), std::size_t(std::min(end, s.field + size + kWatched) - (s.field + size)));
  return s.field;
}

void GuardedFields::watchStores(std::size_t field) {
  Slot& s = m_slots[field];
  s.isWritten = false;
  s.isWatched = mprotect(s.begin(), s.bytes, PROT_READ) == 0;
  if (!s.isWatched) s.isWritten = true; // unknown, so assume a store
}

// Called in the handler of a signal: it allocates nothing.
bool GuardedFields::letWrite(const std::byte* address) {
  for (std::size_t i = 0; i < m_used; ++i) {
    Slot& s = m_slots[i];
    if (!s.isWatched || address < s.begin() || address >= s.begin() + s.bytes) continue;
    if (mprotect(s.begin(), s.bytes, PROT_READ | PROT_WRITE) != 0) return false;
    s.isWatched = false;
    return s.isWritten = true;
  }
  return false;
}

// Called in the handler of a signal: it allocates nothing.
bool GuardedFields::letPass(const std::byte* address, bool writes) {
  for (std::size_t i = 0; i < m_used; ++i) {
    Slot& s = m_slots[i];
    if (address < s.mapping || address >= s.mapping + s.bytes + 2 * kBeside) continue;
    if (address >= s.begin() && address < s.begin() + s.bytes) return false;
    std::byte* const page = s.mapping + std::size_t(address - s.mapping) / kPage * kPage;
    if (mprotect(page, kPage, writes ? PROT_READ | PROT_WRITE : PROT_READ) != 0) return false;
    s.openBegin = s.openBegin ? std::min(s.openBegin, page) : page;
    s.openEnd = std::max(s.openEnd, page + kPage);
    if (const std::byte*& first = writes ? s.writtenOutside : s.readOutside; !first) first = address;
    return true;
  }
  return false;
}

std::vector<GuardedFields::Escape> GuardedFields::outside(bool writes) const {
  std::vector<Escape> all;
  for (std::size_t i = 0; i < m_used; ++i)
    if (const std::byte* const first = writes ? m_slots[i].writtenOutside : m_slots[i].readOutside)
      all.push_back({i, first - m_slots[i].field});
  return all;
}

std::vector<GuardedFields::Escape> GuardedFields::overwritten() {
  std::vector<Escape> all;
  for (std::size_t i = 0; i < m_used; ++i) {
    Slot& s = m_slots[i];
    s.marked[s.atEnd] = {};
    const auto changed = [&](const std::byte* first, const std::byte* last) -> std::optional<Escape> {
      if (first >= last || equalBytes(first, kMarks.data(), std::size_t(last - first))) return std::nullopt;
      for (const std::byte* b = first; b < last; ++b)
        if (*b != kMark) return Escape{i, b - s.field};
      return std::nullopt;
    };
    auto escape = changed(std::max(s.begin(), s.field - kWatched), s.field);
    if (!escape) escape = changed(s.field + s.size, std::min(s.begin() + s.bytes, s.field + s.size + kWatched));
    if (escape)
      all.push_back(*escape);
    else
      s.marked[s.atEnd] = {s.field, s.size};
  }
  return all;
}

std::optional<GuardedFields::Escape> GuardedFields::locate(const std::byte* address) const {
  for (std::size_t i = 0; i < m_used; ++i) {
    const Slot& s = m_slots[i];
    if (address >= s.mapping && address < s.mapping + s.bytes + 2 * kBeside) return Escape{i, address - s.field};
  }
  return std::nullopt;
}

} // namespace simcore::run
