#include "analyser/session/session.h"

#include "analyser/session/format.h"
#include "analyser/session/in_report.h"
#include "analyser/session/run_options.h"
#include "reports/sqlite/consistency.h"
#include "reports/sqlite/reader.h"

#include <sys/stat.h>

#include <charconv>
#include <filesystem>
#include <mutex>
#include <tuple>

namespace analyser {

namespace {

// All zero if the file cannot be examined; opening it then gives the error.
std::array<int64_t, 4> stampOf(const std::filesystem::path& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return {};
  return {int64_t(s.st_dev), int64_t(s.st_ino), int64_t(s.st_size),
          int64_t(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec};
}

std::vector<int> unpackPlaces(const reports::Blob& blob, int count, std::string_view what) {
  if (blob.empty()) return {};
  const auto values = reports::unpackDeltas(blob, static_cast<std::size_t>(count), what);
  return {values.begin(), values.end()};
}

bool placesFit(const std::vector<int>& places, int limit) {
  return std::all_of(places.begin(), places.end(), [&](int p) { return p >= 0 && p < limit; });
}

Machine machineFrom(const reports::MachineRow& row) {
  Machine m;
  m.name = row.name;
  m.title = row.title;
  m.architecture = row.architecture;
  m.ipus = static_cast<int>(row.ipus);
  m.tilesPerIpu = static_cast<int>(row.tilesPerIpu);
  m.ioTiles = row.ioTiles > 0 && row.ioTiles < row.tilesPerIpu ? static_cast<int>(row.ioTiles) : 0;
  m.workersPerTile = static_cast<int>(row.workersPerTile);
  m.memoryPerTile = Bytes(row.memoryPerTileBytes);
  m.interleavedStart = Bytes(row.interleavedStartBytes);
  m.elementSize = Bytes(row.elementBytes);
  m.clockHz = row.clockHz;
  m.exchangeBytesPerCycle = row.exchangeBytesPerCycle;
  m.peakFp16FlopsPerSecond = row.peakFp16FlopsPerSecond;
  m.peakFp32FlopsPerSecond = row.peakFp32FlopsPerSecond;
  m.tileColumn = unpackPlaces(row.tileColumns, m.tilesPerIpu, "machine.tile_columns");
  m.tileRow = unpackPlaces(row.tileRows, m.tilesPerIpu, "machine.tile_rows");
  constexpr int64_t kMaxGrid = 4096;
  if (row.gridColumns > 0 && row.gridColumns <= kMaxGrid && row.gridRows > 0 && row.gridRows <= kMaxGrid) {
    m.gridColumns = static_cast<int>(row.gridColumns);
    m.gridRows = static_cast<int>(row.gridRows);
  }
  if (m.tileColumn.size() != m.tileRow.size() || !placesFit(m.tileColumn, m.gridColumns) ||
      !placesFit(m.tileRow, m.gridRows)) { // no usable floor plan; views fall back to tile order
    m.tileColumn.clear();
    m.tileRow.clear();
  }
  return m;
}

// Runs of a sweep are files named after a SHA-256: their short command line is shown instead.
std::string shownFileName(const std::filesystem::path& path, const std::string& commandLine) {
  constexpr std::size_t kHashDigits = 64, kShownDigits = 8;
  const std::string stem = path.stem().string();
  const bool isHash = stem.size() == kHashDigits && stem.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!isHash) return path.filename().string();
  constexpr std::size_t kRunWidth = 60;
  const std::string whole = shortRun(commandLine), run = elideEnd(whole, kRunWidth), digits = stem.substr(0, kShownDigits) + "…";
  // Two runs may differ only in the words that are cut off, so the digits are added.
  return whole.empty() ? digits : run == whole ? run : run + " " + digits;
}

std::string machineText(const Machine& m) {
  if (m.tiles() == 0) return "no machine";
  return m.title + ", " + std::to_string(m.ipus) + (m.ipus == 1 ? " IPU" : " IPUs") + ", " + formatCount(m.tiles()) + " tiles";
}

std::vector<std::string> readTexts(reports::Reader& reader, const std::stop_token& stop) {
  std::vector<std::string> texts;
  const int64_t limit = 4 * reader.count<reports::StringRow>() + 1024; // a damaged id must not decide the size of an allocation
  reader.forEach<reports::StringRow>(
      {}, {},
      [&](reports::StringRow& row) {
        if (row.id < 0 || row.id >= limit) return;
        if (texts.size() <= static_cast<std::size_t>(row.id)) texts.resize(static_cast<std::size_t>(row.id) + 1);
        texts[static_cast<std::size_t>(row.id)] = std::move(row.text);
      },
      stop);
  return texts;
}

} // namespace

std::string Machine::addedUp() const {
  if (ipus > 1) return ", summed over " + std::to_string(ipus) + " IPUs";
  return ioTiles > 0 ? ", summed over I/O tiles and the others" : "";
}

struct Session::Reserve {
  std::mutex mutex;
  std::vector<std::unique_ptr<reports::Reader>> readers;
  std::map<std::type_index, std::shared_ptr<void>> common;
};

std::shared_ptr<void> Session::common(std::type_index type, std::shared_ptr<void> (*make)()) const {
  const std::scoped_lock lock(m_reserve->mutex);
  auto& one = m_reserve->common[type];
  if (!one) one = make();
  return one;
}

Session::Session(std::unique_ptr<reports::Reader> reader, std::shared_ptr<const Shared> shared, std::shared_ptr<Reserve> reserve)
    : m_reader(std::move(reader)), m_shared(std::move(shared)), m_reserve(std::move(reserve)) {}

Session::~Session() = default;

namespace {
// The file and its stamp. If the file is replaced in between, it is opened again: the stamp would be of another file.
std::pair<std::unique_ptr<reports::Reader>, std::array<int64_t, 4>> openStamped(const std::filesystem::path& path) {
  constexpr int kMostTries = 3;
  for (int i = 1;; ++i) {
    const auto stamp = stampOf(path);
    auto reader = std::make_unique<reports::Reader>(path);
    if (i == kMostTries || stampOf(reader->realPath()) == stamp) return {std::move(reader), stamp};
  }
}
} // namespace

std::shared_ptr<Session> Session::open(const std::string& path, std::stop_token stop, reports::Progress& progress) {
  progress.phase("opening");
  std::unique_ptr<reports::Reader> reader;
  std::array<int64_t, 4> stamp{};
  std::tie(reader, stamp) = openStamped(path); // clang 14 cannot capture names of a structured binding
  auto shared = inFile(path, [&] { return readShared(*reader, stamp, stop, progress); });
  return std::shared_ptr<Session>(new Session(std::move(reader), std::move(shared), std::make_shared<Reserve>()));
}

std::shared_ptr<Session> Session::open(const std::string& path) {
  reports::NoProgress progress;
  return open(path, {}, progress);
}

std::shared_ptr<Session> Session::reopen() const {
  const auto& path = m_reader->realPath();
  std::unique_ptr<reports::Reader> reader;
  const auto now = stampOf(path);
  if (now == m_shared->fileStamp) reader = std::make_unique<reports::Reader>(path);
  if (!reader || stampOf(path) != m_shared->fileStamp) {
    reader.reset();
    const std::scoped_lock lock(m_reserve->mutex);
    if (!m_reserve->readers.empty()) {
      reader = std::move(m_reserve->readers.back());
      m_reserve->readers.pop_back();
    }
  }
  if (!reader && now == std::array<int64_t, 4>{})
    throw reports::Error(reports::ErrorCode::NotFound, "the report was deleted since it was opened", path.string(),
                         "write it again, or open another");
  if (!reader)
    throw reports::Error(reports::ErrorCode::Io, "the report has changed since it was opened", path.string(), "reload it");
  return std::shared_ptr<Session>(new Session(std::move(reader), m_shared, m_reserve));
}

bool Session::isReplaced() const { return stampOf(m_reader->realPath()) != m_shared->fileStamp; }

void Session::keepReserve(int connections) const {
  std::vector<std::unique_ptr<reports::Reader>> readers;
  for (int i = 0; i < connections; ++i) readers.push_back(std::make_unique<reports::Reader>(m_reader->realPath()));
  if (isReplaced()) return; // the file was replaced meanwhile: these connections read the new one
  const std::scoped_lock lock(m_reserve->mutex);
  m_reserve->readers = std::move(readers);
}

std::shared_ptr<const Session::Shared> Session::readShared(reports::Reader& reader, const std::array<int64_t, 4>& stamp,
                                                           std::stop_token stop, reports::Progress& progress) {
  auto shared = std::make_shared<Shared>();
  shared->fileStamp = stamp;
  if (reader.machine()) shared->machine = machineFrom(*reader.machine());
  reports::checkConsistency(reader, stop);
  progress.update(0.1);
  reader.forEach<reports::MetadataRow>(
      {}, {}, [&](reports::MetadataRow& row) { shared->metadata[row.key] = std::move(row.value); }, stop);
  // Only runs in fp8 record it: most machines have no fp8 peak.
  if (const auto peak = shared->metadata.find("peak_fp8_flops_per_second"); peak != shared->metadata.end()) {
    constexpr double kHighestRate = 1e18;
    double rate = 0;
    const auto& word = peak->second;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), rate);
    if (read.ec == std::errc() && rate > 0 && rate < kHighestRate) shared->machine.peakFp8FlopsPerSecond = rate;
  }
  progress.phase("reading names");
  shared->texts = readTexts(reader, stop);
  progress.update(1);

  const auto fact = [&](const char* key) {
    const auto it = shared->metadata.find(key);
    return it == shared->metadata.end() ? std::string() : it->second;
  };
  ReportIdentity& id = shared->identity;
  id.path = reader.path().string();
  id.fileName = shownFileName(reader.path(), fact("command_line"));
  id.fileSize = Bytes(reader.fileBytes());
  constexpr std::size_t kTitleWidth = 300; // a title of megabytes is useless
  id.title = elideEnd(fact("title").empty() ? fact("workload") : fact("title"), kTitleWidth);
  if (id.title.find_first_not_of(" \t\r\n") == std::string::npos) id.title = id.fileName;
  id.machine = machineText(shared->machine);
  id.createdUtc = fact("created_utc");
  id.tool = fact("tool") + (fact("tool_version").empty() ? "" : " " + fact("tool_version"));
  id.provenance = fact("provenance");
  const auto overflow = reader.first<reports::TileSeriesRow>("name = ?", {std::string("memory.overflow")});
  id.outOfMemory = fact("state") == "out_of_memory" || (overflow && overflow->max > 0);
  return shared;
}

std::string Session::metadata(const std::string& key, const std::string& fallback) const {
  const auto it = m_shared->metadata.find(key);
  return it == m_shared->metadata.end() ? fallback : it->second;
}

const std::string& Session::text(int64_t id) const {
  static const std::string kMissing = "?";
  return id >= 0 && static_cast<std::size_t>(id) < m_shared->texts.size() ? m_shared->texts[static_cast<std::size_t>(id)]
                                                                          : kMissing;
}

const std::string& Session::text(StringId id) const { return text(int64_t(id.value())); }

std::optional<StringId> Session::findText(std::string_view wanted) const {
  const auto it = std::find(m_shared->texts.begin(), m_shared->texts.end(), wanted);
  if (it == m_shared->texts.end()) return std::nullopt;
  return StringId(static_cast<std::size_t>(it - m_shared->texts.begin()));
}

} // namespace analyser
