// The lines that `perf script` prints: a header for each sample, and the frames below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reports::exchange {

// "java 25607/25608 [000] 7628263.042515: 1001001 cycles:" in its parts; `-F` may leave out any of them.
struct PerfHeader {
  std::string_view command, event, rest; // `rest`: text after the event
  int64_t pid = -1, tid = -1, cpu = -1;  // -1 if missing; pid is -1 if only a thread is named
  std::optional<int64_t> time;           // nanoseconds
  std::optional<int64_t> period;         // number of events that the sample represents
};
std::optional<PerfHeader> parsePerfHeader(std::string_view line);

// A function, and the file with its code; empty if the line does not name it.
struct PerfFrame {
  std::string name, module;
};
// The frames of a line such as "ffffffff8104f45a native_write_msr+0x6 ([kernel.kallsyms])". "outer->inner" means that inner is
// inlined in outer. A frame without a name gets the module's name in brackets. Only argument lists are removed from names.
std::vector<PerfFrame> framesOfPerf(std::string_view line, bool isJava);
// Whether a line under a header is a frame: an address and a name.
bool isPerfFrame(std::string_view line);
// Whether a line is a frame that ends with a path or a name in brackets. No other text has such lines.
bool isPerfFrameWithModule(std::string_view line);
// The name of a function without its argument list and the text after it.
std::string_view withoutArguments(std::string_view name);

} // namespace reports::exchange
