// Graphs for tests of the rules: a balanced program for the simulator, and the fault that one rule detects.
#pragma once

#include "analyser/insights/insights.h"
#include "reports/sqlite/writer.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/run/simulate.h"
#include "tests/support/temporary_folder.h"

#include <QTest>

#include <algorithm>
#include <memory>

namespace tests {

using namespace analyser::insights;
using namespace simcore;
using namespace simcore::graph;

inline constexpr int kTiles = 32;

// A machine of 32 tiles with one balanced operation of `evenElements` elements per tile; a test adds a fault.
class FaultGraph {
public:
  // `machine`: the machine's name in the report; if empty, the name of a test machine.
  explicit FaultGraph(int ipus = 1, int tiles = kTiles, int64_t evenElements = 20000, const std::string& machine = {})
      : m_graph(std::make_shared<Graph>(named(arch::tinyMachine(tiles, ipus), machine))) {
    Codelet work;
    work.name = "Work";
    work.fields = {{"x", FieldDirection::InOut}};
    work.cycles = [](const auto& sizes) { return 10 + 10 * sizes.at("x"); };
    m_graph->addCodelet(work);
    Codelet make;
    make.name = "Make";
    make.fields = {{"out", FieldDirection::Output}};
    make.cycles = [](const auto& sizes) { return 10 + sizes.at("out"); };
    m_graph->addCodelet(make);
    Codelet fast;
    fast.name = "Fast";
    fast.fields = {{"x", FieldDirection::InOut}};
    fast.cycles = [](const auto&) { return 50; };
    m_graph->addCodelet(fast);
    Codelet wide;
    wide.name = "Wide";
    wide.fields = {{"x", FieldDirection::InOut}};
    wide.fields[0].interleaved = true;
    wide.cycles = [](const auto&) { return 50; };
    m_graph->addCodelet(wide);
    Codelet code;
    code.name = "Huge";
    code.fields = {{"x", FieldDirection::InOut}};
    code.cycles = [](const auto&) { return 50; };
    code.codeBytes = 150000;
    m_graph->addCodelet(code);
    if (evenElements > 0) operation("even", std::vector<int64_t>(std::size_t(tiles * ipus), evenElements));
  }

  Graph& graph() { return *m_graph; }
  Sequence& main() { return m_main; }
  static TileId tile(std::size_t n) { return TileId(n); }

  // One vertex per tile with the given size (0: no vertex). `isNamed` is false for a compute set that no library made.
  void operation(const std::string& name, const std::vector<int64_t>& sizes, const std::string& codelet = "Work",
                 std::size_t first = 0, bool isNamed = true) {
    const auto context = isNamed ? m_graph->addContext({}, name, "library", "Operation") : reports::DebugContextId();
    const auto set = m_graph->addComputeSet(name, context);
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      if (sizes[t] == 0) continue;
      const Tensor x = on(name + "/x" + std::to_string(t), sizes[t], first + t);
      m_graph->setTileMapping(m_graph->addVertex(set, codelet, {{"x", x}}), tile(first + t));
    }
    m_main.add(program::execute(set));
  }
  Tensor on(const std::string& name, int64_t elements, std::size_t where) {
    const Tensor x = m_graph->addVariable(ElementType::Float, {elements}, name);
    m_graph->setTileMapping(x, tile(where));
    return x;
  }
  void copy(const Tensor& from, const Tensor& to, const std::string& name) {
    m_main.add(program::copy(from, to, name, m_graph->addContext({}, name, "library", "Copy")));
  }

  Insights insights(std::map<std::string, std::string> metadata = {{"precision", "fp32"}}) {
    const std::filesystem::path file = m_folder / "fault.tsr";
    Workload load;
    load.name = load.title = "fault";
    load.graph = m_graph;
    load.programs = {{"main", m_main.program()}};
    run::SimulateOptions options;
    options.engine.numbers = false;
    options.metadata = std::move(metadata);
    {
      reports::Writer writer(file);
      run::HostTimeline timeline("test");
      reports::NoProgress none;
      run::simulate(load, options, writer, timeline, {}, none);
      if (!issue.place.empty()) writer.add(issue);
      writer.commit();
    }
    const auto session = analyser::Session::open(file.string());
    return analyser::insights::insights(*session);
  }

