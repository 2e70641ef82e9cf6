// A comparison as text and as JSON. Both list only what differs; of nothing, nothing.
#include "analyser/compare/compare.h"

#include "analyser/session/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace analyser::compare {

namespace {

using Json = nlohmann::ordered_json;

std::string valueOf(const Figure& f, double value, bool isSigned) {
  const auto whole = static_cast<int64_t>(std::llround(value));
  switch (f.unit) {
  case Unit::Seconds: return (isSigned && value > 0 ? "+" : "") + formatSeconds(value);
  case Unit::Bytes: return isSigned ? formatSignedBytes(Bytes(whole)) : formatBytes(Bytes(whole));
  default: return isSigned ? formatSignedCount(whole) : formatCount(whole);
  }
}

std::string relativeText(std::optional<double> relative) {
  if (!relative) return "new";
  return (*relative > 0 ? "+" : "") + formatPercent(*relative);
}

void figures(std::string& text, const std::string& title, const std::vector<Figure>& list) {
  std::string rows;
  for (const Figure& f : list)
    if (f.difference() != 0)
      rows += fmt::format("  {:<32} {:>16} {:>16} {:>16}  {}\n", f.title, valueOf(f, f.source, false),
                          valueOf(f, f.target, false), valueOf(f, f.difference(), true), relativeText(f.relative()));
  if (!rows.empty()) text += fmt::format("\n{:<34} {:>16} {:>16} {:>16}\n", title, "base", "other", "difference") + rows;
}

void facts(std::string& text, const std::string& title, const std::vector<TextDifference>& list) {
  if (list.empty()) return;
  text += "\n" + title + "\n";
  for (const TextDifference& d : list)
    text += fmt::format("  {:<32} {} -> {}\n", printable(d.key), d.source.empty() ? "(none)" : printable(d.source),
                        d.target.empty() ? "(none)" : printable(d.target));
}

void operationRows(std::string& text, const Comparison& c) {
  if (c.operations.empty()) return;
  text +=
      fmt::format("\n{:<44} {:>14} {:>14} {:>14} {:>14}\n", "Operations (cycles, bytes)", "base", "other", "difference", "bytes");
  for (const OperationDifference& d : c.operations) {
    const bool inSource = d.presence != Presence::TargetOnly, inTarget = d.presence != Presence::SourceOnly;
    text +=
        fmt::format("  {:<42} {:>14} {:>14} {:>14} {:>14}\n", elideMiddle(printable(d.name), 42),
                    inSource ? formatCount(d.sourceCycles.value()) : "-", inTarget ? formatCount(d.targetCycles.value()) : "-",
                    formatSignedCount(d.cycles().value()), formatSignedBytes(d.bytes()));
  }
  if (c.sameOperations) text += "  " + formatCount(c.sameOperations) + " operations are the same\n";
}

Json number(double v) {
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<int64_t>(v);
  return v;
}

Json figuresJson(const std::vector<Figure>& list) {
  Json object = Json::object();
  for (const Figure& f : list)
    if (f.difference() != 0)
      object[f.key] = {{"base", number(f.source)}, {"other", number(f.target)}, {"difference", number(f.difference())}};
  return object;
}

Json factsJson(const std::vector<TextDifference>& list) {
  Json object = Json::object();
  for (const TextDifference& d : list) object[d.key] = {{"base", d.source}, {"other", d.target}};
  return object;
}

const char* presenceName(Presence p) {
  return p == Presence::Both ? "both" : p == Presence::SourceOnly ? "base only" : "other only";
}

} // namespace

std::string comparisonText(const Comparison& c) {
  if (c.empty()) return {};
  std::string text = "base   " + printable(c.source.fileName) + " (" + printable(c.source.machine) + ")\n" + "other  " +
                     printable(c.target.fileName) + " (" + printable(c.target.machine) + ")\n" + c.verdict.text() + "\n";
  facts(text, "Machine", c.machine);
  facts(text, "Facts", c.metadata);
  facts(text, "Engine options", c.options);
  figures(text, "Totals", c.totals);
  figures(text, "Memory by category", c.memoryByCategory);
  operationRows(text, c);
  return text;
}

std::string comparisonJson(const Comparison& c) {
  Json json;
  json["base"] = c.source.path;
  json["other"] = c.target.path;
  json["same"] = c.empty();
  json["verdict"] = c.verdict.text();
  json["totals"] = figuresJson(c.totals);
  json["memory_by_category"] = figuresJson(c.memoryByCategory);
  json["operations"] = Json::array();
  for (const OperationDifference& d : c.operations)
    json["operations"].push_back(
        {{"name", d.name},
         {"kind", d.kind},
         {"in", presenceName(d.presence)},
         {"cycles", {{"base", d.sourceCycles.value()}, {"other", d.targetCycles.value()}, {"difference", d.cycles().value()}}},
         {"bytes", {{"base", d.sourceBytes.value()}, {"other", d.targetBytes.value()}, {"difference", d.bytes().value()}}}});
  json["machine"] = factsJson(c.machine);
  json["options"] = factsJson(c.options);
  json["metadata"] = factsJson(c.metadata);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace analyser::compare
