// The columns of the slices that a search found, in a trace of the machine or of a host.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"

namespace analyser::trace {

// A slice that a search found. Times are nanoseconds of a host, or cycles.
struct FoundSlice {
  std::string name, scopes, track;
  int64_t beginsAt = 0, duration = 0;
  columns::Subjects about = {};
};
const columns::Columns<FoundSlice>& foundColumns(bool isHost);
inline columns::Subjects subjectsOf(const FoundSlice& slice) { return slice.about; }

} // namespace analyser::trace
