// Identifies the tables and columns of a .pvti file. Its layout was never published: only the names of table HEATMAP_DATA and its
// column bin_quantities are known (docs.graphcore.ai, projects/libpvti), and the data that the API records. So tables are
// identified by words in their names and by their columns, and columns by a list of likely names; the files of `export --format
// pvti` have one such layout.
#pragma once

#include "reports/sqlite/connection.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace reports::exchange {

enum class PvtiTable { Strings, Channels, Processes, Threads, Events, Graphs, Series, Points, Heatmaps, HeatmapSamples };
inline constexpr int kPvtiTables = int(PvtiTable::HeatmapSamples) + 1;

enum class PvtiColumn {
  Id,
  Name,
  Process,
  Thread,
  Channel,
  Time,
  Duration,
  End,
  Kind,
  Json,
  Unit,
  Graph,
  Series,
  Value,
  Heatmap,
  Edges,
  Counts,
  TimeNs,
  DurationNs, // TimeNs and DurationNs: exact, so preferred if a file also has Time and Duration
};
inline constexpr int kPvtiColumns = int(PvtiColumn::DurationNs) + 1;

struct PvtiLayout {
  struct Table {
    std::string name;                              // as stored
    std::array<std::string, kPvtiColumns> columns; // as stored; empty: missing
    const std::string& operator[](PvtiColumn column) const { return columns[std::size_t(column)]; }
    bool has(PvtiColumn column) const { return !(*this)[column].empty(); }
  };
  std::array<std::optional<Table>, kPvtiTables> tables;
  std::vector<std::string> unknown; // other tables, or duplicate ones, that have rows

  const Table* operator[](PvtiTable table) const {
    const auto& found = tables[std::size_t(table)];
    return found ? &*found : nullptr;
  }
};

// Throws Error(InvalidInput) listing the tables if none holds events, points or heatmaps.
PvtiLayout discoverPvti(Connection& connection);
// A name in quotes, for SQL.
std::string quotedSql(std::string_view name);

} // namespace reports::exchange
