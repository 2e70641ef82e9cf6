// Two reports side by side. `source` is the base, `target` the other; a difference is target - source, so
// compare(A, B) = -compare(B, A), and compare(A, A) lists nothing.
#pragma once

#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/summary/summary.h"

#include <functional>

namespace analyser::compare {

enum class Unit { Cycles, Bytes, Count, Flops, Seconds };

struct Figure {
  std::string key, title; // key is stable: total_cycles, memory.total_bytes …
  Unit unit = Unit::Count;
  double source = 0, target = 0; // doubles hold the integers of a report exactly up to 2^53
  double difference() const { return target - source; }
  // Relative to the source; nullopt where that is zero.
  std::optional<double> relative() const;
};

enum class Presence { Both, SourceOnly, TargetOnly };
struct OperationDifference {
  std::string name, kind; // name carries "#2" for the second operation of the same name
  Presence presence = Presence::Both;
  Cycles sourceCycles, targetCycles;
  Bytes sourceBytes, targetBytes; // variables and code
  Cycles cycles() const { return targetCycles - sourceCycles; }
  Bytes bytes() const { return targetBytes - sourceBytes; }
};

// A setting, a fact of the machine or an engine option that differs.
struct TextDifference {
  std::string key, source, target; // empty where absent
};

struct Comparison {
  ReportIdentity source, target;
  std::vector<Figure> totals;                  // all, differing or not: the table of the Compare view
  std::vector<Figure> memoryByCategory;        // all categories either has
  std::vector<OperationDifference> operations; // that differ, largest absolute effect in cycles, then bytes, first
  int64_t sameOperations = 0;
  std::vector<TextDifference> machine, options, metadata;
  Sentence verdict;
  bool empty() const; // nothing differs
};

Comparison compare(Session& source, Session& target, std::stop_token stop = {});

// Curves to overlay; either may have no values.
struct CurvePair {
  memory::TileMemory sourceMemory, targetMemory;
  liveness::Liveness sourceLiveness, targetLiveness;
};
CurvePair curves(Session& source, Session& target, std::stop_token stop = {});

std::string comparisonText(const Comparison& comparison);
std::string comparisonJson(const Comparison& comparison);

} // namespace analyser::compare
