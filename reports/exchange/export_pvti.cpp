// The host's and the device's timelines as a .pvti file: an SQLite database in the layout of pvti_tables.h. The original layout
// is not published, so the names of tables and columns are taken from its API (docs.graphcore.ai, projects/libpvti); HEATMAP_DATA
// and bin_quantities are its own names.
#include "reports/exchange/export_rows.h"
#include "reports/sqlite/statement.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>

namespace reports::exchange {

namespace {

constexpr const char* kTables[] = {
    "CREATE TABLE strings (id INTEGER PRIMARY KEY, string TEXT NOT NULL)",
    "CREATE TABLE channels (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    "CREATE TABLE processes (id INTEGER PRIMARY KEY, pid INTEGER, name TEXT)",
    "CREATE TABLE threads (id INTEGER PRIMARY KEY, tid INTEGER, process_id INTEGER, name TEXT)",
    "CREATE TABLE events (process_id INTEGER, thread_id INTEGER, channel_id INTEGER, label_id INTEGER, type TEXT, timestamp "
    "INTEGER,"
    " duration INTEGER, timestamp_ns INTEGER, duration_ns INTEGER, metadata TEXT)",
    "CREATE TABLE graphs (id INTEGER PRIMARY KEY, name TEXT, unit TEXT)",
    "CREATE TABLE series (id INTEGER PRIMARY KEY, graph_id INTEGER, process_id INTEGER, name TEXT)",
    "CREATE TABLE points (series_id INTEGER, timestamp INTEGER, timestamp_ns INTEGER, value REAL)",
    "CREATE TABLE heatmaps (id INTEGER PRIMARY KEY, process_id INTEGER, name TEXT, unit TEXT, edges BLOB)",
    "CREATE TABLE HEATMAP_DATA (heatmap_id INTEGER, timestamp INTEGER, timestamp_ns INTEGER, bin_quantities BLOB)"};

template<class T> Blob blobOf(const std::vector<T>& values) {
  Blob blob(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(blob.data(), values.data(), blob.size());
  return blob;
}

class PvtiExport {
public:
  PvtiExport(Reader& reader, const ExportRequest& request, const std::filesystem::path& file)
      : m_rows(reader, request), m_file(file, Connection::Mode::ReadWrite) {}

  ExportCounts write(Progress& progress, const std::stop_token& stop) {
    progress.phase("exporting");
    for (const char* sql : {"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"}) m_file.execute(sql);
    for (const char* sql : kTables) m_file.execute(sql);
    m_file.execute("BEGIN");
    m_channel = std::make_unique<Statement>(m_file, "INSERT OR IGNORE INTO channels VALUES (?, ?)");
    m_string = std::make_unique<Statement>(m_file, "INSERT INTO strings VALUES (?, ?)");
    m_event = std::make_unique<Statement>(m_file, "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    m_rows.forEachProcess([&](int64_t pid, const std::string& name) { addProcess(pid, name); });
    for (int64_t i = 0; i < m_rows.size(); ++i) {
      progress.update(double(i) / double(m_rows.size()));
      writeTrack(m_rows.track(i, stop), stop);
    }
    if (m_rows.hasHost()) {
      writeCounters(stop);
      writeHeatmaps(stop);
    }
    m_file.execute("COMMIT");
    m_channel.reset(), m_string.reset(), m_event.reset();
    m_file.close();
    return m_rows.checked(m_counts);
  }

private:
  // Wall-clock time if the trace has it.
  int64_t absolute(int64_t ns) const { return ns + m_rows.base() + m_rows.unixOffset().value_or(0); }
  static int64_t micros(int64_t ns) { return ns >= 0 ? ns / 1000 : -((-ns + 999) / 1000); }

  int64_t label(uint32_t id) {
    if (m_labels.insert(id).second) insert(*m_string, {int64_t(id), m_rows.reader().text(id)});
    return int64_t(id);
  }
  static void insert(Statement& statement, const SqlParameters& values) {
    statement.bindAll(values);
    statement.run();
  }
  void insert(const char* sql, const SqlParameters& values) {
    Statement statement(m_file, sql);
    insert(statement, values);
  }
  int64_t channel(const std::string& name) {
    const auto [found, isNew] = m_channels.emplace(name, int64_t(m_channels.size()));
    if (isNew) insert(*m_channel, {found->second, name});
    return found->second;
  }
  static SqlValue textOrNull(const std::string& text) { return text.empty() ? SqlValue() : SqlValue(text); }

  void addProcess(int64_t pid, const std::string& name) {
    if (m_processes.insert(pid).second) insert("INSERT INTO processes VALUES (?, ?, ?)", {pid, pid, name});
  }
  void writeTrack(const ExportTrack& t, const std::stop_token& stop) {
    if (t.slices.empty() && t.instants.empty()) return;
    ++m_counts.tracks;
    addProcess(t.pid, t.processName);
    insert("INSERT INTO threads VALUES (?, ?, ?, ?)", {t.trackId, t.tid, t.pid, t.name});
    int64_t written = 0;
    for (const ExportSlice& s : t.slices) {
      if (++written % 65536 == 0) throwIfStopped(stop);
      ++m_counts.slices;
      insert(*m_event, {t.pid, t.trackId, channel(m_rows.category(t, s.category)), label(s.name), std::string("slice"),
                        micros(absolute(s.start)), micros(s.end - s.start), absolute(s.start), s.end - s.start,
                        textOrNull(t.isDevice ? std::string() : m_rows.details(s.ref))});
    }
    for (const Instant& i : t.instants) {
      ++m_counts.instants;
      insert(*m_event,
             {t.pid, t.trackId, channel(m_rows.channel(i.category)), label(i.name), std::string("instant"),
              micros(absolute(i.tick)), SqlValue(), absolute(i.tick), SqlValue(), textOrNull(m_rows.details(i.details))});
    }
  }

  void writeCounters(const std::stop_token& stop) {
    std::map<std::pair<std::string, std::string>, int64_t> graphs; // by name and unit
    m_rows.reader().forEach<CounterSeriesRow>({}, {}, [&](const CounterSeriesRow& row) {
      const auto [graph, isNew] = graphs.emplace(std::pair(row.graph, row.unit), int64_t(graphs.size()));
      if (isNew) insert("INSERT INTO graphs VALUES (?, ?, ?)", {graph->second, row.graph, row.unit});
      insert("INSERT INTO series VALUES (?, ?, ?, ?)", {row.id, graph->second, m_rows.processPid(row.processId), row.name});
    });
    Statement point(m_file, "INSERT INTO points VALUES (?, ?, ?, ?)");
    m_rows.reader().forEach<CounterChunkRow>(
        {}, {},
        [&](const CounterChunkRow& chunk) {
          for (const CounterSample& s : decodeCounter(chunk)) {
            if (!m_rows.isInRange(s.tick, s.tick)) continue;
            ++m_counts.counterSamples;
            insert(point, {chunk.seriesId, micros(absolute(s.tick)), absolute(s.tick), s.value});
          }
        },
        stop);
  }

  void writeHeatmaps(const std::stop_token& stop) {
    std::map<int64_t, int64_t> bins;
    m_rows.reader().forEach<HeatmapRow>({}, {}, [&](const HeatmapRow& row) {
      bins[row.id] = row.bins;
      insert("INSERT INTO heatmaps VALUES (?, ?, ?, ?, ?)",
             {row.id, m_rows.processPid(row.processId), row.name, row.unit, blobOf(heatmapEdges(row))});
    });
    Statement sample(m_file, "INSERT INTO HEATMAP_DATA VALUES (?, ?, ?, ?)");
    m_rows.reader().forEach<HeatmapChunkRow>(
        {}, {},
        [&](const HeatmapChunkRow& chunk) {
          const auto found = bins.find(chunk.heatmapId);
          if (found == bins.end()) return;
          for (const Histogram& h : decodeHeatmap(chunk, found->second)) {
            if (!m_rows.isInRange(h.tick, h.tick)) continue;
            std::vector<uint32_t> counts;
            for (const int64_t n : h.counts) counts.push_back(uint32_t(std::clamp<int64_t>(n, 0, UINT32_MAX)));
            insert(sample, {chunk.heatmapId, micros(absolute(h.tick)), absolute(h.tick), blobOf(counts)});
          }
        },
        stop);
  }

  ExportRows m_rows;
  Connection m_file;
  std::unique_ptr<Statement> m_channel, m_string, m_event;
  std::map<std::string, int64_t> m_channels;
  std::set<uint32_t> m_labels;
  std::set<int64_t> m_processes;
  ExportCounts m_counts;
};

} // namespace

ExportCounts exportPvti(Reader& reader, const ExportRequest& request, const std::filesystem::path& file, Progress& progress,
                        std::stop_token stop) {
  return PvtiExport(reader, request, file).write(progress, stop);
}

} // namespace reports::exchange
