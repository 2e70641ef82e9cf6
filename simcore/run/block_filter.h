// The engine options profiler.*: which Blocks, programs and scopes are timed, and the buffer in which a tile stores the times.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/compile/lowered_program.h"

#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace simcore::run {

class EngineOptionSet;

// A record of the begin and end of a Block: twice 8 bytes of cycle counter and 4 bytes of Block number. (41 records fit into
// 1,000 bytes; in the published tutorial on lightweight profiling it was 42.)
inline constexpr int64_t kBlockRecordBytes = 24;

// A regular expression of an option, in the syntax of RE2 (Perl's without back references and look-around). Options may come from
// other people's reports and environments; RE2 matches any expression in time linear to the text.
using NamePattern = std::shared_ptr<const re2::RE2>;
// Null for an empty text. Throws Error(InvalidInput) for an invalid expression, or one longer than 1,000 letters.
NamePattern namePattern(const std::string& text, const std::string& where);

struct BlockFilter {
  std::string blocksText = {}, programsText = {}; // as given
  NamePattern blocks = {}, programs = {};
  bool streamCopies = false; // debug.instrumentExternalExchange: also times stream copies, on the tiles that they reach

  bool any() const { return blocks || programs; }
  // Whether the pattern matches the whole name or the whole path.
  static bool matches(const NamePattern& pattern, const std::string& name, const std::string& path);
};

BlockFilter blockFilterOf(const EngineOptionSet& options);
// The buffer of a tile; none if nothing is to be timed. Throws Error(InvalidInput) for a tile that the machine does not have, and
// for a buffer larger than a tile's memory.
compile::BlockBuffer blockBufferOf(const EngineOptionSet& options, const arch::Machine& machine);

} // namespace simcore::run