  reports::ReportIssueRow issue; // added to the report if its place is set

private:
  static arch::Machine named(arch::Machine machine, const std::string& name) {
    if (!name.empty()) machine.name = name;
    return machine;
  }

  std::shared_ptr<Graph> m_graph;
  Sequence m_main;
  TemporaryFolder m_folder;
};

inline const Insight* findingOf(const Insights& all, const std::string& rule) {
  for (const Insight& i : all.list)
    if (i.rule == rule) return &i;
  return nullptr;
}

QByteArray listed(const Insights& all) {
  std::string text;
  for (const Insight& i : all.list) text += i.rule + ": " + i.what.text() + "\n";
  return QByteArray::fromStdString(text);
}

// Every finding has these fields; parts are optional.
inline void verifyComplete(const Insight& i) {
  QVERIFY2(!i.title.empty() && !i.what.empty() && !i.where.empty(), i.rule.c_str());
  QVERIFY2((i.bytes > analyser::Bytes()) != (i.cycles > analyser::Cycles()), i.rule.c_str());
  QVERIFY2(i.share > 0, i.rule.c_str());
  QVERIFY2(!i.evidence.view.empty() && !i.evidence.words.empty(), i.rule.c_str());
  QVERIFY2(!i.advice.empty(), i.rule.c_str());
}

inline constexpr int kManyTiles = 64;

// Every tile has a row and needs a column: one word from each other tile.
inline void transpose(FaultGraph& g, int k) {
  const auto matrix = [&](const std::string& name) {
    const Tensor m = g.graph().addVariable(ElementType::Float, {kManyTiles, kManyTiles}, name + std::to_string(k));
    for (int t = 0; t < kManyTiles; ++t) g.graph().setTileMapping(m.slice(t, t + 1), TileId(std::size_t(t)));
    return m;
  };
  g.copy(matrix("a").dimShuffle({1, 0}), matrix("b"), "transpose" + std::to_string(k));
}

// A variable with `elements` elements per tile, alive in two steps.
// Adds the step that writes it; returns the step that reads it, which the caller adds as its last use.
inline Program makeTemporary(FaultGraph& g, const std::string& name, int64_t elements) {
  const Tensor big = g.graph().addVariable(ElementType::Float, {kTiles * elements}, name);
  g.graph().mapTensorLinearly(big);
  const auto make = g.graph().addComputeSet("make " + name), use = g.graph().addComputeSet("use " + name);
  for (std::size_t t = 0; t < kTiles; ++t) {
    const Tensor part = big.slice(int64_t(t) * elements, int64_t(t + 1) * elements);
    g.graph().setTileMapping(part, TileId(t));
    g.graph().setTileMapping(g.graph().addVertex(make, "Make", {{"out", part}}), TileId(t));
    g.graph().setTileMapping(g.graph().addVertex(use, "Fast", {{"x", part}}), TileId(t));
  }
  g.main().add(program::execute(make));
  return program::execute(use);
}

inline void addTemporary(FaultGraph& g, const std::string& name, int64_t elements) {
  g.main().add(makeTemporary(g, name, elements));
}

// One operation writes a value, a second one runs, and a third one reads the value.
inline void addActivation(FaultGraph& g, int64_t elements) {
  auto& graph = g.graph();
  const auto forward = graph.addContext({}, "forward", "library", "Operation"),
             backward = graph.addContext({}, "backward", "library", "Operation");
  const auto make = graph.addComputeSet("make", forward), use = graph.addComputeSet("use", backward);
  const Tensor x = graph.addVariable(ElementType::Float, {elements}, "activation", forward);
  graph.setTileMapping(x, FaultGraph::tile(3));
  graph.setTileMapping(graph.addVertex(make, "Make", {{"out", x}}), FaultGraph::tile(3));
  graph.setTileMapping(graph.addVertex(use, "Fast", {{"x", x}}), FaultGraph::tile(3));
  g.main().add(program::execute(make));
  g.operation("loss", {100});
  g.main().add(program::execute(use));
}

