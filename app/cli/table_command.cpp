#include "app/cli/table_command.h"

#include "analyser/session/in_report.h"
#include "analyser/tables/report_tables.h"
#include "analyser/tables/table_text.h"
#include "app/cli/options.h"

#include <charconv>
#include <ostream>

namespace app::cli {

namespace {

using analyser::tables::TextForm;

constexpr int64_t kMostRows = 1'000'000'000;

std::vector<std::string> namesOfTables() {
  std::vector<std::string> names;
  for (const auto& table : analyser::tables::reportTables()) names.emplace_back(table.name);
  return names;
}

TextForm formOf(const std::string& format) {
  return format == "csv"        ? TextForm::Csv
         : format == "json"     ? TextForm::Json
         : format == "markdown" ? TextForm::Markdown
                                : TextForm::Aligned;
}

std::vector<reports::TileId> tilesOf(const std::vector<std::string>& words, int64_t tiles) {
  std::vector<reports::TileId> list;
  for (const std::string& word : words) {
    int64_t tile = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), tile);
    if (error != std::errc() || end != word.data() + word.size() || tile < 0 || tile >= tiles)
      throw reports::Error(reports::ErrorCode::InvalidInput, "'" + word + "' is not a tile of this report", "--tiles",
                           tiles > 0 ? "give numbers from 0 to " + std::to_string(tiles - 1) : "the report has no tiles");
    list.emplace_back(tile);
  }
  return list;
}

// The tables that have rows in this report.
analyser::columns::Table listOfTables(analyser::Session& session, std::stop_token stop) {
  using analyser::columns::Kind;
  analyser::columns::Table list;
  list.titles = {{"name", "Table", {}, Kind::Text}, {"rows", "Rows", {}, Kind::Count}, {"meaning", "Meaning", {}, Kind::Text}};
  for (const auto& table : analyser::tables::reportTables()) {
    const auto rows = int64_t(table.read({session, {}, stop}).rows.size());
    list.rows.push_back({std::string(table.name), rows, std::string(table.meaning)});
  }
  return list;
}

} // namespace

void TableCommand::declare(Options& command) {
  command.addOption("REPORT", m_report, "a report (.tsr)").required().check(isNamed());
  command.addOption("NAME", m_name, "the table; without a name, the tables of the report are listed")
      .check(isOneOf(namesOfTables()));
  command.addOption("--columns", m_columns, "ids of the columns to print, in this order").delimiter(',');
  command.addFlag("--describe", m_describe, "list the table's columns: id, title, unit and meaning");
  command.addOption("--sort", m_sort, "id of the column that orders the rows: numbers largest first, text from A");
  command.addOption("--top", m_top, "most rows to print; 0: all").check(isInRange(0, kMostRows)).showDefault();
  command.addOption("--tiles", m_tiles, "only these tiles, for tables of tiles, variables, vertices, compute sets and exchanges")
      .delimiter(',');
  command.addOption("--format", m_format, "table, csv, json or markdown; csv and json have ids and plain numbers")
      .check(isOneOf({"table", "csv", "json", "markdown"}))
      .showDefault();
}

int TableCommand::run(Context& context) {
  const auto session = analyser::Session::open(m_report);
  const TextForm form = formOf(m_format);
  if (m_name.empty()) {
    context.out << analyser::tables::textOf(analyser::inReport(*session, [&] { return listOfTables(*session, context.stop); }),
                                            form);
    return kDone;
  }
  const auto& asked = *analyser::tables::reportTable(m_name);
  const auto tiles = tilesOf(m_tiles, session->machine().tiles());
  if (!tiles.empty() && !asked.ofTiles)
    throw reports::Error(reports::ErrorCode::InvalidInput, "the table '" + m_name + "' is not by tile", "--tiles",
                         "leave the option out");
  auto table = analyser::inReport(*session, [&] { return asked.read({*session, tiles, context.stop}); });
  if (m_describe) {
    context.out << analyser::tables::columnsOf(table, form);
    return kDone;
  }
  analyser::tables::sortRows(table, m_sort);
  const std::size_t all = table.rows.size();
  if (m_top > 0 && all > std::size_t(m_top)) table.rows.resize(std::size_t(m_top));
  analyser::tables::keepColumns(table, m_columns);
  context.out << analyser::tables::textOf(table, form);
  if (form == TextForm::Aligned && table.rows.empty()) context.err << "tilescope-cli: the report has no rows for this table\n";
  if (form == TextForm::Aligned && table.rows.size() < all)
    context.err << "tilescope-cli: " << table.rows.size() << " of " << all << " rows are shown (see --top)\n";
  return kDone;
}

} // namespace app::cli
