#include "analyser/compare/comparison_columns.h"

#include "analyser/compare/verdict.h"
#include "analyser/session/format.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace analyser::compare {

using columns::Columns;
using columns::Kind;

namespace {

constexpr const char *kDelta = "Blue is less, orange is more", *kWhich = "Which of the reports has it";

// The cell of one report in a row of both; unknown if that report lacks the row.
template<class F> auto inBase(F of) {
  return [of](const auto& row) {
    return row.presence == Presence::OtherOnly ? columns::Cell() : columns::cellOf(std::invoke(of, row));
  };
}
template<class F> auto inOther(F of) {
  return [of](const auto& row) {
    return row.presence == Presence::BaseOnly ? columns::Cell() : columns::cellOf(std::invoke(of, row));
  };
}

const char* presenceText(Presence presence) {
  return presence == Presence::Both ? "both" : presence == Presence::BaseOnly ? "only A" : "only B";
}

// The column of a figure's change per sample, if any row has it.
template<class Row> void addPerSample(Columns<Row>& columns, bool isKnown, std::string meaning) {
  if (isKnown) columns.push_back({"perSample", "Per sample", Kind::PercentDelta, std::move(meaning), &Row::relativePerSample});
}

template<class Row> auto amountOf(double Amounts::*which) {
  return [which](const Row& row) { return wholeNumber(row.unit, row.*which); };
}
template<class Row> int64_t differenceOf(const Row& row) { return wholeNumber(row.unit, row.difference()); }

const char* changeText(const InsightDifference& d) {
  if (d.presence != Presence::Both) return d.presence == Presence::OtherOnly ? "new" : "gone";
  if (d.isMoved) return "moved";
  if (!d.change) return "in both";
  return *d.change > 0 ? "costs more" : *d.change < 0 ? "costs less" : "the same";
}

} // namespace

const Columns<VariableDifference>& variableColumns() {
  using Row = VariableDifference;
  static const Columns<Row> columns = {
      {"variable", "Variable", Kind::Name, "", &Row::name},
      {"in", "In", Kind::Text, kWhich, [](const Row& v) { return presenceText(v.presence); }},
      {"operation", "Operation", Kind::Name, "", &Row::operation},
      {"category", "Category", Kind::Text, "", [](const Row& v) { return reports::memoryCategoryTitle(v.category); }},
      {"a", "A", Kind::Bytes, "Over all tiles, in A", inBase(&Row::base)},
      {"b", "B", Kind::Bytes, "Over all tiles, in B", inOther(&Row::other)},
      {"difference", "B − A", Kind::BytesDelta, kDelta, &Row::bytes}};
  return columns;
}

Columns<LabelDifference> labelColumns(Unit unit) {
  using Row = LabelDifference;
  static constexpr const char *kTotal = "Total; nested slices of one label count once", *kCalls = "How often it ran",
                              *kMean = "Of one call";
  static const Columns<Row> columns = {{"label", "Label", Kind::Name, "", &Row::label},
                                       {"channel", "Channel", Kind::Text, "", &Row::channel},
                                       {"timeA", "Time A", Kind::Nanoseconds, kTotal, inBase(&Row::base)},
                                       {"timeB", "Time B", Kind::Nanoseconds, kTotal, inOther(&Row::other)},
                                       {"difference", "B − A", Kind::NanosecondsDelta, kDelta, &Row::difference},
                                       {"callsA", "Calls A", Kind::Count, kCalls, inBase(&Row::baseCount)},
                                       {"callsB", "Calls B", Kind::Count, kCalls, inOther(&Row::otherCount)},
                                       {"meanA", "Mean A", Kind::Nanoseconds, kMean, inBase(&Row::baseMean)},
                                       {"meanB", "Mean B", Kind::Nanoseconds, kMean, inOther(&Row::otherMean)}};
  if (unit == Unit::Seconds) return columns;
  Columns<Row> ofValue = columns::without(columns, {"callsA", "callsB", "meanA", "meanB"});
  for (auto& column : ofValue) {
    if (column.kind == Kind::Nanoseconds) column.kind = unit == Unit::Bytes ? Kind::Bytes : Kind::Count;
    if (column.kind == Kind::NanosecondsDelta) column.kind = unit == Unit::Bytes ? Kind::BytesDelta : Kind::CountDelta;
    if (column.id == "timeA") column.title = "A";
    if (column.id == "timeB") column.title = "B";
  }
  return ofValue;
}

