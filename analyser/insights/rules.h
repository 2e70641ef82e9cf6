// The rules, one function each: they append what they find. Thresholds stand with the rule: below them a finding is noise.
#pragma once

#include "analyser/insights/facts.h"
#include "analyser/insights/insight.h"

namespace analyser::insights {

using Findings = std::vector<Insight>;

// Of the run: an operation that wastes less is left alone. The waste of many such is told by the findSpread rules.
inline constexpr double kWorthRun = 0.01;
// Operations with this one selected.
Evidence inOperations(const operations::Operation& o);

void findOutOfMemory(const Facts& facts, Findings& found);
void findFullestTiles(const Facts& facts, Findings& found);
void findExchangeCode(const Facts& facts, Findings& found);
void findReplicatedConstants(const Facts& facts, Findings& found);
void findGaps(const Facts& facts, Findings& found);
void findPeakOwners(const Facts& facts, Findings& found);
void findCodeHeavyTiles(const Facts& facts, Findings& found);

void findUnusedTiles(const Facts& facts, Findings& found);
void findImbalance(const Facts& facts, Findings& found);
void findSpreadUnused(const Facts& facts, Findings& found);
void findSpreadImbalance(const Facts& facts, Findings& found);
void findSpreadExchange(const Facts& facts, Findings& found);
void findSyncWaits(const Facts& facts, Findings& found);
void findExchangeHotSpots(const Facts& facts, Findings& found);
void findCopiesBetweenIpus(const Facts& facts, Findings& found);
void findSmallMessages(const Facts& facts, Findings& found);
void findLowAmpUse(const Facts& facts, Findings& found);
void findSerialTails(const Facts& facts, Findings& found);
void findHostWaits(const Facts& facts, Findings& found);
void findIdleIpus(const Facts& facts, Findings& found);
void findPipelineBubble(const Facts& facts, Findings& found);

} // namespace analyser::insights
