#include "analyser/compare/comparison_columns.h"

#include "analyser/session/format.h"

namespace analyser::compare {

using columns::Columns;
using columns::Kind;

namespace {

constexpr const char *kDelta = "Blue is less, orange is more", *kWhich = "Which of the reports has it";

// Of a row of both reports, what the report without the row does not have.
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

std::string pairedName(const OperationDifference& o) {
  if (o.otherName.empty()) return o.name;
  return o.name + " → " + o.otherName + " (" + formatPercent(o.confidence) + " sure)";
}

} // namespace

const Columns<OperationDifference>& operationColumns() {
  using Row = OperationDifference;
  static constexpr const char* kMemory = "Its variables and code over all tiles, as in Operations";
  static const Columns<Row> columns = {
      {"operation", "Operation", Kind::Name, "", &pairedName},
      {"in", "In", Kind::Text, kWhich, [](const Row& o) { return presenceText(o.presence); }},
      {"kind", "Kind", Kind::Text, "", &Row::kind},
      {"cyclesA", "Cycles A", Kind::Cycles, "Cycles in the base", inBase([](const Row& o) { return o.base.total(); })},
      {"cyclesB", "Cycles B", Kind::Cycles, "Cycles in the other report", inOther([](const Row& o) { return o.other.total(); })},
      {"cyclesDifference", "Cycles B − A", Kind::CyclesDelta, kDelta, &Row::cycles},
      {"memoryA", "Memory A", Kind::Bytes, kMemory, inBase([](const Row& o) { return o.base.memory(); })},
      {"memoryB", "Memory B", Kind::Bytes, kMemory, inOther([](const Row& o) { return o.other.memory(); })},
      {"memoryDifference", "Memory B − A", Kind::BytesDelta, kDelta, &Row::bytes}};
  return columns;
}

const Columns<VariableDifference>& variableColumns() {
  using Row = VariableDifference;
  static const Columns<Row> columns = {
      {"variable", "Variable", Kind::Name, "", &Row::name},
      {"in", "In", Kind::Text, kWhich, [](const Row& v) { return presenceText(v.presence); }},
      {"operation", "Operation", Kind::Name, "", &Row::operation},
      {"category", "Category", Kind::Text, "", [](const Row& v) { return reports::memoryCategoryTitle(v.category); }},
      {"a", "A", Kind::Bytes, "Over all tiles, in the base", inBase(&Row::base)},
      {"b", "B", Kind::Bytes, "Over all tiles, in the other report", inOther(&Row::other)},
      {"difference", "B − A", Kind::BytesDelta, kDelta, &Row::bytes}};
  return columns;
}

const Columns<LabelDifference>& labelColumns() {
  using Row = LabelDifference;
  static constexpr const char *kTotal = "Total; a label inside itself counts once", *kCalls = "How often it ran",
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
  return columns;
}

const Columns<DetailsDifferenceRow>& detailsColumns() {
  using Row = DetailsDifferenceRow;
  static const Columns<Row> columns = {{"memory", "Memory", Kind::Text, "", &Row::title},
                                       {"a", "A", Kind::Bytes, "In the base", inBase(&Row::base)},
                                       {"b", "B", Kind::Bytes, "In the other report", inOther(&Row::other)},
                                       {"difference", "B − A", Kind::BytesDelta, kDelta, &Row::difference},
                                       {"relative", "Relative", Kind::PercentDelta, "To A", [](const Row& r) {
                                          const bool isKnown = r.base != Bytes();
                                          return columns::knownIf(isKnown, isKnown ? ratio(r.difference(), r.base) : 0.0);
                                        }}};
  return columns;
}

} // namespace analyser::compare