// Only little work if the fault is in another part of the program, so that the other part is visible.
FaultGraph graphFor(const std::string& rule) {
  if (rule == "memory.exchange-code" || rule == "time.small-messages") return FaultGraph(1, kManyTiles, 0);
  if (rule == "time.low-amp-use" || rule == "time.sync-waits" || rule == "time.spread-exchange")
    return FaultGraph(1, kTiles, 500);
  if (rule == "time.host-waits") return FaultGraph(1, kTiles, 2000);
  if (rule == "time.copies-between-ipus") return FaultGraph(2, kTiles, 500);
  if (rule == "time.idle-ipus") return FaultGraph(4, kTiles, 0);
  return FaultGraph(rule == "time.pipeline-bubble" ? 2 : 1);
}

inline void addFault(FaultGraph& g, const std::string& rule) {
  std::vector<int64_t> sizes(kTiles, 0);
  if (rule == "memory.fullest-tiles") {
    sizes[5] = 40000;
    g.operation("hoard", sizes, "Fast");
  } else if (rule == "memory.replicated-constants") {
    const auto set = g.graph().addComputeSet("look");
    for (std::size_t t = 0; t < kTiles; ++t) {
      const Tensor table =
          g.graph().addConstant(ElementType::Float, {2000}, std::vector<float>(2000, 1.0f), "table_" + std::to_string(t));
      g.graph().setTileMapping(table, TileId(t));
      const Tensor copy = g.on("used" + std::to_string(t), 2000, t);
      g.main().add(program::copy(table, copy));
      g.graph().setTileMapping(g.graph().addVertex(set, "Fast", {{"x", copy}}), TileId(t));
    }
    g.main().add(program::execute(set));
  } else if (rule == "memory.gaps") {
    sizes[3] = 70000; // 273 KiB behind the boundary of interleaved memory, and little below it
    g.operation("wide", sizes, "Wide");
  } else if (rule == "memory.code-heavy-tiles") {
    sizes[7] = 10;
    g.operation("code", sizes, "Huge");
  } else if (rule == "memory.peak-owners") {
    addTemporary(g, "temporary", 20000);
  } else if (rule == "memory.out-of-memory") {
    sizes[9] = 200000; // 781 KiB
    g.operation("too large", sizes, "Fast");
  } else if (rule == "memory.exchange-code" || rule == "time.small-messages") {
    for (int k = 0; k < 60; ++k) transpose(g, k);
  } else if (rule == "time.unused-tiles") {
    sizes[0] = 40000;
    g.operation("alone", sizes);
  } else if (rule == "time.imbalance") {
    for (std::size_t t = 0; t < kTiles; ++t) sizes[t] = t % 2 ? 30000 : 3000;
    g.operation("uneven", sizes);
  } else if (rule == "time.spread-unused") {
    sizes[0] = 300; // one tile works, a little each time
    for (int k = 0; k < 150; ++k) g.operation("small" + std::to_string(k), sizes);
  } else if (rule == "time.spread-imbalance") {
    for (std::size_t t = 0; t < kTiles; ++t) sizes[t] = t % 2 ? 300 : 30;
    for (int k = 0; k < 150; ++k) g.operation("small" + std::to_string(k), sizes);
  } else if (rule == "time.spread-exchange") {
    const Tensor from = g.graph().addVariable(ElementType::Float, {kTiles, 100}, "from");
    const Tensor to = g.graph().addVariable(ElementType::Float, {kTiles, 100}, "to");
    for (int t = 0; t < kTiles; ++t) {
      g.graph().setTileMapping(from.slice(t, t + 1), TileId(std::size_t(t)));
      g.graph().setTileMapping(to.slice(t, t + 1), TileId(std::size_t((t + 1) % kTiles)));
    }
    for (int k = 0; k < 150; ++k) g.copy(from, to, "shift" + std::to_string(k));
  } else if (rule == "time.serial-tail") {
    std::fill(sizes.begin(), sizes.end(), 1000);
    sizes[31] = 40000;
    g.operation("tail", sizes);
  } else if (rule == "time.sync-waits") {
    const Tensor a = g.on("a", 4, 0), b = g.on("b", 4, 31);
    for (int k = 0; k < 400; ++k) {
      g.copy(a, b, "there");
      g.copy(b, a, "back");
    }
  } else if (rule == "time.tile-copies") {
    for (std::size_t t = 0; t < kTiles; ++t) { // each tile transposes its own rows
      const Tensor from = g.on("rows" + std::to_string(t), 40 * 250, t).reshape({40, 250});
      g.copy(from.dimShuffle({1, 0}), g.on("columns" + std::to_string(t), 40 * 250, t).reshape({250, 40}), "transpose");
    }
  } else if (rule == "time.host-waits") {
    const Tensor x = g.graph().addVariable(ElementType::Float, {kTiles * 20000}, "images");
    g.graph().mapTensorLinearly(x);
    g.main().add(program::copy(g.graph().addHostToDeviceFifo("images", ElementType::Float, kTiles * 20000), x, "images"));
  } else if (rule == "time.exchange-hot-spot") {
    const Tensor all = g.graph().addVariable(ElementType::Float, {kTiles * 2000}, "all");
    g.graph().mapTensorLinearly(all);
    g.copy(all, g.on("gathered", kTiles * 2000, 4), "gather");
  } else if (rule == "time.low-amp-use") {
    const auto context = g.graph().addContext({}, "product", "model", "Product");
    ops::OpBuilder builder(g.graph(), g.main(), context);
    const Tensor a = g.graph().addVariable(ElementType::Float, {3, 5000}, "a"),
                 b = g.graph().addVariable(ElementType::Float, {5000, 3}, "b");
    g.graph().mapTensorLinearly(a), g.graph().mapTensorLinearly(b);
    for (int k = 0; k < 20; ++k) ops::matmul(builder, a, b);
  } else if (rule == "time.copies-between-ipus") {
    const Tensor from = g.graph().addVariable(ElementType::Float, {kTiles, 20000}, "from");
    const Tensor to = g.graph().addVariable(ElementType::Float, {kTiles, 20000}, "to");
    for (int t = 0; t < kTiles; ++t) {
      g.graph().setTileMapping(from.slice(t, t + 1), TileId(std::size_t(t)));
      g.graph().setTileMapping(to.slice(t, t + 1), TileId(std::size_t(kTiles + t)));
    }
    g.copy(from, to, "over");
  } else if (rule == "numbers.not-finite") {
    g.operation("even", std::vector<int64_t>(kTiles, 20000));
    g.issue.severity = "warning", g.issue.place = "output loss", g.issue.count = 3;
    g.issue.message = "NaN or infinite in 3 of 10 values, first in value 8";
  } else if (rule == "time.idle-ipus") {
    g.operation("even", std::vector<int64_t>(2 * kTiles, 20000));
  } else if (rule == "time.pipeline-bubble") {
    for (int k = 0; k < 3; ++k) {
      g.operation("first" + std::to_string(k), std::vector<int64_t>(kTiles, 30000 / 3));
      g.copy(g.on("from" + std::to_string(k), 4, 0), g.on("to" + std::to_string(k), 4, kTiles), "over");
      g.operation("second" + std::to_string(k), std::vector<int64_t>(kTiles, 30000 / 3), "Work", kTiles);
      g.copy(g.on("again" + std::to_string(k), 4, kTiles), g.on("back" + std::to_string(k), 4, 0), "back");
    }
  }
}

} // namespace tests
