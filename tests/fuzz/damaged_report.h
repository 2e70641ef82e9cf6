// Damages a tiny good report as a list of bytes says, so that the list outlives changes of the schema: varint pairs (place, value); a
// value up to 255 replaces the byte at `place` (modulo the size), 256 cuts the file there, more repeats the byte before it
// value - 256 times. Pages then get right checksums, else every damage would end there; a list of an odd first byte leaves
// them as they are.
#pragma once

#include "reports/core/error.h"
#include "reports/core/packed.h"
#include "reports/sqlite/checked_pages.h"
#include "tests/support/synthetic_report.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace tests {

class DamagedReport {
public:
  DamagedReport() {
    // In memory if the system has such a folder: otherwise mostly the disk would be tested.
    if (std::filesystem::is_directory("/dev/shm")) setenv("TMPDIR", "/dev/shm", 1);
    m_folder.emplace();
    m_file = *m_folder / "damaged.tsr";
    const TinyReport good;
    std::ifstream in(good.path(), std::ios::binary);
    m_good.assign(std::istreambuf_iterator<char>(in), {});
    if (m_good.size() < kPage) std::abort();
  }
  // Writes the damaged report and returns its path.
  const std::filesystem::path& apply(std::span<const uint8_t> list) {
    std::vector<char> bytes = m_good;
    reports::PackedReader pairs(list, "fuzz");
    try {
      for (int left = 64; left > 0 && !pairs.atEnd() && !bytes.empty(); --left) {
        const std::size_t place = pairs.varint() % bytes.size();
        damage(bytes, place, pairs.varint());
      }
    } catch (const reports::Error&) { // half a pair at the end of the list
    }
    if (list.empty() || list.front() % 2 == 0) repairChecksums(bytes);
    std::ofstream(m_file, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ptrdiff_t(bytes.size()));
    return m_file;
  }

private:
  static constexpr std::size_t kPage = 4096;

  static void damage(std::vector<char>& bytes, std::size_t place, uint64_t value) {
    if (value < 256)
      bytes[place] = char(value);
    else if (value == 256)
      bytes.resize(place);
    else
      bytes.insert(bytes.begin() + std::ptrdiff_t(place), std::min<uint64_t>(value - 256, 8192), bytes[place ? place - 1 : 0]);
  }
  static void repairChecksums(std::vector<char>& bytes) {
    for (std::size_t page = 0; page + kPage <= bytes.size(); page += kPage) {
      const std::size_t content = kPage - reports::kChecksumBytes;
      const auto sum = reports::pageChecksum({reinterpret_cast<const uint8_t*>(bytes.data()) + page, content});
      std::copy(sum.begin(), sum.end(), bytes.begin() + std::ptrdiff_t(page + content));
    }
  }
  std::optional<TemporaryFolder> m_folder;
  std::filesystem::path m_file;
  std::vector<char> m_good;
};

// True if `read` ends without an Error; anything else it throws ends the target.
template<class Read> bool reads(Read&& read) {
  try {
    read();
    return true;
  } catch (const reports::Error&) {
    return false;
  }
}

} // namespace tests
