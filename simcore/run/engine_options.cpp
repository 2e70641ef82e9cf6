#include "simcore/run/engine_options.h"

#include "reports/core/error.h"
#include "reports/core/json.h"
#include "simcore/run/block_filter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace simcore::run {

using reports::Error;
using reports::ErrorCode;

const std::vector<EngineOption>& knownEngineOptions() {
  constexpr long long kAny = std::numeric_limits<long long>::min();
  static const std::vector<EngineOption> options{
      {"autoReport.all", "false", "default of the options autoReport.output…"},
      {"autoReport.directory", ".", "folder of the files of autoReport.output…", kAny, false, true},
      {"autoReport.outputDebugInfo", "false", "write debug.cbor, without contexts, which are in the report"},
      {"autoReport.outputExecutionProfile", "false", "write profile.pop, the report under Poplar's name"},
      {"autoReport.outputGraphProfile", "false", "write profile.pop, like autoReport.outputExecutionProfile"},
      {"debug.allowOutOfMemory", "true", "write the report of a graph that does not fit; false: fail instead"},
      {"debug.instrument", "true", "keep a cycle counter per instrumented step on every tile"},
      {"debug.instrumentExternalExchange", "false",
       "if Blocks or programs are timed, also time stream copies, on one tile that takes part"},
      {"debug.floatPointOpException", "false", "a result that is infinite or NaN stops the program"},
      {"debug.nanOverflowMode", "false", "a result too large for fp16 is NaN instead of infinite"},
      {"debug.runtimeVerify", "false", "reading an element that nothing wrote stops the program"},
      {"exchange.enablePrefetch", "true", "host streams with callbacks are filled ahead of the program"},
      {"opt.maxCompilationThreads", "0", "threads of the compiler and of the computed numbers; 0: all", 0},
      {"prng.enableStochasticRounding", "false", "results are rounded to fp16 up or down at random"},
      {"prng.seed", "0", "seed of weights, made-up inputs and stochastic rounding"},
      {"profiler.blocks.bufferSize", "1000", "bytes on a tile of each IPU for the begins and ends of Blocks", kBlockRecordBytes},
      {"profiler.blocks.filter", "", "Blocks whose name matches are timed", kAny, true},
      {"profiler.blocks.implicitFlush", "true",
       "a full buffer goes to the host while the program runs; false: later records are lost"},
      {"profiler.blocks.tile", "0", "tile of each IPU that times Blocks", 0},
      {"profiler.programs.filter", "", "programs and scopes whose name matches are timed as if in a Block", kAny, true},
      {"target.hostSyncTimeout", "0", "seconds of the machine's time that a loop may run without the host; 0: no limit", 0},
      {"tilescope.allowUnknownCycles", "true",
       "a vertex without an estimate counts as 0 cycles; false: fail, as Poplar's IPUModel does"},
      {"tilescope.hostCalls", "false",
       "every run of a program begins with a call of the host, for which its IPUs wait; not set: the sample's parameter loop "
       "decides"},
      {"tilescope.estimatesWin", "false",
       "a vertex's own estimate counts, as on an IPUModel; false: cycles counted from its code come first, if there are any"},
      {"tilescope.readsBeside", "false",
       "outside of its fields a codelet reads zeros and its writes are lost, with a warning; false: it stops the program"},
      {"tilescope.maxLoopRounds", "100000", "iterations of one data-dependent loop, after which the program is stopped", 1},
      {"tilescope.maxVertexInstructions", "1000000000",
       "instructions that one call of a codelet may execute, after which the program is stopped", 1},
  };
  return options;
}

namespace {
const EngineOption* find(const std::string& name) {
  const auto& all = knownEngineOptions();
  const auto it = std::find_if(all.begin(), all.end(), [&](const EngineOption& o) { return o.name == name; });
  return it == all.end() ? nullptr : &*it;
}

// Normalises the spellings of a flag.
std::string spelled(const std::string& value) {
  return value == "True" || value == "1" ? "true" : value == "False" || value == "0" ? "false" : value;
}

bool wellFormed(const std::string& name) { // words of letters, digits and underscores, joined by dots
  if (name.empty() || name.front() == '.' || name.back() == '.' || name.find("..") != std::string::npos) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; });
}
} // namespace

void EngineOptionSet::set(const std::string& name, const std::string& given, const std::string& where) {
  if (!wellFormed(name)) throw Error(ErrorCode::InvalidInput, "'" + name + "' is not an option name", where);
  const EngineOption* option = find(name);
  const bool isFlag = option && (option->defaultValue == "true" || option->defaultValue == "false");
  const std::string value = isFlag ? spelled(given) : given;
  if (!option) {
    if (!m_values.count(name)) m_unknown.push_back(name);
  } else if (option->isPattern) {
    namePattern(value, where + ": " + name);
  } else if (isFlag) {
    if (value != "true" && value != "false")
      throw Error(ErrorCode::InvalidInput, "'" + value + "' is neither true nor false", where + ": " + name);
  } else if (!option->isText) {
    long long number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      throw Error(ErrorCode::InvalidInput, "'" + value + "' is not a whole number", where + ": " + name);
    if (number < option->least)
      throw Error(ErrorCode::InvalidInput, "'" + value + "' is less than " + std::to_string(option->least), where + ": " + name);
  }
  m_values[name] = value;
}

void EngineOptionSet::readJson(const std::string& text, const std::string& where) {
  const nlohmann::json json = reports::parseJsonBounded(text, where, {1 << 20, 4});
  if (!json.is_object()) throw Error(ErrorCode::InvalidInput, "engine options must be a JSON object", where);
  for (const auto& [name, value] : json.items()) {
    if (value.is_structured() || value.is_null())
      throw Error(ErrorCode::InvalidInput, "the value of '" + name + "' must be text, a number, true or false", where);
    set(name, value.is_string() ? value.get<std::string>() : reports::jsonText(value), where);
  }
}

std::string EngineOptionSet::value(const std::string& name) const {
  if (const auto it = m_values.find(name); it != m_values.end()) return it->second;
  const EngineOption* option = find(name);
  if (!option) throw Error(ErrorCode::Internal, "no such engine option", name);
  return option->defaultValue;
}

bool EngineOptionSet::flag(const std::string& name) const { return value(name) == "true"; }
std::string EngineOptionSet::text(const std::string& name) const { return value(name); }
long long EngineOptionSet::integer(const std::string& name) const { return std::stoll(value(name)); }

std::map<std::string, std::string> EngineOptionSet::all() const {
  std::map<std::string, std::string> values = m_values;
  for (const EngineOption& o : knownEngineOptions()) values.emplace(o.name, o.defaultValue);
  return values;
}

} // namespace simcore::run
