#include "simcore/run/block_filter.h"

#include "reports/core/error.h"
#include "simcore/run/engine_options.h"

#include <re2/re2.h>

namespace simcore::run {

using reports::Error;
using reports::ErrorCode;

namespace {
constexpr std::size_t kLongPattern = 1000;
}

NamePattern namePattern(const std::string& text, const std::string& where) {
  if (text.empty()) return nullptr;
  if (text.size() > kLongPattern)
    throw Error(ErrorCode::InvalidInput,
                "the regular expression has " + std::to_string(text.size()) + " letters, more than " +
                    std::to_string(kLongPattern),
                where);
  RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_shared<const RE2>(text, options);
  if (!pattern->ok())
    throw Error(ErrorCode::InvalidInput, "'" + text + "' is not a regular expression: " + pattern->error(), where,
                "close every bracket, and put \\ before literal signs; back references and look-around are not "
                "supported");
  return pattern;
}

bool BlockFilter::matches(const NamePattern& pattern, const std::string& name, const std::string& path) {
  return pattern && (RE2::FullMatch(name, *pattern) || RE2::FullMatch(path, *pattern));
}

BlockFilter blockFilterOf(const EngineOptionSet& options) {
  BlockFilter filter;
  filter.blocksText = options.text("profiler.blocks.filter");
  filter.programsText = options.text("profiler.programs.filter");
  filter.blocks = namePattern(filter.blocksText, "profiler.blocks.filter");
  filter.programs = namePattern(filter.programsText, "profiler.programs.filter");
  filter.streamCopies = options.flag("debug.instrumentExternalExchange");
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
                "tile " + std::to_string(buffer.tile) + " does not exist: an IPU of " + machine.name + " has " +
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
