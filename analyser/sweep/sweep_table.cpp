#include "analyser/sweep/sweep_table.h"

#include "analyser/session/format.h"
#include "reports/core/join.h"
#include "reports/sqlite/connection.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace analyser::sweep {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTileBytes = "memory.max_tile_bytes";

bool isDone(const Point& p) { return p.record && p.record->state == State::Done; }

bool haveClocks(const std::vector<Point>& points) {
  constexpr double kSame = 1e-6; // relative difference of equal clocks: times are rounded, while clocks differ by megahertz
  std::optional<double> clock;
  for (const Point& p : points) {
    const auto cycles = figureOf(p, "total_cycles"), seconds = figureOf(p, "seconds");
    if (!isDone(p) || cycles.value_or(0) <= 0 || seconds.value_or(0) <= 0) continue;
    const double own = *cycles / *seconds;
    if (clock && std::abs(own / *clock - 1) > kSame) return true;
    clock = own;
  }
  return false;
}

// Runs by effort, then by fullest tile: a run is optimal if its fullest tile is smaller than that of all earlier ones.
void markFront(SweepTable& table) {
  const auto rank = [&](const Point* p) { return std::pair(*effortOf(table, *p), *figureOf(*p, kTileBytes)); };
  std::vector<Point*> fitting;
  for (Point& p : table.points)
    if (isDone(p) && effortOf(table, p) && figureOf(p, kTileBytes)) fitting.push_back(&p);
  std::stable_sort(fitting.begin(), fitting.end(), [&](const Point* a, const Point* b) { return rank(a) < rank(b); });
  std::optional<double> least;
  for (Point* p : fitting) {
    p->isOptimal = !least || *figureOf(*p, kTileBytes) < *least;
    if (p->isOptimal) least = figureOf(*p, kTileBytes);
  }
}

// "batch 4, precision fp16": the values of a run that not all runs have.
std::string variedText(const SweepTable& t, const Point& of) {
  std::vector<std::pair<std::string, std::string>> varied;
  for (const auto& value : of.configuration.values)
    if (std::any_of(t.points.begin(), t.points.end(), [&](const Point& p) {
          const auto& values = p.configuration.values;
          return std::find(values.begin(), values.end(), value) == values.end();
        }))
      varied.push_back(value);
  return reports::joined(varied, [](const auto& value) { return value.first + " " + value.second; });
}

Sentence verdictOf(const SweepTable& t) {
  Sentence verdict;
  verdict << int64_t(t.done + t.doesNotFit) << " of " << int64_t(t.points.size()) << " runs are done";
  if (t.doesNotFit) verdict << ", " << t.doesNotFit << (t.doesNotFit == 1 ? " does not fit" : " do not fit");
  if (t.failed) verdict << ", " << t.failed << " failed";
  if (t.missing) verdict << ", " << t.missing << (t.missing == 1 ? " is missing" : " are missing");
  const Point* best = nullptr;
  for (const Point& p : t.points)
    if (p.isOptimal && (!best || *effortOf(t, p) < *effortOf(t, *best))) best = &p;
  if (best) {
    const bool perSample = figureOf(*best, "samples").has_value();
    verdict << (t.isOfClocks ? "; least time" : "; fewest cycles") << (perSample ? " per sample" : "") << ": ";
    if (t.isOfClocks) verdict << formatSeconds(*secondsOf(*best)) << ", ";
    if (const auto cycles = cyclesOf(*best)) verdict << Cycles(static_cast<int64_t>(*cycles));
    if (const std::string values = variedText(t, *best); !values.empty()) verdict << " with " << Sentence::Name{values};
  }
  return verdict << ".";
}

// Makes text of a file safe for a terminal and a spreadsheet; a number stays a number.
std::string csvCell(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  return csvField(printable(text), !isNumber);
}

// The name of an option is not a formula, and readers of the table need it unchanged.
std::string csvHead(const std::string& name) {
  const bool isOption =
      name.starts_with("--") && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  return isOption ? name : csvCell(name);
}

std::string numberText(double value) {
  return value == std::floor(value) && std::abs(value) < 9e15 ? std::to_string(static_cast<int64_t>(value))
                                                              : fmt::format("{}", value);
}

std::string valueOf(const Point& p, const std::string& parameter) {
  for (const auto& [name, value] : p.configuration.values)
    if (name == parameter) return value;
  return {};
}

std::string stateText(const Point& p) { return p.record ? stateName(p.record->state) : "missing"; }

