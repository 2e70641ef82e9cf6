// The JSON that a slice or an instant carries, as facts; and the slices its flows lead to, as a table.
#pragma once

#include "analyser/host/host_timeline.h"
#include "ui/shell/fact_list.h"
#include "ui/tables/table.h"

namespace ui::host {

class OpenHost;

// One fact a member; a text that is no object is one fact. At most a hundred.
std::vector<shell::Fact> jsonFacts(const std::string& json);

// A flow of the selected slice with the slice at its other end.
struct FlowRow {
  reports::Flow flow;
  bool leaves = false; // the selected slice is where it starts
  std::optional<analyser::trace::Slice> other;
  reports::TrackId otherTrack;
};
// Row ids are indices of `flows`.
std::shared_ptr<const tables::Table> flowTable(const std::vector<FlowRow>& flows, const OpenHost& host,
                                               const std::function<QString(reports::TrackId)>& threadOf);

} // namespace ui::host
