// The kernel's trace as text in the format of systrace and `trace-cmd report`: marks that programs print (atrace), scheduling,
// frequencies. Also the text of systemTraceEvents in some Chrome traces.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/perfetto_ftrace.h"
#include "reports/exchange/trace_assembly.h"

#include <memory>
#include <optional>
#include <string_view>

namespace reports::exchange {

// "  worker-101  ( 100) [002] d..3  1000.000200: sched_switch: prev_comm=… " in its parts.
struct FtraceLine {
  std::string_view command, event, fields;
  int64_t tid = 0, cpu = 0, time = 0; // nanoseconds
  std::optional<int64_t> process;
};
std::optional<FtraceLine> parseFtraceLine(std::string_view line);

// Kernel events as text of any tool: scheduling as a lane for each CPU and states of each thread, marks, frequencies.
class KernelText {
public:
  explicit KernelText(TraceAssembly& assembly);
  ~KernelText();
  // Returns false for kinds of events that are not shown.
  bool add(const FtraceLine& line);
  void finish(); // makes the rows

private:
  struct Rows;
  std::unique_ptr<Rows> m_rows; // made with the first event
  TraceAssembly& m_assembly;
};

bool looksLikeFtraceText(std::string_view head);
void readFtraceText(Window& window, TraceAssembly& assembly);
// Adds the whole text, which is a member of another file.
void addFtraceText(std::string_view text, TraceAssembly& assembly);

} // namespace reports::exchange
