// The tables that describe one report, by name: for the command line, which prints any of them. The window and the HTML page show
// the same columns, each in its own place.
#pragma once

#include "analyser/columns/table.h"
#include "analyser/session/session.h"

#include <span>
#include <stop_token>

namespace analyser::tables {

struct Asked {
  Session& session;
  std::span<const TileId> tiles; // limits a table to these tiles; empty: all tiles
  std::stop_token stop;
};

struct ReportTable {
  const char* name; // one word, or words with dashes between them; scripts use it
  const char* meaning;
  columns::Table (*read)(const Asked& asked); // no rows if the report has no data for it
  bool ofTiles = false;                       // whether `tiles` limits it
};

std::span<const ReportTable> reportTables();
const ReportTable* reportTable(std::string_view name); // null: there is none

} // namespace analyser::tables
