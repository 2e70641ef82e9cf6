// A comparison as JSON: all differences, with numbers as JSON numbers.
#include "analyser/compare/compare.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace analyser::compare {

namespace {

using Json = nlohmann::ordered_json;

Json number(double v) {
  if (v == std::floor(v) && std::abs(v) < 9e15) return static_cast<int64_t>(v);
  return v;
}

Json amounts(const Amounts& a) {
  Json json{{"base", number(a.base)}, {"other", number(a.other)}, {"difference", number(a.difference())}};
  if (const auto relative = a.relative()) json["relative"] = *relative;
  if (a.basePerSample && a.otherPerSample)
    json["per_sample"] = {
        {"base", *a.basePerSample}, {"other", *a.otherPerSample}, {"difference", *a.otherPerSample - *a.basePerSample}};
  return json;
}

Json figuresJson(const std::vector<Figure>& list) {
  Json object = Json::object();
  for (const Figure& f : list)
    if (f.difference() != 0) object[f.key] = amounts(f);
  return object;
}

Json factsJson(const std::vector<TextDifference>& list) {
  Json object = Json::object();
  for (const TextDifference& d : list) object[d.key] = {{"base", d.base}, {"other", d.other}};
  return object;
}

const char* presenceName(Presence p) {
  return p == Presence::Both ? "both" : p == Presence::BaseOnly ? "base only" : "other only";
}

const char* causeName(Cause cause) {
  switch (cause) {
  case Cause::Operation: return "operation";
  case Cause::OperationGroup: return "operations of a kind";
  case Cause::HostStreams: return "host streams";
  case Cause::Sync: return "sync";
  case Cause::Idle: return "idle";
  case Cause::OutsideOperations: return "outside operations";
  case Cause::MemoryCategory: return "memory category";
  case Cause::PeakOwner: return "peak owner";
  case Cause::HostLabel: return "label of the host";
  }
  return "";
}

Json amount(int64_t base, int64_t other) { return {{"base", base}, {"other", other}, {"difference", other - base}}; }

Json operationsJson(const Comparison& c) {
  Json list = Json::array();
  for (const OperationDifference& d : c.operations) {
    Json row{{"name", d.name}, {"kind", d.kind}, {"in", presenceName(d.presence)}};
    if (!d.otherName.empty()) row["other_name"] = d.otherName, row["confidence"] = d.confidence;
    row["cycles"] = amount(d.base.total().value(), d.other.total().value());
    row["bytes"] = amount(d.base.memory().value(), d.other.memory().value());
    row["code_bytes"] = amount(d.base.code.value(), d.other.code.value());
    if (d.base.plan != d.other.plan) row["plan"] = {{"base", d.base.plan}, {"other", d.other.plan}};
    list.push_back(std::move(row));
  }
  return list;
}

Json labelsJson(const Comparison& c) {
  Json list = Json::array();
  for (const LabelDifference& d : c.labels) {
    Json row{{"label", d.label}, {"channel", d.channel}, {"in", presenceName(d.presence)}};
    if (c.labelUnit == Unit::Seconds) {
      row["calls"] = amount(d.baseCount, d.otherCount);
      row["nanoseconds"] = amount(d.base, d.other);
      row["mean_nanoseconds"] = amount(d.baseMean, d.otherMean);
    } else {
      row[c.labelUnit == Unit::Bytes ? "bytes" : "count"] = amount(d.base, d.other);
    }
    list.push_back(std::move(row));
  }
  return list;
}

Json comparisonObject(const Comparison& c) {
  Json json = Json::object();
  json["base"] = c.base.path;
  json["other"] = c.other.path;
  json["same"] = c.empty();
  json["verdict"] = c.verdict.text();
  if (c.baseSamples.run && c.otherSamples.run) json["samples"] = {{"base", *c.baseSamples.run}, {"other", *c.otherSamples.run}};
  json["not_compared"] = c.notCompared;
  json["findings"] = Json::array();
  for (const Finding& f : c.findings) {
    Json row{{"cause", causeName(f.cause)},
             {"key", f.key},
             {"unit", f.unit == Unit::Bytes     ? "bytes"
                      : f.unit == Unit::Seconds ? "seconds"
                                                : "cycles"}};
    row.update(amounts(f));
    row["effect"] = f.effect;
    row["text"] = f.text.text();
    json["findings"].push_back(std::move(row));
  }
  json["totals"] = figuresJson(c.totals);
  json["memory.by_category"] = figuresJson(c.memoryByCategory);
  json["operations"] = operationsJson(c);
  json["variables"] = Json::array();
  for (const VariableDifference& d : c.variables)
    json["variables"].push_back({{"name", d.name},
                                 {"operation", d.operation},
                                 {"in", presenceName(d.presence)},
                                 {"category", reports::memoryCategoryName(d.category)},
                                 {"bytes", amount(d.base.value(), d.other.value())}});
  if (!c.labels.empty()) json["host_labels"] = labelsJson(c);
  json["machine"] = factsJson(c.machine);
  json["options"] = factsJson(c.options);
  json["metadata"] = factsJson(c.metadata);
  return json;
}

std::string dumped(const Json& json) { return reports::jsonText(json, 2) + "\n"; }

} // namespace

std::string comparisonJson(const Comparison& c) { return dumped(comparisonObject(c)); }

std::string comparisonJson(const std::vector<Comparison>& comparisons) {
  if (comparisons.size() == 1) return comparisonJson(comparisons.front());
  Json list = Json::array();
  for (const Comparison& c : comparisons) list.push_back(comparisonObject(c));
  return dumped({{"comparisons", std::move(list)}});
}

} // namespace analyser::compare