const Columns<InsightDifference>& insightColumns() {
  using Row = InsightDifference;
  static constexpr const char* kShare = "Possible saving, as a share of the run or of the memory";
  static const Columns<Row> columns = {
      {"change", "Change", Kind::Text, "", &changeText},
      {"finding", "Finding", Kind::Text, "", [](const Row& d) { return d.shown().title; }},
      {"where", "Where", Kind::Name, "", [](const Row& d) { return d.shown().where; }},
      {"a", "A", Kind::Percent, kShare, inBase([](const Row& d) { return d.base.share; })},
      {"b", "B", Kind::Percent, kShare, inOther([](const Row& d) { return d.other.share; })},
      {"cost", "Cost", Kind::PercentDelta,
       "Possible saving in B / in A - 1: cycles (per sample if both reports count samples) or bytes", &Row::change},
      {"inWords", "In words", Kind::Text, "", [](const Row& d) { return d.shown().what.text(); }}};
  return columns;
}

Kind kindIn(Unit unit, Kind ofColumn) {
  const bool isDelta = ofColumn == Kind::CountDelta;
  if (ofColumn != Kind::Count && !isDelta) return ofColumn;
  switch (unit) {
  case Unit::Cycles: return isDelta ? Kind::CyclesDelta : Kind::Cycles;
  case Unit::Bytes: return isDelta ? Kind::BytesDelta : Kind::Bytes;
  case Unit::Seconds: return isDelta ? Kind::NanosecondsDelta : Kind::Nanoseconds;
  case Unit::Flops: return isDelta ? Kind::FlopsDelta : Kind::Flops;
  case Unit::Count: break;
  }
  return ofColumn;
}

int64_t wholeNumber(Unit unit, double value) { return std::llround(unit == Unit::Seconds ? value * 1e9 : value); }

Columns<Finding> findingColumns(const Comparison& comparison) {
  using Row = Finding;
  Columns<Row> columns = {
      {"cause", "Cause", Kind::Name,
       std::string("What changed, largest effect first; the cycles of an operation are its compute, exchange and sync, as in "
                   "Operations") +
           (comparison.meansOfIpus ? ", but as the mean of the IPUs" : ""),
       &Row::title},
      {"a", "A", Kind::Count, "In A", amountOf<Row>(&Amounts::base)},
      {"b", "B", Kind::Count, "In B", amountOf<Row>(&Amounts::other)},
      {"difference", "B − A", Kind::CountDelta, kDelta, &differenceOf<Row>},
      {"relative", "Relative", Kind::PercentDelta, "To A: (B − A) / A of this cause alone, as in the headline", &Row::relative},
      {"effect", "Effect", Kind::PercentDelta, "On the whole: (B − A) / all cycles of A, or / the memory of A's machine",
       &Row::effect}};
  const bool perSample = comparison.samplesDiffer();
  addPerSample(columns, perSample,
               perSample ? "Change per sample; samples: " + formatCount(*comparison.baseSamples.run) + " in A, " +
                               formatCount(*comparison.otherSamples.run) + " in B"
                         : std::string());
  columns.push_back({"why", "Why", Kind::Text, "", [](const Row& f) { return f.reason.text(); }});
  return columns;
}

Columns<Figure> figureColumns(const std::vector<Figure>& figures, const std::string& base, const std::string& other) {
  using Row = Figure;
  Columns<Row> columns = {{"figure", "Figure", Kind::Text, "", &Row::title},
                          {"a", "A", Kind::Count, base, amountOf<Row>(&Amounts::base)},
                          {"b", "B", Kind::Count, other, amountOf<Row>(&Amounts::other)},
                          {"difference", "B − A", Kind::CountDelta, kDelta, &differenceOf<Row>},
                          {"relative", "Relative", Kind::PercentDelta, "To A", &Row::relative}};
  addPerSample(columns, std::ranges::any_of(figures, [](const Figure& f) { return f.relativePerSample().has_value(); }),
               "Change per sample of the run; for memory, per sample of the micro-batch");
  return columns;
}

