// The engine options profiler.*: which Blocks, programs and scopes are timed, and the buffer in which a tile keeps the times.
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

// Its beginning and its end: 8 bytes of cycle counter and 4 for the number of the Block, twice. (41 fit in 1,000 bytes; in the
// published tutorial on lightweight profiling 42 did.)
inline constexpr int64_t kBlockRecordBytes = 24;

// A regular expression as options hold it, in the syntax of RE2 (Perl's, without back references and look-around). Options come from
// reports and environments of others: RE2 matches in time linear to the text, whatever the expression.
using NamePattern = std::shared_ptr<const re2::RE2>;
// Null for an empty text. Throws Error(InvalidInput) for one that is wrong or longer than 1,000 letters.
NamePattern namePattern(const std::string& text, const std::string& where);

struct BlockFilter {
  std::string blocksText = {}, programsText = {}; // as given
  NamePattern blocks = {}, programs = {};

  bool any() const { return blocks || programs; }
  // A name or the whole path of it is matched from its first letter to its last.
  static bool matches(const NamePattern& pattern, const std::string& name, const std::string& path);
};

BlockFilter blockFilterOf(const EngineOptionSet& options);
// No buffer where nothing is to be timed. Throws Error(InvalidInput) for a tile that the machine does not have and for a buffer that
// no tile can hold.
compile::BlockBuffer blockBufferOf(const EngineOptionSet& options, const arch::Machine& machine);

} // namespace simcore::run
