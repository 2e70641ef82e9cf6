// One event of Chrome's Trace Event Format, as pieces of its text. Format: "Trace Event Format" (Google),
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
#pragma once

#include "reports/exchange/json_scan.h"
#include "reports/exchange/trace_assembly.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reports::exchange {

struct ChromeEvent {
  JsonToken ph, name, cat, ts, dur, pid, tid, id, id2, scope, s, bp, args, bindId, flowIn, flowOut;
  JsonToken threadTime, threadDuration;  // "tts" and "tdur"
  JsonToken stackFrame, stack;           // "sf" names one of stackFrames, "stack" is a list of frames
  std::vector<std::string_view> unknown; // members with names that are not listed above
  // some writers use whole words
  char phase() const { return ph.kind == JsonToken::String && !ph.text.empty() ? ph.text[0] : '\0'; }
};

// Whether it is a sum over the run ("Total Frontend"), which clang's -ftime-trace writes as a slice of a thread that does not
// exist. Such slices get their own rows.
bool isTotal(const ChromeEvent& event);

// Counts members of events that this importer does not show, by name.
class ChromeUnknownMembers {
public:
  void add(std::string_view name);
  // Counts the members of one event that are unknown, or that are not shown for this kind of event.
  void addOf(const ChromeEvent& event);
  void addTo(TraceAssembly& assembly) const; // adds the counts, and an issue that names the members

private:
  std::map<std::string, int64_t, std::less<>> m_counts;
};

// Reads one object. The cursor must be at its opening brace; afterwards it is after the object, or unchanged if the scan failed.
Scan scanEvent(JsonCursor& cursor, ChromeEvent& event);

} // namespace reports::exchange
