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
  std::vector<std::string_view> unknown; // members with names outside this list
  char phase() const { return ph.kind == JsonToken::String && !ph.text.empty() ? ph.text[0] : '\0'; } // some write words
};

// clang's -ftime-trace writes sums over the run as slices of threads that do not exist, "Total Frontend": they are drawn apart.
bool isTotal(const ChromeEvent& event);

// Members of events that this importer does not read, by name.
class ChromeUnknownMembers {
public:
  void add(std::string_view name);
  // Adds the members of one event that are unknown, or that have a meaning which its kind of event does not show.
  void addOf(const ChromeEvent& event);
  void addTo(TraceAssembly& assembly) const; // its counts, and an issue that names them

private:
  std::map<std::string, int64_t, std::less<>> m_counts;
};

// Reads one object. The cursor must be at its opening brace; afterwards it is after the object, or unchanged if the scan failed.
Scan scanEvent(JsonCursor& cursor, ChromeEvent& event);

} // namespace reports::exchange
