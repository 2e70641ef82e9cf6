// Counts of what an import read and repaired: the numbers that `tilescope-cli import --json` prints.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace reports::exchange {

// Irregularities in a trace. Nothing is dropped without being counted as one of these.
enum class Mend : uint8_t {
  UnclosedBegins,
  UnmatchedEnds,
  UnclosedAsync,
  UnmatchedAsyncEnds,
  FlowsWithoutStart,
  FlowsWithoutEnd,
  FlowsWithoutSlice,
  NegativeDurations,
  OverlappingSlices,
  EventsWithoutTime,
  EventsWithoutProcess,
  EventsOfUnknownKind,
  NotEvents,
  UnreadableEvents,
  TornFile,
  TrailingCommas,
  CounterValuesNotNumbers,
  DetailsTooLarge,
  ChannelsMerged,
  MetadataNotShown,
  TimesOutOfRange,
  PacketsNotShown,
  PacketsLost,
  UnknownNames,
  UnknownClocks,
  LinesNotRead,
  SamplesWithoutStack,
  WeightsNotNumbers,
  ProfilesNotRead,
  TablesNotRead,
  TrailingContent,
  MisnamedEnds,
  DurationsNotNumbers,
  SlicesCut,
  BareBackslashes,
  DetailsMended,
  PidsUsedAgain,
  MembersNotShown,
  PacketsWithoutState,
  EventFieldsNotShown,
  EndedWithin,
  NamesReplaced,
  StacksCut,
  SamplesSkipped,
  SamplesWithoutTime,
  SamplesOfUnknownTime,
};
inline constexpr int kMendCount = int(Mend::SamplesOfUnknownTime) + 1;

std::string_view mendKey(Mend mend);      // e.g. "unclosed_begins", for JSON
std::string_view mendSentence(Mend mend); // for people, before a count: "begins without an end are drawn to the end of the trace"

struct ImportCounts;
// Whether `notShown` lists the same things by name, so that a sentence would repeat them.
bool isSaidByName(const ImportCounts& counts, Mend mend);

struct ImportCounts {
  int64_t slices = 0;         // with a start and an end, of threads
  int64_t asyncSlices = 0;    // of work that does not belong to a single thread
  int64_t instants = 0;       // instant events of threads, processes and the trace
  int64_t otherInstants = 0;  // steps of asynchronous work, snapshots, memory dumps, call stacks
  int64_t counterSamples = 0; // counter events; one may hold a value for each series of its counter
  int64_t counterValues = 0;  // values of series
  int64_t counterSeries = 0;
  int64_t flows = 0;      // with a start and an end
  int64_t flowArrows = 0; // between two slices, as stored: a flow of three points is two arrows
  int64_t processes = 0;
  int64_t threads = 0; // threads with slices
  int64_t samples = 0; // call stacks
  int64_t metadataEvents = 0;
  int64_t durationNanoseconds = 0; // from the first to the last time in the trace
  std::array<int64_t, kMendCount> mended{};
  std::map<std::string, int64_t> notShown; // kinds of packets, events and fields, by name

  void mend(Mend what, int64_t n = 1) { mended[std::size_t(what)] += n; }
  void add(const ImportCounts& other); // all but the duration
};

} // namespace reports::exchange
