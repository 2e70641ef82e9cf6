// Turns an assembly into the rows of a report: aligns the clocks of its sources, nests slices by time, binds flows to slices.
#pragma once

#include "reports/core/progress.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

// How the sources' times relate.
struct Alignment {
  enum class By {
    Absolute, // by wall-clock time where every source knows it, else as they are
    Start,    // every source starts at 0
    Marker,   // the first event of a name is at the same time in all
  };
  By by = By::Absolute;
  std::string marker;
  std::vector<int64_t> offsets; // nanoseconds to add, one a source; missing ones are 0
};

// Writes everything but metadata. The counts of the sources are complete afterwards; the sum over all, with the duration, is returned.
// Throws Error(NotFound) if a source lacks the marker.
ImportCounts writeTrace(TraceAssembly& assembly, const Alignment& alignment, Progress& progress, std::stop_token stop);

} // namespace reports::exchange
