#include "analyser/liveness/liveness_columns.h"

namespace analyser::liveness {

using columns::Columns;
using columns::Kind;
using columns::knownIf;
using columns::Sum;

const Columns<LiveRow>& liveColumns() {
  using Row = LiveRow;
  static const Columns<Row> columns = {
      {"variable", "Variable", Kind::Name, "", [](const Row& r) { return r.variable->name; }},
      {"bytes", "Bytes", Kind::Bytes, "Over all tiles of the scope", [](const Row& r) { return r.variable->bytes; }, Sum::Yes},
      {"share", "Share", Kind::Percent, "Of all rows of this table",
       [](const Row& r) { return r.sum.value() > 0 ? ratio(r.variable->bytes, r.sum) : 0.0; }, Sum::Yes},
      {"saves", "Peak falls by", Kind::Bytes,
       "Peak reduction if it were removed; less than its size if another step becomes the peak", &Row::gain},
      {"from", "From", Kind::Count,
       "The step that writes it first. A variable that lives from the first step to the last keeps its value for the next run",
       [](const Row& r) { return knownIf(!r.variable->live.empty(), r.variable->live.begin); }},
      {"until", "Until", Kind::Count, "The step that reads it last",
       [](const Row& r) { return knownIf(!r.variable->live.empty(), r.variable->live.end - 1); }},
      {"mostOnATile", "Most on a tile", Kind::Bytes, "", [](const Row& r) { return r.variable->maxTile; }},
      {"tiles", "Tiles", Kind::Count, "", [](const Row& r) { return r.variable->tiles; }},
      {"category", "Category", Kind::Text, "", [](const Row& r) { return reports::memoryCategoryTitle(r.variable->category); }},
      {"operation", "Operation", Kind::Text, "", [](const Row& r) { return r.variable->operation; }}};
  return columns;
}

namespace {
std::string changeIn(const LiveInRange& r) {
  if (r.births > 0 && r.deaths > 0) return "begins and ends";
  return r.births > 0 ? "begins" : r.deaths > 0 ? "ends" : "lives through";
}
} // namespace

Columns<LiveInRange> rangeColumns(Bytes sum) {
  using Row = LiveInRange;
  return {
      {"variable", "Variable", Kind::Name, "", [](const Row& r) { return r.variable.name; }},
      {"bytes", "Bytes", Kind::Bytes, "Over all tiles of the scope", [](const Row& r) { return r.variable.bytes; }, Sum::Yes},
      {"share", "Share", Kind::Percent, "Of all rows of this table",
       [sum](const Row& r) { return sum > Bytes() ? ratio(r.variable.bytes, sum) : 0.0; }, Sum::Yes},
      {"inRange", "In the range", Kind::Text, "Whether its life begins or ends at one of the selected steps", &changeIn},
      {"from", "From", Kind::Count, "The step that writes it first", [](const Row& r) { return r.variable.live.begin; }},
      {"until", "Until", Kind::Count, "The step that reads it last", [](const Row& r) { return r.variable.live.end - 1; }},
      {"mostOnATile", "Most on a tile", Kind::Bytes, "", [](const Row& r) { return r.variable.maxTile; }},
      {"tiles", "Tiles", Kind::Count, "", [](const Row& r) { return r.variable.tiles; }},
      {"category", "Category", Kind::Text, "", [](const Row& r) { return reports::memoryCategoryTitle(r.variable.category); }},
      {"operation", "Operation", Kind::Text, "", [](const Row& r) { return r.variable.operation; }}};
}

Columns<ShrinkPart> shrinkColumns(const Shrink& shrink) {
  using Part = ShrinkPart;
  Columns<Part> columns = {
      {"category", "Category", Kind::Text, "", &Part::title},
      {"alwaysLive", "Always live", Kind::Bytes, "", &Part::alwaysLive, Sum::Yes},
      {"atPeak", "At the peak", Kind::Bytes, "Not always live, at the peak step", &Part::atPeak, Sum::Yes},
      {"both", "Both", Kind::Bytes, "", [](const Part& p) { return p.alwaysLive + p.atPeak; }, Sum::Yes},
      {"saves", "Peak falls by", Kind::Bytes,
       "How much lower the peak is without this category; less than its bytes if another step becomes the peak", &Part::gain}};
  if (shrink.excess > Bytes())
    columns.push_back({"overWithoutIt", "Over without it", Kind::Bytes,
                       "How far the peak without this category exceeds the memory of the scope; 0 if it fits",
                       [excess = shrink.excess](const Part& p) { return std::max(Bytes(), excess - p.gain); }});
  return columns;
}

Columns<StepDifference> differenceColumns(const std::string& before, const std::string& after) {
  using Row = StepDifference;
  return {{"variable", "Variable", Kind::Name, "", [](const Row& d) { return d.variable.name; }},
          {"before", "At step " + before, Kind::Bytes, "", &Row::before, Sum::Yes},
          {"after", "At step " + after, Kind::Bytes, "", &Row::after, Sum::Yes},
          {"difference", "Difference", Kind::BytesDelta, "", &Row::difference, Sum::Yes},
          {"operation", "Operation", Kind::Text, "", [](const Row& d) { return d.variable.operation; }}};
}

Columns<Step> stepColumns(const Curve& curve) {
  const auto bytesAt = [&curve](const Step& step) {
    const auto at = std::size_t(step.ordinal);
    const bool isKnown = step.ordinal >= 0 && at < curve.notAlwaysLive.size();
    return knownIf(isKnown, isKnown ? curve.notAlwaysLive[at] : Bytes());
  };
  return {{"step", "Step", Kind::Count, "", &Step::ordinal},
          {"kind", "Kind", Kind::Text, "", &Step::kind},
          {"name", "Name", Kind::Name, "", &Step::name},
          {"notAlwaysLive", "Not always live", Kind::Bytes, "", bytesAt}};
}

} // namespace analyser::liveness
