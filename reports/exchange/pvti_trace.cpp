#include "reports/exchange/pvti_trace.h"

#include "reports/core/join.h"
#include "reports/core/progress.h"
#include "reports/core/sqlite_head.h"
#include "reports/core/text.h"
#include "reports/exchange/begin_end.h"
#include "reports/exchange/pvti_tables.h"
#include "reports/rows/host_writers.h"
#include "reports/sqlite/harden.h"
#include "reports/sqlite/statement.h"

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

namespace reports::exchange {

namespace {

constexpr int64_t kEarliestUnix = 946'684'800'000'000'000; // the year 2000: larger times count from 1970
constexpr std::size_t kMostNames = 20'000'000;             // rows of a table of names
constexpr int64_t kRowsBetweenStops = 1 << 16;

using Table = PvtiLayout::Table;

std::optional<int64_t> integerOf(const SqlValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value); d && std::isfinite(*d) && std::abs(*d) < 9e18)
    return int64_t(std::llround(*d));
  return std::nullopt;
}
// Microseconds as nanoseconds; none if out of range.
std::optional<int64_t> microsOf(const SqlValue& value) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4000;
  if (const auto* i = std::get_if<int64_t>(&value)) return std::abs(*i) < kMost ? std::optional(*i * 1000) : std::nullopt;
  const auto* d = std::get_if<double>(&value);
  return d && std::isfinite(*d) && std::abs(*d) < double(kMost) ? std::optional(int64_t(std::llround(*d * 1000))) : std::nullopt;
}
std::string textOf(const SqlValue& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return validUtf8(*s);
  if (const auto* b = std::get_if<Blob>(&value))
    return validUtf8(std::string_view(reinterpret_cast<const char*>(b->data()), b->size()));
  const auto number = integerOf(value);
  return number ? std::to_string(*number) : std::string();
}

class PvtiReader {
public:
  PvtiReader(Connection& connection, TraceAssembly& assembly, const std::stop_token& stop)
      : m_connection(connection), m_assembly(assembly), m_stop(stop), m_layout(discoverPvti(connection)) {}

