// Turns an assembly into the rows of a report: aligns the clocks of its sources, nests slices by time, binds flows to slices.
#pragma once

#include "reports/core/progress.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

// How the times of the sources are aligned.
struct Alignment {
  enum class By {
    Absolute, // by wall-clock time if every source knows it, else unchanged
    Start,    // every source starts at 0
    Marker,   // the first event with a name has the same time in all sources
  };
  By by = By::Absolute;
  std::string marker;
  std::vector<int64_t> offsets; // nanoseconds to add, one per source; missing ones are 0
};

// Writes everything except metadata. Completes the counts of the sources; returns the sum over all, with the duration. Throws
// Error(NotFound) if a source lacks the marker.
ImportCounts writeTrace(TraceAssembly& assembly, const Alignment& alignment, Progress& progress, std::stop_token stop);

} // namespace reports::exchange
