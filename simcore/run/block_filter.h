// The engine options profiler.*: which Blocks, programs and scopes are timed, and the buffer in which a tile keeps the times.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/compile/lowered_program.h"

#include <optional>
#include <regex>
#include <string>

namespace simcore::run {

class EngineOptionSet;

// Its beginning and its end: 8 bytes of cycle counter and 4 for the number of the Block, twice. (41 fit in 1,000 bytes; in the
// published tutorial on lightweight profiling 42 did.)
inline constexpr int64_t kBlockRecordBytes = 24;

// A regular expression (ECMAScript) as options hold it; empty: none. Throws Error(InvalidInput) for one that is wrong or longer than
// 1,000 letters.
std::optional<std::regex> namePattern(const std::string& text, const std::string& where);

struct BlockFilter {
  std::string blocksText = {}, programsText = {}; // as given
  std::optional<std::regex> blocks = {}, programs = {};

  bool any() const { return blocks || programs; }
  // A name or the whole path of it is matched from its first letter to its last.
  static bool matches(const std::optional<std::regex>& pattern, const std::string& name, const std::string& path);
};

BlockFilter blockFilterOf(const EngineOptionSet& options);
// No buffer where nothing is to be timed. Throws Error(InvalidInput) for a tile that the machine does not have and for a buffer that
// no tile can hold.
compile::BlockBuffer blockBufferOf(const EngineOptionSet& options, const arch::Machine& machine);

} // namespace simcore::run
