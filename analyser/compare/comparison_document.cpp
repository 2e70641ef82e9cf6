#include "analyser/compare/comparison_document.h"

#include "analyser/compare/comparison_columns.h"
#include "analyser/session/format.h"
#include "reports/core/text.h"

#include <algorithm>
#include <cmath>

namespace analyser::compare {

namespace {

std::string valueOf(Unit unit, double value, bool isSigned) {
  const auto whole = static_cast<int64_t>(std::llround(value));
  switch (unit) {
  case Unit::Seconds: return (isSigned && value > 0 ? "+" : "") + formatSeconds(value);
  case Unit::Bytes: return isSigned ? formatSignedBytes(Bytes(whole)) : formatBytes(Bytes(whole));
  default: return isSigned ? formatSignedCount(whole) : formatCount(whole);
  }
}

std::string relativeText(std::optional<double> relative, const char* without) {
  if (!relative) return without;
  return (*relative > 0 ? "+" : "") + formatPercent(*relative);
}

std::string identityText(const ReportIdentity& identity) {
  return printable(identity.fileName) + " (" + printable(identity.machine) + ")";
}

// Keeps the first `top` rows and adds a note with the number of others.
void cut(TextSection& section, std::size_t top) {
  if (top == 0 || section.rows.size() <= top) return;
  section.note = "… and " + formatCount(static_cast<int64_t>(section.rows.size() - top)) + " more (--top 0 lists all)" +
                 (section.note.empty() ? "" : "; " + section.note);
  section.rows.resize(top);
}

TextSection findings(const Comparison& c, std::size_t top) {
  TextSection section{c.meansOfIpus ? "Causes, largest effect first (cycles are means of the IPUs)"
                                    : "Causes, largest effect first",
                      {{"cause", false}, {"effect"}},
                      {},
                      {},
                      false};
  for (const Finding& f : c.findings) section.rows.push_back({f.text.text(), relativeText(f.effect, "")});
  if (!c.findings.empty())
    section.note = c.labels.empty()               ? "in brackets: share of the base's cycles, or of its machine's memory"
                   : c.labelUnit == Unit::Seconds ? "in brackets: share of the time of the base"
                                                  : "in brackets: share of the sum of the base";
  cut(section, top);
  return section;
}

TextSection figures(const std::string& title, const std::vector<Figure>& list) {
  TextSection section{title, {{title, false}, {"base"}, {"other"}, {"difference"}, {"change"}}, {}, {}, false};
  const bool perSample = std::any_of(list.begin(), list.end(), [](const Figure& f) { return f.relativePerSample().has_value(); });
  if (perSample) section.columns.push_back({"per sample"});
  for (const Figure& f : list) {
    if (f.difference() == 0 || !f.missing.empty()) continue;
    section.rows.push_back({f.title, valueOf(f.unit, f.base, false), valueOf(f.unit, f.other, false),
                            valueOf(f.unit, f.difference(), true), relativeText(f.relative(), "new")});
    if (perSample) section.rows.back().push_back(relativeText(f.relativePerSample(), ""));
  }
  return section;
}

std::string cellText(const columns::Cell& cell, columns::Kind kind) {
  using columns::Kind;
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  const auto* whole = std::get_if<int64_t>(&cell);
  if (!whole) return "-";
  const bool isBytes = kind == Kind::Bytes || kind == Kind::BytesDelta;
  if (columns::isDelta(kind)) return isBytes ? formatSignedBytes(Bytes(*whole)) : formatSignedCount(*whole);
  return isBytes ? formatBytes(Bytes(*whole)) : formatCount(*whole);
}

// A column of the document: a described column, with "base" or "other" in its heading.
struct Pick {
  std::string_view id;
  const char* heading;
};

template<class Row>
TextSection sectionOf(const char* title, const columns::Columns<Row>& described, std::initializer_list<Pick> picks,
                      const std::vector<Row>& rows) {
  TextSection section{title, {}, {}, {}, true};
  section.rows.resize(rows.size());
  for (const Pick& pick : picks) {
    const auto& column = described[std::size_t(columns::indexOf(described, pick.id))];
    section.columns.push_back({pick.heading, columns::isNumeric(column.kind)});
    for (std::size_t r = 0; r < rows.size(); ++r) section.rows[r].push_back(cellText(column.value(rows[r]), column.kind));
  }
  return section;
}

std::string pairedName(const OperationDifference& o) {
  if (o.otherName.empty()) return o.name;
  return o.name + " → " + o.otherName + " (" + formatPercent(o.confidence) + " sure)";
}

TextSection operationSection(const Comparison& c, std::size_t top) {
  TextSection section{
      "Operations", {{"operation", false}, {"base cycles"}, {"other cycles"}, {"difference"}, {"memory"}}, {}, {}, true};
  const auto cyclesOf = [](const auto& side, bool isThere) { return isThere ? formatCount(side.total().value()) : "-"; };
  for (const OperationDifference& o : c.operations)
    section.rows.push_back({printable(pairedName(o)), cyclesOf(o.base, o.presence != Presence::OtherOnly),
                            cyclesOf(o.other, o.presence != Presence::BaseOnly), formatSignedCount(o.cycles().value()),
                            formatSignedBytes(o.bytes())});
  if (!c.sameOperations.empty() && !section.rows.empty())
    section.note = reports::counted(int64_t(c.sameOperations.size()), "operation is", "operations are") + " the same";
  cut(section, top);
  return section;
}

TextSection variableSection(const Comparison& c, std::size_t top) {
  TextSection section = sectionOf(
      "Variables", variableColumns(),
      {{"variable", "variable"}, {"operation", "operation"}, {"a", "base"}, {"b", "other"}, {"difference", "difference"}},
      c.variables);
  if (!c.sameVariables.empty() && !section.rows.empty())
    section.note = reports::counted(int64_t(c.sameVariables.size()), "variable is", "variables are") + " the same";
  cut(section, top);
  return section;
}

TextSection facts(const std::string& title, const std::vector<TextDifference>& list) {
  TextSection section{title, {{title, false}, {"base", false}, {"other", false}}, {}, {}, false};
  for (const TextDifference& d : list)
    section.rows.push_back(
        {printable(d.key), d.base.empty() ? "(none)" : printable(d.base), d.other.empty() ? "(none)" : printable(d.other)});
  return section;
}

} // namespace

ComparisonDocument documentOf(const Comparison& c, std::size_t top) {
  ComparisonDocument d;
  d.base = identityText(c.base), d.other = identityText(c.other), d.verdict = c.verdict.text();
  if (c.empty()) return d;
  for (const std::string& words : c.notCompared) d.notes.push_back("not compared: " + printable(words));
  if (c.pairedByLikeness > 0)
    d.notes.push_back(reports::counted(c.pairedByLikeness, "operation was", "operations were") +
                      " renamed and paired by likeness; --exact-names or --apart undoes it");
  for (TextSection& section : std::vector<TextSection>{
           findings(c, top), facts("Machine", c.machine), facts("Settings", c.metadata), facts("Engine options", c.options),
           figures("Totals", c.totals), figures("Memory by category", c.memoryByCategory), operationSection(c, top),
           variableSection(c, top)})
    if (!section.rows.empty()) d.sections.push_back(std::move(section));
  return d;
}

TextSection totalsOfAll(const std::vector<Comparison>& comparisons) {
  TextSection section{"Totals of all", {{"Totals of all", false}}, {}, {}, false};
  if (comparisons.empty()) return section;
  section.columns.push_back({printable(comparisons.front().base.fileName)});
  for (const Comparison& c : comparisons) section.columns.push_back({printable(c.other.fileName)});
  for (const Figure& f : comparisons.front().totals) {
    std::vector<std::string> row{f.title, valueOf(f.unit, f.base, false)};
    for (const Comparison& c : comparisons) {
      const auto it = std::find_if(c.totals.begin(), c.totals.end(), [&](const Figure& g) { return g.key == f.key; });
      std::string cell = it == c.totals.end() ? "-" : valueOf(it->unit, it->other, false);
      if (it != c.totals.end() && it->difference() != 0) cell += " (" + relativeText(it->relative(), "new") + ")";
      row.push_back(std::move(cell));
    }
    section.rows.push_back(std::move(row));
  }
  return section;
}

} // namespace analyser::compare