void insertPoints(reports::Connection& db, const SweepTable& table, const std::string& marks) {
  reports::Statement insert(db, "INSERT INTO point VALUES (" + marks + ")");
  int64_t number = 0;
  for (const Point& p : table.points) {
    int i = 1;
    const std::string state = stateText(p), message = p.record ? p.record->message : std::string();
    insert.reset();
    insert.bind(i++, number++), insert.bind(i++, p.configuration.key), insert.bind(i++, state);
    insert.bind(i++, int64_t(p.isOptimal)), insert.bind(i++, message);
    insert.bind(i++, p.record ? std::optional<double>(p.record->wallSeconds) : std::nullopt);
    for (const char* name : kFigures) insert.bind(i++, figureOf(p, name));
    std::vector<std::string> values;
    for (const std::string& name : table.parameters) values.push_back(valueOf(p, name));
    for (const std::string& value : values) insert.bind(i++, value);
    insert.step();
  }
}

} // namespace

std::optional<double> figureOf(const Point& point, const std::string& name) {
  if (!point.record) return std::nullopt;
  const auto it = point.record->figures.find(name);
  if (it == point.record->figures.end()) return std::nullopt;
  return it->second;
}

namespace {
std::optional<double> perSample(const Point& point, const char* figure) {
  const auto value = figureOf(point, figure), samples = figureOf(point, "samples");
  if (!value || !samples || *samples <= 0) return value;
  return *value / *samples;
}
} // namespace

std::optional<double> cyclesOf(const Point& point) { return perSample(point, "total_cycles"); }
std::optional<double> secondsOf(const Point& point) { return perSample(point, "seconds"); }

std::optional<double> effortOf(const SweepTable& table, const Point& point) {
  return table.isOfClocks ? secondsOf(point) : cyclesOf(point);
}

SweepTable readSweep(const fs::path& folder) {
  Manifest manifest = readManifest(folder / "manifest.jsonl");
  SweepTable table;
  table.parameters = std::move(manifest.parameters);
  for (Configuration& c : manifest.configurations) {
    Point p;
    p.record = readRecord(recordFile(folder, c.key), c.key);
    std::error_code ignored;
    if (const fs::path report = reportFile(folder, c.key); fs::is_regular_file(report, ignored)) p.report = report;
    p.configuration = std::move(c);
    if (!p.record)
      ++table.missing;
    else
      ++(p.record->state == State::Done ? table.done : p.record->state == State::DoesNotFit ? table.doesNotFit : table.failed);
    table.points.push_back(std::move(p));
  }
  table.isOfClocks = haveClocks(table.points);
  markFront(table);
  table.verdict = verdictOf(table);
  return table;
}

std::string sweepCsv(const SweepTable& table) {
  std::string text = "key,state,optimal";
  for (const std::string& name : table.parameters) text += "," + csvHead(name);
  for (const char* name : kFigures) text += std::string(",") + name;
  text += ",message\r\n";
  for (const Point& p : table.points) {
    text += p.configuration.key + "," + stateText(p) + "," + (p.isOptimal ? "1" : "0");
    for (const std::string& name : table.parameters) text += "," + csvCell(valueOf(p, name));
    for (const char* name : kFigures) {
      const auto value = figureOf(p, name);
      text += value ? "," + numberText(*value) : ",";
    }
    text += "," + csvCell(p.record ? p.record->message : "") + "\r\n";
  }
  return text;
}

void writeSweepDatabase(const SweepTable& table, const fs::path& file) {
  reports::Connection db(file, reports::Connection::Mode::ReadWrite);
  std::vector<std::string> columns{"number INTEGER PRIMARY KEY", "key TEXT NOT NULL",     "state TEXT NOT NULL",
                                   "optimal INTEGER NOT NULL",   "message TEXT NOT NULL", "wall_seconds REAL"};
  for (const char* name : kFigures) columns.push_back(reports::quotedName(name) + " REAL");
  std::set<std::string> taken{"number", "key", "state", "optimal", "message", "wall_seconds"};
  for (const char* name : kFigures) taken.insert(name);
  for (const std::string& name : table.parameters)
    columns.push_back(reports::quotedName(taken.contains(name) ? "parameter." + name : name) + " TEXT");
  db.execute("CREATE TABLE point (" + reports::joined(columns) + ") STRICT");
  db.execute("BEGIN");
  insertPoints(db, table, reports::joined(std::vector<std::string_view>(columns.size(), "?")));
  db.execute("COMMIT");
  db.close();
}

} // namespace analyser::sweep
