// Two reports side by side, for the window and the command line. A difference is other - base, so compare(A, B) = -compare(B, A),
// and compare(A, A) lists nothing. Rows are aligned by names, never by row ids.
#pragma once

#include "analyser/compare/pairing.h"
#include "analyser/compare/samples.h"
#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/summary/summary.h"

namespace analyser::compare {

enum class Unit { Cycles, Bytes, Count, Flops, Seconds };

// One number of both reports. Doubles hold the integers of a report exactly up to 2^53.
struct Amounts {
  double base = 0, other = 0;
  std::optional<double> basePerSample, otherPerSample; // if both reports know their samples
  double difference() const { return other - base; }
  std::optional<double> relative() const;          // difference / base; nullopt if the base is 0
  std::optional<double> relativePerSample() const; // nullopt also if samples are unknown or equal
};

struct Figure : Amounts {
  std::string key, title; // key is stable: total_cycles, memory.total_bytes …
  Unit unit = Unit::Count;
  std::string missing; // why one report lacks the figure (which is then 0); empty if both have it
};

// Whether figures of the unit are also given per sample; counts are not.
constexpr bool hasSamples(Unit unit) { return unit != Unit::Count; }
// The keys of all totals, for help.
std::vector<std::pair<std::string, Unit>> figureKeys();

enum class Presence { Both, BaseOnly, OtherOnly };

// The parts of an operation's cost; `total` sums the four.
struct OperationCost {
  Cycles compute, exchange, sync, host;
  Bytes variables, code;
  Flops flops;
  // Means of the IPUs, which sum to the cycles of the run; the fields above sum the steps of all IPUs.
  double meanCompute = 0, meanExchange = 0, meanBetweenIpus = 0; // between IPUs: a part of the exchange
  double meanSync = 0;
  std::string plan; // its plan as text; empty without a planner
  Cycles total() const { return compute + exchange + sync + host; }
  Bytes memory() const { return variables + code; } // the same sum as in the Operations view
};
struct OperationDifference {
  std::string name, otherName, kind; // otherName: empty unless renamed; the second operation of a name ends in "#2"
  Presence presence = Presence::Both;
  double confidence = 1; // of the pairing
  std::string baseKind;  // empty unless the operation has another kind in the base
  OperationCost base, other;
  reports::OperationId baseId = {}, otherId = {}; // invalid in the report that lacks it
  Cycles cycles() const { return other.total() - base.total(); }
  Bytes bytes() const { return other.memory() - base.memory(); }
  bool same() const;
};

struct VariableDifference {
  std::string name, operation; // names in the base; in the other report if the base lacks the variable
  Presence presence = Presence::Both;
  reports::MemoryCategory category{};
  Bytes base, other;                             // over all tiles
  reports::VariableId baseId = {}, otherId = {}; // invalid in the report that lacks it
  Bytes bytes() const { return other - base; }
};

// A setting, a fact of the machine or an engine option that differs.
struct TextDifference {
  std::string key, base, other; // empty if that report lacks it
};

enum class Cause { Operation, OperationGroup, HostStreams, Sync, Idle, OutsideOperations, MemoryCategory, PeakOwner, HostLabel };

// One reason why the totals differ. On one IPU, the cycles of all findings sum to the difference of the total cycles. The bytes
// of the memory categories sum to the difference of the memory.
struct Finding : Amounts {
  Cause cause{};
  std::string key; // stable: the operation's name, "kind:matmul", "cycles.host", "memory.by_category.variable" …
  reports::OperationId baseId = {}, otherId = {}; // of an operation; invalid in the report that lacks it
  Unit unit = Unit::Cycles;
  double effect = 0; // difference / cycles of the base, or difference / memory of the base's machine
  // Greater than 0 if the operation does other work than before, or if its cycles changed unlike those of its kind: the change /
  // all cycles. Such findings come first.
  double standsOut = 0;
  bool isChangedWork = false; // one of the few operations that do other work than before
  std::string title;          // "host streams"
  Sentence reason;            // "64 instead of 16 samples"; may be empty
  Sentence text;              // both with the numbers: "host streams +14,012 cycles: 64 instead of 16 samples; per sample -41 %"
};

// Seconds, the unit of host times in figures and budgets.
inline double inSeconds(Nanoseconds time) { return double(time.value()) * 1e-9; }

// A label of the host's timeline.
struct LabelDifference {
  std::string label, channel;
  Presence presence = Presence::Both;
  int64_t baseCount = 0, otherCount = 0;
  // Totals and means of one call: nanoseconds, or the unit of the value that is compared. Nested slices of a label count once.
  int64_t base = 0, other = 0, baseMean = 0, otherMean = 0;
  int64_t selfDifference = 0; // other - base, without nested slices of other labels
  int64_t difference() const { return other - base; }
};

struct Comparison {
  ReportIdentity base, other;
  SampleCounts baseSamples, otherSamples;
  bool baseFits = true, otherFits = true;                 // figures of a program that does not fit are not a valid result
  std::vector<Figure> totals;                             // all, differing or not
  std::vector<Figure> memoryByCategory;                   // all categories of either report
  std::string missingCategories;                          // why one report lacks categories; empty if both record them
  std::vector<OperationDifference> operations;            // changed or renamed ones, largest effect in cycles, then bytes, first
  std::vector<VariableDifference> variables;              // changed ones, largest absolute effect first
  std::vector<std::string> sameOperations, sameVariables; // names of unchanged ones in both reports
  std::vector<TextDifference> machine, options, metadata;
  std::vector<LabelDifference> labels;  // for two host traces: all labels of both, largest absolute difference first
  Unit labelUnit = Unit::Seconds;       // of the labels; Seconds: their numbers are nanoseconds
  std::vector<Finding> findings;        // causes of the differences, largest effect first
  bool meansOfIpus = false;             // cycles of findings are means over several IPUs, which sum to the means of the run
  std::vector<std::string> notCompared; // items that could not be compared, with the reason
  int64_t pairedByLikeness = 0;         // number of pairs with different names
  Sentence verdict;
  Sentence headline; // the verdict as lines: settings and memory, time, largest cause; empty if one line suffices
  bool samplesDiffer() const;
  bool empty() const; // nothing differs
};

Comparison compare(Session& base, Session& other, std::stop_token stop = {}, const PairingRules& rules = {});

// The verdict over a base and several others, each compared with the base: the report with the least time, and the report with
// the smallest peak tile; only reports that fit can win. Empty if no report that fits has the figure.
Sentence verdictOfAll(const std::vector<Comparison>& comparisons);

// Curves to overlay; either may have no values.
struct CurvePair {
  memory::TileMemory baseMemory, otherMemory;
  liveness::Liveness baseLiveness, otherLiveness;
};
CurvePair curves(Session& base, Session& other, std::stop_token stop = {});

enum class TextFormat { Plain, Markdown, Html };
// Lists only differences: the `top` first rows of each list (0: all). Without a difference, one sentence says so.
std::string comparisonText(const Comparison& comparison, TextFormat format = TextFormat::Plain, std::size_t top = 20);
std::string comparisonJson(const Comparison& comparison);
// Several reports against one base: a table of totals with a column for each, then each comparison by itself.
std::string comparisonText(const std::vector<Comparison>& comparisons, TextFormat format, std::size_t top);
std::string comparisonJson(const std::vector<Comparison>& comparisons);

} // namespace analyser::compare
