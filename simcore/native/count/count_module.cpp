#include "simcore/native/count/count_module.h"

#include "simcore/native/count/data_dependence.h"
#include "simcore/native/count/ir_line.h"
#include "simcore/native/count/ir_reader.h"
#include "simcore/native/count/loops.h"
#include "simcore/native/count/prices.h"
#include "simcore/native/count/short_sums.h"
#include "simcore/native/count/twin.h"
#include "simcore/native/count/twin_calls.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::native {

namespace {

using VertexKind = graph::Codelet::Kind;

// Functions reachable from `entries`, including these.
std::set<std::string> reachedFrom(const IrModule& module, const std::vector<std::string>& entries) {
  std::map<std::string, const IrFunction*> functions;
  for (const auto& f : module.functions) functions[f.name] = &f;
  std::set<std::string> reached;
  std::vector<std::string> open = entries;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const auto found = functions.find(name);
    if (found == functions.end() || !reached.insert(name).second) continue;
    for (const auto& i : found->second->instructions) {
      if (i.is("call") && !i.callee.empty()) open.push_back(i.callee);
      for (const auto& operand : i.operands)
        if (!operand.global.empty()) open.push_back(operand.global);
    }
  }
  return reached;
}

// Functions that read the cycle counter, or call one that does.
std::set<std::string> clockReaders(const IrModule& module) {
  std::set<std::string> readers{"__builtin_ipu_get_scount_l", "__builtin_ipu_get_scount_u", "__builtin_ipu_get"};
  for (std::size_t before = 0; before != readers.size();) {
    before = readers.size();
    for (const auto& f : module.functions)
      for (const auto& i : f.instructions)
        if (i.is("call") && readers.count(i.callee)) readers.insert(f.name);
  }
  return readers;
}

// A global variable in the counting module: a constant is duplicated, a mutable one is declared and belongs to the plain module.
std::string globalOfTwins(const IrGlobal& global, IrModule& module) {
  if (global.name.rfind("llvm.", 0) == 0) return {};
  const bool isShared =
      global.text.find("linkonce_odr") != std::string::npos || global.text.find("weak_odr") != std::string::npos;
  if (global.isDeclaration || (global.isConstant && (global.isInternal || isShared))) return global.text;
  IrLine line(global.text, global.line, module);
  if (global.isInternal) line.fail("a mutable global is not shared yet");
  while (line.peek() != "global" && line.peek() != "constant") line.next();
  line.next();
  const auto before = line.rest();
  line.type();
  const std::string type(before.substr(0, before.size() - line.rest().size()));
  return fmt::format("@{} = external {}{} {}", global.name, global.isThreadLocal ? "thread_local " : "",
                     global.isConstant ? "constant" : "global", type);
}

class Counting {
public:
  Counting(std::string_view text, const CountOptions& options) : m_options(options), m_module(readIr(text)) {
    for (const auto& f : m_module.functions) m_defined.insert(f.name);
    m_clockReaders = clockReaders(m_module);
    for (const auto& entry : options.entries) {
      if (!m_defined.count(entry.symbol))
        throw reports::Error(reports::ErrorCode::NotFound, "the module does not define '" + entry.symbol + "'", "LLVM IR");
      m_entries.insert(entry.symbol);
    }
    m_takers = functionsThatTakeCounters(m_module, m_clockReaders);
  }

  CountedModule count() {
    CountedModule result;
    for (const auto& line : m_module.otherLines)
      if (line.rfind("!llvm.dbg.cu", 0) != 0) result.ir += line + "\n";
    result.ir += countingAttributes(m_module);
    const auto workers = namesOf(false), supervised = namesOf(true);
    for (const auto& global : m_module.globals) result.ir += withNames(globalOfTwins(global, m_module), workers) + "\n";
    result.ir += countersCode(m_options.countersSymbol, m_module.opaquePointers);
    const auto bySupervisor = reachedFrom(m_module, entriesOf(true));
    std::vector<std::string> others = entriesOf(false); // and unreached functions: tables may name them
    for (const auto& name : m_defined)
      if (!bySupervisor.count(name)) others.push_back(name);
    const auto byWorker = reachedFrom(m_module, others);
    for (const auto& function : m_module.functions) {
      const Loops loops(function);
      if (byWorker.count(function.name)) result.ir += twin(function, loops, false, workers);
      if (bySupervisor.count(function.name)) result.ir += twin(function, loops, true, supervised);
    }
    result.ir += nodesOfCountingLoops(result.ir, m_module.otherLines);
    describe(result);
    return result;
  }

private:
  std::vector<std::string> entriesOf(bool supervisor) const {
    std::vector<std::string> names;
    for (const auto& entry : m_options.entries)
      if ((entry.kind == VertexKind::Supervisor) == supervisor) names.push_back(entry.symbol);
    return names;
  }

