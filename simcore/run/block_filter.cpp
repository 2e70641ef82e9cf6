#include "simcore/run/block_filter.h"

#include "reports/core/error.h"
#include "simcore/run/engine_options.h"

namespace simcore::run {

using reports::Error;
using reports::ErrorCode;

namespace {
constexpr std::size_t kLongPattern = 1000;
constexpr std::size_t kLongName = 4000; // the library matches by recursion, a call a letter
} // namespace

std::optional<std::regex> namePattern(const std::string& text, const std::string& where) {
  if (text.empty()) return std::nullopt;
  if (text.size() > kLongPattern)
    throw Error(ErrorCode::InvalidInput,
                "the regular expression has " + std::to_string(text.size()) + " letters, more than " +
                    std::to_string(kLongPattern),
                where);
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw Error(ErrorCode::InvalidInput, "'" + text + "' is no regular expression", where,
                "look for brackets that are not closed, and put \\ before signs that stand for themselves");
  }
}

bool BlockFilter::matches(const std::optional<std::regex>& pattern, const std::string& name, const std::string& path) {
  if (!pattern) return false;
  const auto isMatch = [&](const std::string& text) { return text.size() <= kLongName && std::regex_match(text, *pattern); };
  try {
    return isMatch(name) || isMatch(path);
  } catch (const std::regex_error& error) {
    throw Error(ErrorCode::InvalidInput, "matching '" + name + "' takes too long", "profiler filter",
                "use a simpler regular expression");
  }
}

BlockFilter blockFilterOf(const EngineOptionSet& options) {
  BlockFilter filter;
  filter.blocksText = options.text("profiler.blocks.filter");
  filter.programsText = options.text("profiler.programs.filter");
  filter.blocks = namePattern(filter.blocksText, "profiler.blocks.filter");
  filter.programs = namePattern(filter.programsText, "profiler.programs.filter");
  return filter;
}

compile::BlockBuffer blockBufferOf(const EngineOptionSet& options, const arch::Machine& machine) {
  compile::BlockBuffer buffer;
  if (!blockFilterOf(options).any()) return buffer;
  buffer.bytes = options.integer("profiler.blocks.bufferSize");
  buffer.tile = options.integer("profiler.blocks.tile");
  buffer.flushed = options.flag("profiler.blocks.implicitFlush");
  if (buffer.tile >= machine.tilesPerIpu)
    throw Error(ErrorCode::InvalidInput,
                "tile " + std::to_string(buffer.tile) + " is not there: an IPU of " + machine.name + " has " +
                    std::to_string(machine.tilesPerIpu),
                "profiler.blocks.tile", "give a tile from 0 to " + std::to_string(machine.tilesPerIpu - 1));
  if (buffer.bytes > machine.tile.memory.value())
    throw Error(ErrorCode::InvalidInput,
                std::to_string(buffer.bytes) + " bytes are more than the " + std::to_string(machine.tile.memory.value()) +
                    " of a tile",
                "profiler.blocks.bufferSize", "give less; some thousand are usual");
  return buffer;
}

} // namespace simcore::run
