// Copies of the fields of one vertex that detect accesses outside of a field. Each copy ends, or begins, at an inaccessible page;
// the rest of its own page has marker bytes that must not change. The pages are reused for the next vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace simcore::run {

// Same result as memcmp() == 0, but faster beside a protected page: on new processors memcmp() reads the last bytes with a mask,
// which takes a third of a microsecond if the masked bytes are on such a page.
bool equalBytes(const std::byte* a, const std::byte* b, std::size_t bytes);

class GuardedFields {
public:
  GuardedFields() = default;
  ~GuardedFields();
  GuardedFields(const GuardedFields&) = delete;
  GuardedFields& operator=(const GuardedFields&) = delete;

  void clear() { m_used = 0; }
  // Memory for the next field. With `atEnd` its end is at the protected page, as closely as the alignment allows; else its begin
  // is. `keepOpen`: pages that letPass() opened for reading stay readable.
  std::byte* add(int64_t bytes, int64_t alignment, bool atEnd, bool keepOpen = false);

  // Makes the next store to the field's pages fault, until the memory is used for another field. The fault handler calls
  // letWrite(), which makes the pages writable and returns true if the address is on such pages.
  void watchStores(std::size_t field);
  bool letWrite(const std::byte* address);
  // Makes an inaccessible page beside a field accessible, as zeros; values stored there are lost when the memory is used for another
  // field. Called by the fault handler; returns true if the address is on such a page.
  bool letPass(const std::byte* address, bool writes);
  bool wasWritten(std::size_t field) const { return m_slots[field].isWritten; } // stored to since watchStores()

  struct Escape {
    std::size_t field = 0; // number of the field, in the order of add()
    int64_t byte = 0;      // relative to the field's first byte
  };
  std::vector<Escape> overwritten();                            // the first changed marker byte beside each field
  std::vector<Escape> outside(bool writes) const;               // the first access beside each field that letPass() let through
  std::optional<Escape> locate(const std::byte* address) const; // the field whose pages contain it

private:
  struct Slot {
    std::byte* mapping = nullptr;
    std::size_t bytes = 0; // accessible bytes
    void close();          // makes the pages that letPass() opened inaccessible again, and drops values stored there
    std::byte *openBegin = nullptr, *openEnd = nullptr;
    const std::byte *readOutside = nullptr, *writtenOutside = nullptr;
    std::byte* begin() const;
    std::byte* field = nullptr;
    std::size_t size = 0;
    // The fields at the begin and at the end whose marker bytes are still intact after the last vertex.
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