  // The supervisor's code has other costs, so functions that workers and supervisors call exist twice.
  std::map<std::string, std::string> namesOf(bool supervisor) const {
    const auto entries = entriesOf(supervisor);
    std::map<std::string, std::string> names;
    for (const auto& name : m_defined) {
      const bool isEntry = std::find(entries.begin(), entries.end(), name) != entries.end();
      const std::string suffix = m_options.suffix + (isEntry                 ? ".body"
                                                     : supervisor            ? ".supervisor"
                                                     : m_entries.count(name) ? ".worker"
                                                                             : "");
      names[name] = name.back() == '"' ? name.substr(0, name.size() - 1) + suffix + "\"" : name + suffix;
    }
    return names;
  }

  std::string twin(const IrFunction& function, const Loops& loops, bool supervisor,
                   const std::map<std::string, std::string>& names) {
    const auto entries = entriesOf(supervisor);
    PriceOptions options;
    options.isSupervisor = supervisor;
    options.isVertex = std::find(entries.begin(), entries.end(), function.name) != entries.end();
    options.repeatLimit = m_options.repeatLimit;
    options.defined = &m_defined;
    const FunctionPrices prices = priceFunction(function, loops, options);
    m_unknown[function.name].insert(prices.unknown.begin(), prices.unknown.end());
    return twinOf(function, loops, prices,
                  {&names, m_options.countersSymbol, m_module.opaquePointers,
                   options.isVertex ? function.name + m_options.suffix : "", &m_clockReaders, &m_takers});
  }

  void describe(CountedModule& result) {
    std::vector<std::string> symbols;
    for (const auto& entry : m_options.entries) symbols.push_back(entry.symbol);
    const auto depends = entriesThatDependOnData(m_module, symbols);
    for (const auto& entry : m_options.entries) {
      CountedFunction function;
      function.symbol = entry.symbol;
      function.twin = entry.symbol + m_options.suffix;
      function.dependsOnData = depends.at(entry.symbol);
      std::set<std::string> unknown;
      for (const auto& name : reachedFrom(m_module, {entry.symbol}))
        unknown.insert(m_unknown[name].begin(), m_unknown[name].end());
      function.unknown.assign(unknown.begin(), unknown.end());
      function.callsUnknown = std::any_of(unknown.begin(), unknown.end(), [](const auto& name) { return name != "double"; });
      result.entries.push_back(std::move(function));
    }
  }

  const CountOptions& m_options;
  IrModule m_module;
  std::set<std::string> m_defined, m_entries, m_clockReaders;
  std::map<std::string, std::string> m_takers;            // functions that take counters, with their return types
  std::map<std::string, std::set<std::string>> m_unknown; // by function
};

} // namespace

const std::vector<std::string>& machineFlags() {
  static const std::vector<std::string> flags = {"-O2",
                                                 "-fno-slp-vectorize",
                                                 "-funroll-loops", // unrolls short loops completely
                                                 "-mllvm",
                                                 "-unroll-runtime=false",
                                                 "-mllvm",
                                                 "-unroll-allow-partial=false",
                                                 "-mllvm",
                                                 "-unroll-allow-peeling=false",
                                                 "-mllvm",
                                                 "-force-vector-width=2",
                                                 "-mllvm",
                                                 "-force-vector-interleave=1",
                                                 "-mllvm",
                                                 "-hints-allow-reordering=false",
                                                 "-mllvm",
                                                 "-pragma-vectorize-memory-check-threshold=8"};
  return flags;
}

CountedModule countModule(std::string_view ir, const CountOptions& options) { return Counting(ir, options).count(); }

} // namespace simcore::native
