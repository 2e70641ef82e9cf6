// Copies of the fields of one vertex that detect when its body leaves them: each ends, or begins, at a page that can be neither read nor
// written, and the rest of its own page has marker bytes that must not change. The pages are kept for the next vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace simcore::run {

// The same as memcmp() == 0, but faster beside a protected page: memcmp() for new processors reads the last bytes with a mask, which takes a third
// of a microsecond if the masked bytes are on such a page.
bool equalBytes(const std::byte* a, const std::byte* b, std::size_t bytes);

class GuardedFields {
public:
  GuardedFields() = default;
  ~GuardedFields();
  GuardedFields(const GuardedFields&) = delete;
  GuardedFields& operator=(const GuardedFields&) = delete;

  void clear() { m_used = 0; }
  // Memory of the next field. `atEnd`: its end, not its begin, is at the protected page, as closely as the alignment allows.
  std::byte* add(int64_t bytes, int64_t alignment, bool atEnd);

  // Until the field's memory is given out again, a first store to its pages faults. The handler of the fault calls letWrite(): true
  // if the address is on such pages, which can then be written.
  void watchStores(std::size_t field);
  bool letWrite(const std::byte* address);
  bool wasWritten(std::size_t field) const { return m_slots[field].isWritten; } // since watchStores()

  struct Escape {
    std::size_t field = 0; // in the order of add()
    int64_t byte = 0;      // from its first
  };
  std::optional<Escape> overwritten();                          // a changed marker byte beside a field
  std::optional<Escape> locate(const std::byte* address) const; // the field whose pages contain it

private:
  struct Slot {
    std::byte* mapping = nullptr;
    std::size_t bytes = 0; // that can be touched
    std::byte* begin() const;
    std::byte* field = nullptr;
    std::size_t size = 0;
    // The fields at the begin and at the end whose marker bytes are known to be there: from the last vertex, which left them alone.
    struct Marked {
      std::byte* field = nullptr;
      std::size_t size = 0;
    } marked[2];
    bool atEnd = false;
    bool isWatched = false, isWritten = false; // stores
  };
  std::vector<Slot> m_slots;
  std::size_t m_used = 0;
};

} // namespace simcore::run
