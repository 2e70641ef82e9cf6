// One open report with the facts that every query needs: the machine, the metadata and the names, read once. Only one thread at a
// time may use a Session; `reopen()` makes another over the same file for a worker, which shares the names and costs one
// sqlite3_open. All functions of analyser take a Session& and store nothing in it, except through common().
#pragma once

#include "reports/core/categories.h"
#include "reports/core/ids.h"
#include "reports/core/progress.h"
#include "reports/core/units.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace reports {
class Reader;
}

namespace analyser {

using reports::Bytes;
using reports::Cycles;
using reports::Flops;
using reports::IpuId;
using reports::Nanoseconds;
using reports::StringId;
using reports::TileId;

// The machine of a report, checked against hardware limits, so that products of its fields cannot overflow. A report without a
// machine (a host trace) has one with no tiles.
struct Machine {
  std::string name, title, architecture;
  int ipus = 0, tilesPerIpu = 0, workersPerTile = 0;
  int ioTiles = 0; // the last tiles of each IPU, which only serve the host; 0: every tile does everything
  Bytes memoryPerTile, interleavedStart, elementSize;
  int64_t clockHz = 0;
  double exchangeBytesPerCycle = 0, peakFp16FlopsPerSecond = 0, peakFp32FlopsPerSecond = 0; // of one IPU
  double peakFp8FlopsPerSecond = 0; // 0 if the report does not compute in fp8
  int gridColumns = 0, gridRows = 0;
  std::vector<int> tileColumn, tileRow; // floor plan, one value per tile of an IPU; empty if the report has none

  int tiles() const { return ipus * tilesPerIpu; }
  bool isIo(TileId tile) const { return ioTiles > 0 && int(tile.value()) % tilesPerIpu >= tilesPerIpu - ioTiles; }
  IpuId ipuOf(TileId tile) const { return IpuId(tilesPerIpu > 0 ? tile.value() / static_cast<uint32_t>(tilesPerIpu) : 0); }
  Bytes memoryPerIpu() const { return memoryPerTile * tilesPerIpu; }
  Bytes totalMemory() const { return memoryPerIpu() * ipus; }
  // Steps of several IPUs, and of I/O tiles and compute tiles, overlap in time: their sum is not a time of the run.
  bool stepsOverlap() const { return ipus > 1 || ioTiles > 0; }
  // ", summed over 16 IPUs"; a copy between IPUs counts once. Empty if steps do not overlap.
  std::string addedUp() const;
  // The peak of one IPU in the precision in which a report computes.
  double peakFlopsPerSecond(std::string_view precision) const {
    if (precision == "fp8" && peakFp8FlopsPerSecond > 0) return peakFp8FlopsPerSecond;
    return precision == "fp16" || precision == "fp8" ? peakFp16FlopsPerSecond : peakFp32FlopsPerSecond;
  }
  double seconds(Cycles c) const { return clockHz > 0 ? double(c.value()) / double(clockHz) : 0.0; }
};

// The facts that a report chip and the home page show.
struct ReportIdentity {
  std::string path;
  std::string fileName; // displayed name; for a name that is a SHA-256 (runs of a sweep), the short command line
  Bytes fileSize;
  std::string title;        // workload in words, e.g. "mnist-train, batch 16"
  std::string machine;      // "Bow, 1 IPU, 1472 tiles"
  std::string createdUtc;   // ISO 8601; empty if unknown
  std::string tool;         // "tilescope 0.1.0"
  std::string provenance;   // simulated, imported …
  bool outOfMemory = false; // the program does not fit: its run was rejected for memory, or a tile would need more than it has
};

class Session {
public:
  // Throws Error NotFound, Io, Damaged, InvalidInput (not a report) or Cancelled.
  static std::shared_ptr<Session> open(const std::string& path, std::stop_token stop, reports::Progress& progress);
  static std::shared_ptr<Session> open(const std::string& path);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A session on the same report with a separate connection. If the file was replaced or deleted since, uses one of the reserved
  // connections; Error if none is left.
  std::shared_ptr<Session> reopen() const;
  // Opens connections to the file as it is now, for later reopen(): a window can still read its report after another run has
  // replaced the file.
  void keepReserve(int connections) const;
  // Whether its file was replaced or removed since it was opened.
  bool isReplaced() const;

  reports::Reader& reader() { return *m_reader; }
  const Machine& machine() const { return m_shared->machine; }
  const ReportIdentity& identity() const { return m_shared->identity; }
  const std::map<std::string, std::string>& metadata() const { return m_shared->metadata; }
  std::string metadata(const std::string& key, const std::string& fallback = {}) const;
  // A name by its id; "?" for an unknown id, so that a damaged report can still be shown.
  const std::string& text(StringId id) const;
  const std::string& text(int64_t id) const;
  std::optional<StringId> findText(std::string_view text) const;
  const std::vector<std::string>& texts() const { return m_shared->texts; }

  // One T for all sessions of this report, e.g. a cache, created at first use. Several threads use it at the same time.
  template<class T> std::shared_ptr<T> common() const {
    return std::static_pointer_cast<T>(common(typeid(T), [] { return std::shared_ptr<void>(std::make_shared<T>()); }));
  }

private:
  struct Shared {
    Machine machine;
    ReportIdentity identity;
    std::map<std::string, std::string> metadata;
    std::vector<std::string> texts;
    std::array<int64_t, 4> fileStamp{}; // device, inode, size, time of change: a replaced file is another report
  };
  struct Reserve;
  std::shared_ptr<void> common(std::type_index type, std::shared_ptr<void> (*make)()) const;
  Session(std::unique_ptr<reports::Reader> reader, std::shared_ptr<const Shared> shared, std::shared_ptr<Reserve> reserve);
  static std::shared_ptr<const Shared> readShared(reports::Reader& reader, const std::array<int64_t, 4>& stamp,
                                                  std::stop_token stop, reports::Progress& progress);

  std::unique_ptr<reports::Reader> m_reader;
  std::shared_ptr<const Shared> m_shared;
  std::shared_ptr<Reserve> m_reserve; // shared by all sessions of this report
};

} // namespace analyser