columns::Subjects subjectsOf(const InsightDifference& finding) {
  columns::Subjects subjects;
  const auto add = [&](const insights::Evidence& evidence, columns::Subject::In in) {
    const auto of = [&](Thing thing, auto id) {
      for (columns::Subject subject : columns::about(thing, id)) subject.in = in, subjects.push_back(std::move(subject));
      return id.valid();
    };
    // The most specific evidence: a variable, else an operation, else a step, else the tile if there is only one.
    if (of(Thing::Variable, evidence.variable) || of(Thing::Operation, evidence.operation) || of(Thing::Step, evidence.step))
      return;
    if (evidence.tiles.size() == 1) of(Thing::Tile, evidence.tiles.front());
  };
  if (finding.presence != Presence::OtherOnly) add(finding.base.evidence, columns::Subject::In::Base);
  if (finding.presence != Presence::BaseOnly) add(finding.other.evidence, columns::Subject::In::Other);
  return subjects;
}

namespace {

// Metadata that states a setting of the form under another name, and the parameter that states it too.
struct StatedSetting {
  std::string_view key, title, parameter;
};
constexpr StatedSetting kStated[] = {{"batch_size", "batch", "batch"},
                                     {"batches_per_step", "batches-per-step", "batches"},
                                     {"micro_batches", "accumulation", "accumulation"},
                                     {"pipeline_stages", "pipeline", ""},
                                     {"recomputation", "recompute", "recompute"},
                                     {"precision", "Precision", "type"},
                                     {"iterations", "Iterations", ""},
                                     {"io_tiles", "io-tiles", "io-tiles"},
                                     {"overlap_io", "overlap-io", ""},
                                     {"sharded_state", "shard-state", "state"},
                                     {"kept_in_fp16", "half-state", ""},
                                     {"linear_bytes", "linear-bytes", ""},
                                     {"available_memory", "available-memory", ""}};
constexpr std::string_view kParameter = "parameter.";

// A result, not a setting: the number of samples follows from batch and iterations; some facts are JSON for programs.
bool isResult(const TextDifference& fact) {
  const auto isJson = [](const std::string& value) { return value.starts_with('{') || value.starts_with('['); };
  return fact.key == "samples" || isJson(fact.base) || isJson(fact.other);
}

} // namespace

std::vector<Setting> settingsOf(const Comparison& comparison) {
  std::vector<Setting> settings;
  for (const auto& [of, list] : {std::pair{"machine", &comparison.machine}, {"option", &comparison.options}})
    for (const TextDifference& text : *list) settings.push_back({of, text});
  std::set<std::string> stated; // keys of parameters and options that have a row under the name of another fact
  for (const TextDifference& fact : comparison.metadata) {
    const auto* same = std::ranges::find(kStated, fact.key, &StatedSetting::key);
    if (same == std::end(kStated)) continue;
    settings.push_back({"run", {std::string(same->title), fact.base, fact.other}});
    stated.insert(std::string(kParameter).append(same->parameter));
    stated.insert(std::string(kOption).append(same->title));
  }
  for (const TextDifference& fact : comparison.metadata) {
    const bool hasRow =
        stated.contains(fact.key) || std::ranges::find(kStated, fact.key, &StatedSetting::key) != std::end(kStated);
    if (hasRow || isResult(fact)) continue;
    TextDifference named = fact;
    const bool isParameter = fact.key.starts_with(kParameter), isOption = isEffectiveOption(fact.key);
    if (isParameter || isOption)
      named.key.erase(0, isParameter ? kParameter.size() : kOption.size());
    else
      std::replace(named.key.begin(), named.key.end(), '_', ' ');
    settings.push_back({isParameter ? "sample" : "run", std::move(named)});
  }
  return settings;
}

Columns<Setting> settingColumns(const std::string& base, const std::string& other) {
  using Row = Setting;
  const auto sideOf = [](std::string TextDifference::*side) {
    return [side](const Row& s) { return columns::knownIf(!(s.text.*side).empty(), s.text.*side); };
  };
  return {{"name", "Name", Kind::Text, "", [](const Row& s) { return s.text.key; }},
          {"of", "Of", Kind::Text, "", &Row::of},
          {"a", "A", Kind::Text, base, sideOf(&TextDifference::base)},
          {"b", "B", Kind::Text, other, sideOf(&TextDifference::other)}};
}

} // namespace analyser::compare
