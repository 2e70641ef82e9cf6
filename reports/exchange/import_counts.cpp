#include "reports/exchange/import_counts.h"

namespace reports::exchange {

namespace {
struct MendText {
  std::string_view key, sentence;
};
// In the order of Mend.
constexpr std::array<MendText, kMendCount> kMendTexts{{
    {"unclosed_begins", "begins without an end are drawn to the end of the trace"},
    {"unmatched_ends", "ends without a begin were left out"},
    {"unclosed_async", "asynchronous begins without an end are drawn to the end of the trace"},
    {"unmatched_async_ends", "asynchronous ends without a begin were left out"},
    {"flows_without_start", "flow steps and ends without a start were left out"},
    {"flows_without_end", "flows without an end keep the arrows they have"},
    {"flows_without_slice", "flow arrows that touch no slice were left out"},
    {"negative_durations", "slices end before they start and are shown without duration"},
    {"overlapping_slices", "slices partly overlap another slice of their thread and are drawn on the next free lane"},
    {"events_without_time", "events without a time were left out"},
    {"events_without_process", "events name no process and are shown under “no process”"},
    {"events_of_unknown_kind", "events are of unknown kinds and were left out"},
    {"not_events", "elements are not events and were left out"},
    {"unreadable_events", "events could not be read and were left out"},
    {"torn_file", "file ends too early; everything before the end was read"},
    {"trailing_commas", "extra commas were skipped"},
    {"counter_values_not_numbers", "counter values are not numbers and were left out"},
    {"details_too_large", "slices have more than 16 MiB of details, which were left out"},
    {"channels_merged", "categories beyond the 255th share one channel"},
    {"metadata_not_shown", "metadata events name neither processes nor threads and are not shown"},
    {"times_out_of_range", "events have times that no trace can have (more than 73 years from 0) and were left out"},
    {"packets_not_shown", "packets are of kinds that are not shown"},
    {"packets_lost", "losses of data were noted by the tracer: slices may be missing there"},
    {"unknown_names", "names refer to a table that is not in the file; the number is shown instead"},
    {"unknown_clocks",
     "packets have times of a clock that the file does not relate to the others; left out if other clocks are related"},
    {"lines_not_read", "lines could not be read and were left out"},
    {"samples_without_stack", "samples have no call stack"},
    {"weights_not_numbers", "weights are missing or not numbers and were taken as 0"},
    {"profiles_not_read", "profiles are of unknown kinds and were left out"},
    {"tables_not_read", "tables are not known and were left out"},
    {"trailing_content", "text after the end of the trace was left out"},
    {"misnamed_ends", "ends name a slice that is not open; the innermost open slice was ended"},
    {"durations_not_numbers", "slices have a duration that is not a number and are shown without duration"},
    {"slices_cut", "slices find all 4,096 lanes of their track taken; they share the last one and are cut there"},
    {"bare_backslashes", "names have backslashes that are not escapes, as in Windows paths; they are kept as written"},
    {"details_mended", "details were not valid JSON (NaN, duplicate keys, extra commas, bare backslashes) and were repaired"},
    {"pids_used_again", "processes have the number of an earlier process; both are shown"},
    {"members_not_shown", "members are of kinds that are not shown"},
    {"packets_without_state", "packets depend on a packet that was lost or is not in the file; they were left out"},
    {"event_fields_not_shown", "fields of events are of kinds that are not shown"},
    {"ended_within", "slices without an end of their own ended with the slice around them"},
    {"names_replaced", "names of processes and threads replace an earlier one; the last one is shown"},
    {"stacks_cut", "chains of callers form a circle or have more than 4,096 frames; they were cut there"},
    {"samples_skipped", "samples were skipped by the tracer: they have no call stack"},
    {"samples_without_time",
     "samples have no time of their own: they share the profile's time equally, and their order is not known"},
    {"samples_of_unknown_time",
     "samples and their profile have no times: each sample is drawn as 1 ms, and their order is not known"},
}};
} // namespace

std::string_view mendKey(Mend mend) { return kMendTexts[std::size_t(mend)].key; }
std::string_view mendSentence(Mend mend) { return kMendTexts[std::size_t(mend)].sentence; }

bool isSaidByName(const ImportCounts& counts, Mend mend) {
  const bool isOfNames = mend == Mend::PacketsNotShown || mend == Mend::MembersNotShown || mend == Mend::EventFieldsNotShown;
  return isOfNames && !counts.notShown.empty();
}

void ImportCounts::add(const ImportCounts& o) {
  slices += o.slices, asyncSlices += o.asyncSlices, instants += o.instants, otherInstants += o.otherInstants;
  counterSamples += o.counterSamples, counterValues += o.counterValues, counterSeries += o.counterSeries;
  flows += o.flows, flowArrows += o.flowArrows, processes += o.processes, threads += o.threads, samples += o.samples;
  metadataEvents += o.metadataEvents;
  for (std::size_t i = 0; i < mended.size(); ++i) mended[i] += o.mended[i];
  for (const auto& [kind, n] : o.notShown) notShown[kind] += n;
}

} // namespace reports::exchange