  void read() {
    readNames(PvtiTable::Strings, m_strings);
    readNames(PvtiTable::Channels, m_channels);
    readNames(PvtiTable::Graphs, m_graphs);
    readProcesses();
    readThreads();
    readEvents();
    readSeries();
    readPoints();
    readHeatmaps();
    countUnknown();
    TraceSource& source = m_assembly.source();
    if (source.hasTimes() && source.first >= kEarliestUnix) source.clock = "unix", source.unixOffset = 0;
    m_assembly.counts().processes = int64_t(m_processes.size());
  }

private:
  struct Row {
    const Table& table;
    const Statement& statement;
    const std::array<int, kPvtiColumns>& places;
    SqlValue operator[](PvtiColumn column) const {
      const int place = places[std::size_t(column)];
      return place < 0 ? SqlValue() : statement.value(place);
    }
  };
  // Calls f(row) for each row of a table, if the file has it.
  template<class F> void forEach(PvtiTable which, F&& f) {
    const Table* table = m_layout[which];
    if (!table) return;
    std::string sql;
    std::array<int, kPvtiColumns> places;
    places.fill(-1);
    int place = 0;
    for (int c = 0; c < kPvtiColumns; ++c) {
      if (table->columns[std::size_t(c)].empty()) continue;
      sql += (place ? ", " : "SELECT ") + quotedSql(table->columns[std::size_t(c)]);
      places[std::size_t(c)] = place++;
    }
    if (place == 0) return;
    Statement statement(m_connection, sql + " FROM " + quotedSql(table->name));
    int64_t rows = 0;
    try {
      for (; statement.step(); ++rows) {
        if (rows % kRowsBetweenStops == 0) throwIfStopped(m_stop);
        f(Row{*table, statement, places});
      }
    } catch (const Error& error) { // keeps the rows before the damage
      if (error.code() != ErrorCode::Damaged) throw;
      m_assembly.counts().mend(Mend::UnreadableEvents);
      m_assembly.sink().add(
          ReportIssueRow{0, "warning", m_assembly.source().name,
                         "the table " + displayText(table->name, 100) + " is damaged after row " + std::to_string(rows),
                         "copy the file again", 1});
    }
  }
  void countUnknown() {
    if (m_layout.unknown.empty()) return;
    m_assembly.counts().mend(Mend::TablesNotRead, int64_t(m_layout.unknown.size()));
    const std::string names = joined(m_layout.unknown, [](const std::string& name) { return displayText(name, 100); });
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "tables that are not known: " + displayText(names, 400), "",
                                         int64_t(m_layout.unknown.size())});
  }

  void readNames(PvtiTable which, std::map<int64_t, std::string>& names) {
    forEach(which, [&](const Row& row) {
      if (const auto id = integerOf(row[PvtiColumn::Id]); id && names.size() < kMostNames) {
        names[*id] = name(row[PvtiColumn::Name]);
        if (which == PvtiTable::Graphs) m_units[*id] = textOf(row[PvtiColumn::Unit]);
      }
    });
  }
  // A name, or its number in the table of strings, as text.
  std::string name(const SqlValue& value) const {
    if (const auto* id = std::get_if<int64_t>(&value))
      if (const auto found = m_strings.find(*id); found != m_strings.end()) return found->second;
    return textOf(value);
  }
  static std::string nameIn(const std::map<int64_t, std::string>& names, const SqlValue& value) {
    if (const auto* id = std::get_if<int64_t>(&value))
      if (const auto found = names.find(*id); found != names.end()) return found->second;
    return textOf(value);
  }

  void readProcesses() {
    forEach(PvtiTable::Processes, [&](const Row& row) {
      const auto id = integerOf(row[PvtiColumn::Id]), pid = integerOf(row[PvtiColumn::Process]);
      if (!id && !pid) return m_assembly.counts().mend(Mend::UnreadableEvents);
      const std::string name = textOf(row[PvtiColumn::Name]);
      const int64_t shown = pid ? *pid : *id;
      m_processes[id ? *id : *pid] = m_assembly.addProcess(name.empty() ? "process " + std::to_string(shown) : name, shown);
    });
  }
  std::size_t process(std::optional<int64_t> id) {
    const int64_t key = id.value_or(0);
    auto found = m_processes.find(key);
    // Without an id, the only process is meant.
    if (found == m_processes.end() && !id && m_processes.size() == 1) found = m_processes.begin();
    if (found == m_processes.end())
      found = m_processes.emplace(key, m_assembly.addProcess(id ? "process " + std::to_string(key) : "process", id)).first;
    return found->second;
  }
  void readThreads() {
    forEach(PvtiTable::Threads, [&](const Row& row) {
      const auto id = integerOf(row[PvtiColumn::Id]), tid = integerOf(row[PvtiColumn::Thread]);
      if (!id && !tid) return m_assembly.counts().mend(Mend::UnreadableEvents);
      const int64_t key = id ? *id : *tid, shown = tid ? *tid : *id;
      const std::string name = this->name(row[PvtiColumn::Name]);
      const auto of = integerOf(row[PvtiColumn::Process]);
      m_threadProcess[key] = of;
      m_tracks[{of.value_or(-1), key}] =
          m_assembly.addTrack(process(of), name.empty() ? "thread " + std::to_string(shown) : name, shown);
    });
  }
  std::size_t track(std::optional<int64_t> processId, std::optional<int64_t> threadId) {
    const int64_t key = threadId.value_or(0);
    if (!processId)
      if (const auto known = m_threadProcess.find(key); known != m_threadProcess.end()) processId = known->second;
    for (const int64_t of : {processId.value_or(-1), int64_t(-1)})
      if (const auto found = m_tracks.find({of, key}); found != m_tracks.end()) return found->second;
    return m_tracks[{processId.value_or(-1), key}] =
               m_assembly.addTrack(process(processId), "thread " + std::to_string(key), threadId);
  }

  std::optional<int64_t> timeOf(const Row& row) const {
    if (row.table.has(PvtiColumn::TimeNs)) return integerOf(row[PvtiColumn::TimeNs]);
    return microsOf(row[PvtiColumn::Time]);
  }
  std::optional<int64_t> durationOf(const Row& row, int64_t time) const {
    if (row.table.has(PvtiColumn::DurationNs)) return integerOf(row[PvtiColumn::DurationNs]);
    if (const auto duration = microsOf(row[PvtiColumn::Duration])) return duration;
    const auto end = microsOf(row[PvtiColumn::End]);
    return end ? std::optional(*end - time) : std::nullopt;
  }
  enum class Kind { Slice, Begin, End, Instant };
  // Words or their first letters; as numbers: 0 begin, 1 end, 2 instant.
  static std::optional<Kind> kindOf(const SqlValue& value, bool hasDuration) {
    if (std::holds_alternative<SqlNull>(value)) return hasDuration ? Kind::Slice : Kind::Instant;
    if (const auto* number = std::get_if<int64_t>(&value)) {
      if (hasDuration) return Kind::Slice;
      return *number == 0   ? std::optional(Kind::Begin)
             : *number == 1 ? std::optional(Kind::End)
             : *number == 2 ? std::optional(Kind::Instant)
                            : std::nullopt;
    }
    const std::string text = textOf(value);
    switch (text.empty() ? ' ' : std::tolower(static_cast<unsigned char>(text[0]))) {
    case 'x':
    case 'c':
    case 's':
    case 'd': return hasDuration ? Kind::Slice : Kind::Begin;
    case 'b': return hasDuration ? Kind::Slice : Kind::Begin;
    case 'e':
      // "event" is an instant, "end" an end
      return text.size() > 1 && std::tolower(static_cast<unsigned char>(text[1])) == 'v' ? Kind::Instant : Kind::End;
    case 'i':
    case 'm': return Kind::Instant;
    default: return std::nullopt;
    }
  }

  void readEvents() {
    std::map<std::size_t, BeginEndStack> stacks; // by track
    uint32_t order = 0;
    forEach(PvtiTable::Events, [&](const Row& row) {
      const auto time = timeOf(row);
      if (!time) return m_assembly.counts().mend(Mend::EventsWithoutTime);
      const auto duration = durationOf(row, *time);
      const auto kind = kindOf(row[PvtiColumn::Kind], duration.has_value());
      if (!kind) return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
      const std::size_t at = track(integerOf(row[PvtiColumn::Process]), integerOf(row[PvtiColumn::Thread]));
      const std::string json = textOf(row[PvtiColumn::Json]);
      if (*kind == Kind::End) {
        m_assembly.source().see(*time);
        return stacks[at].end(*time, json);
      }
      const uint32_t label = m_assembly.string(name(row[PvtiColumn::Name]));
      const uint8_t channel = m_assembly.channel(nameIn(m_channels, row[PvtiColumn::Channel]));
      m_assembly.see(*time, label);
      if (*kind == Kind::Begin) return stacks[at].begin(*time, label, channel, json, order++);
      if (*kind == Kind::Instant) {
        m_assembly.tracks()[at].instants.push_back({*time, label, channel, InstantScope::Thread, m_assembly.details(json)});
        ++m_assembly.counts().instants;
        return;
      }
      TraceSlice slice;
      slice.start = *time;
      slice.end = *time + std::max<int64_t>(0, *duration);
      if (*duration < 0) m_assembly.counts().mend(Mend::NegativeDurations);
      slice.name = label, slice.channel = channel, slice.order = order++;
      slice.details = m_assembly.details(json);
      m_assembly.source().see(slice.end);
      m_assembly.tracks()[at].slices.push_back(slice);
      ++m_assembly.counts().slices;
    });
    for (auto& [at, stack] : stacks) {
      const auto paired = stack.pair(m_assembly, m_assembly.source().last, m_assembly.tracks()[at].slices);
      m_assembly.counts().slices += paired.pairs;
      mendUnpaired(m_assembly.counts(), paired);
    }
  }

  void readSeries() {
    forEach(PvtiTable::Series, [&](const Row& row) {
      const auto id = integerOf(row[PvtiColumn::Id]);
      if (!id) return m_assembly.counts().mend(Mend::UnreadableEvents);
      const SqlValue graph = row[PvtiColumn::Graph];
      std::string unit = textOf(row[PvtiColumn::Unit]);
      if (const auto of = integerOf(graph); of && unit.empty()) unit = m_units[*of];
      m_series[*id] = m_assembly.addCounter(process(integerOf(row[PvtiColumn::Process])), nameIn(m_graphs, graph),
                                            name(row[PvtiColumn::Name]), unit);
      ++m_assembly.counts().counterSeries;
    });
  }
  // The series of a point: its id in the table of series, or a text, which names a series within the graph.
  std::optional<int64_t> seriesOf(const Row& row) {
    const SqlValue value = row[PvtiColumn::Series];
    if (!std::holds_alternative<std::string>(value)) return integerOf(value);
    const std::string graph = name(row[PvtiColumn::Name]), text = textOf(value);
    const auto [found, isNew] = m_namedSeries.try_emplace({graph, text}, -1 - int64_t(m_namedSeries.size()));
    if (isNew) {
      m_series[found->second] = m_assembly.addCounter(process(integerOf(row[PvtiColumn::Process])), graph, text);
      ++m_assembly.counts().counterSeries;
    }
    return found->second;
  }
  void readPoints() {
    forEach(PvtiTable::Points, [&](const Row& row) {
      const auto time = timeOf(row);
      const auto series = seriesOf(row);
      const SqlValue stored = row[PvtiColumn::Value];
      if (!time) return m_assembly.counts().mend(Mend::EventsWithoutTime);
      const auto found = series ? m_series.find(*series) : m_series.end();
      if (found == m_series.end()) return m_assembly.counts().mend(Mend::UnknownNames);
      const auto* real = std::get_if<double>(&stored);
      const auto* whole = std::get_if<int64_t>(&stored);
      if (!real && !whole) return m_assembly.counts().mend(Mend::CounterValuesNotNumbers);
      m_assembly.source().see(*time);
      m_assembly.counters()[found->second].samples.push_back({*time, real ? *real : double(*whole)});
      ++m_assembly.counts().counterSamples;
      ++m_assembly.counts().counterValues;
    });
  }

  template<class T> static std::vector<T> numbersOf(const SqlValue& value) {
    std::vector<T> out;
    const auto* blob = std::get_if<Blob>(&value);
    if (!blob || blob->size() % sizeof(T) != 0) return out;
    out.resize(blob->size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), blob->data(), blob->size());
    return out;
  }
  void readHeatmaps() {
    std::map<int64_t, std::pair<std::size_t, std::size_t>> heatmaps; // index and number of bins, by id
    forEach(PvtiTable::Heatmaps, [&](const Row& row) {
      const auto id = integerOf(row[PvtiColumn::Id]);
      const auto edges = numbersOf<double>(row[PvtiColumn::Edges]);
      if (!id || edges.size() < 2 || edges.size() > std::size_t(kMaxHeatmapBins) || !std::is_sorted(edges.begin(), edges.end()))
        return m_assembly.counts().mend(Mend::UnreadableEvents);
      heatmaps[*id] = {m_assembly.addHeatmap(process(integerOf(row[PvtiColumn::Process])), name(row[PvtiColumn::Name]),
                                             textOf(row[PvtiColumn::Unit]), edges),
                       edges.size() - 1};
    });
    forEach(PvtiTable::HeatmapSamples, [&](const Row& row) {
      const auto time = timeOf(row);
      const auto id = integerOf(row[PvtiColumn::Heatmap]);
      const auto found = id ? heatmaps.find(*id) : heatmaps.end();
      const auto counts = numbersOf<uint32_t>(row[PvtiColumn::Counts]);
      if (!time) return m_assembly.counts().mend(Mend::EventsWithoutTime);
      if (found == heatmaps.end()) return m_assembly.counts().mend(Mend::UnknownNames);
      std::vector<int64_t> all(found->second.second + 2); // includes the values below the first edge and from the last edge on
      if (counts.size() == found->second.second)
        std::copy(counts.begin(), counts.end(), all.begin() + 1);
      else if (counts.size() == all.size())
        std::copy(counts.begin(), counts.end(), all.begin());
      else
        return m_assembly.counts().mend(Mend::UnreadableEvents);
      m_assembly.source().see(*time);
      m_assembly.heatmaps()[found->second.first].samples.push_back({*time, std::move(all)});
    });
  }

  Connection& m_connection;
  TraceAssembly& m_assembly;
  const std::stop_token& m_stop;
  PvtiLayout m_layout;
  std::map<int64_t, std::string> m_strings, m_channels, m_graphs, m_units;
  std::map<int64_t, std::size_t> m_processes, m_series;
  std::map<std::pair<std::string, std::string>, int64_t> m_namedSeries; // ids below 0
  std::map<int64_t, std::optional<int64_t>> m_threadProcess;
  std::map<std::pair<int64_t, int64_t>, std::size_t> m_tracks; // by process (-1: unknown) and thread
};

} // namespace

