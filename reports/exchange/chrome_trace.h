// Turns the events of a Chrome trace into processes, threads, slices, counters and flows.
#pragma once

#include "reports/exchange/chrome_event.h"
#include "reports/exchange/trace_assembly.h"

#include <memory>

namespace reports::exchange {

class ChromeTrace {
public:
  explicit ChromeTrace(TraceAssembly& assembly);
  ~ChromeTrace();
  void setBackslashes(Backslashes backslashes); // of the file's writer
  void add(const ChromeEvent& event);
  void addFileMember(const std::string& name, const JsonToken& value); // beside traceEvents
  void finish();                                                       // pairs begins with ends; call once

private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace reports::exchange