bool looksLikePvti(std::string_view head) { return isSqlite(head); }

namespace {

// The size in the header of the database; nothing if it has none.
std::optional<int64_t> namedBytes(const std::filesystem::path& file) {
  std::string head(kSqliteHeadBytes, '\0');
  if (!std::ifstream(file, std::ios::binary).read(head.data(), std::streamsize(head.size()))) return std::nullopt;
  // Otherwise an old program wrote it, which did not update the number of pages.
  const bool isCurrent = bigEndian(head, 24, 4) == bigEndian(head, 92, 4);
  return isCurrent ? databaseBytes(head) : std::nullopt;
}

} // namespace

void readPvti(const std::filesystem::path& file, TraceAssembly& assembly, const std::stop_token& stop) {
  const std::string place = displayText(file.string());
  std::error_code unknown; // opening the database then reports the error
  const auto bytes = std::filesystem::file_size(file, unknown);
  if (const int64_t wanted = namedBytes(file).value_or(0); !unknown && wanted > int64_t(bytes))
    throw Error(ErrorCode::Damaged,
                "the file is cut short: it has only " + std::to_string(bytes) + " of its " + std::to_string(wanted) + " bytes",
                place, "copy it again, or record it again");
  Connection connection(file, Connection::Mode::ReadImmutable, displayText(file.filename().string(), 200));
  try {
    hardenConnection(connection);
    allowOnlySelect(connection);
    const Connection::Watch watch(connection, stop);
    PvtiReader(connection, assembly, stop).read();
  } catch (const Error& error) { // the connection's messages speak of reports
    if (error.code() != ErrorCode::Damaged) throw;
    throw Error(ErrorCode::Damaged, "the SQLite file is damaged; SQLite cannot read its list of tables", place,
                "copy it again, or record it again");
  }
}

} // namespace reports::exchange
