#include "simcore/run/vertex_runner.h"

#include "reports/core/error.h"
#include "reports/core/progress.h"
#include "simcore/compile/vertex_times.h"
#include "simcore/run/edge_regions.h"
#include "simcore/run/vertex_body.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

namespace simcore::run {

using graph::ComputeSet;
using reports::Error;
using reports::ErrorCode;

// Keeps the error of the vertex with the lowest index, whatever the order of the threads.
class FirstError {
public:
  // Whether an earlier vertex has an error, so that this vertex need not run.
  bool isBefore(uint32_t vertex) const { return m_vertex.load(std::memory_order_relaxed) < vertex; }
  void keep(uint32_t vertex, std::exception_ptr error) {
    const std::lock_guard lock(m_mutex);
    if (m_error && isBefore(vertex)) return;
    m_vertex = vertex;
    m_error = std::move(error);
  }
  void rethrow() const {
    if (m_error) std::rethrow_exception(m_error);
  }

private:
  std::mutex m_mutex;
  std::atomic<uint32_t> m_vertex{UINT32_MAX};
  std::exception_ptr m_error;
};

namespace {

// Sets the thread's global variables to those of a tile during its lifetime.
class TileGlobals {
public:
  TileGlobals(const std::vector<const VertexMemory::Globals*>& libraries, VertexMemory& memory, int64_t tile)
      : m_libraries(libraries), m_memory(memory), m_tile(std::size_t(tile)) {
    for (const auto* library : m_libraries) {
      m_first.push_back(imageOf(*library));
      const auto& kept = m_memory.globals.at(library)[m_tile];
      if (!kept.empty()) set(*library, kept);
    }
  }
  ~TileGlobals() {
    for (std::size_t i = 0; i < m_libraries.size(); ++i) {
      m_memory.globals.at(m_libraries[i])[m_tile] = imageOf(*m_libraries[i]);
      set(*m_libraries[i], m_first[i]); // restore the values from the start of the thread
    }
  }
  TileGlobals(const TileGlobals&) = delete;
  TileGlobals& operator=(const TileGlobals&) = delete;

private:
  static VertexMemory::Bytes imageOf(const VertexMemory::Globals& library) {
    VertexMemory::Bytes image;
    for (const auto& global : library) {
      const auto* const first = static_cast<const std::byte*>(global.address());
      image.insert(image.end(), first, first + global.bytes);
    }
    return image;
  }
  static void set(const VertexMemory::Globals& library, const VertexMemory::Bytes& image) {
    const std::byte* from = image.data();
    for (const auto& global : library) {
      std::memcpy(global.address(), from, std::size_t(global.bytes));
      from += global.bytes;
    }
  }
  const std::vector<const VertexMemory::Globals*>& m_libraries;
  VertexMemory& m_memory;
  std::size_t m_tile;
  std::vector<VertexMemory::Bytes> m_first;
};

} // namespace

// One execution of a compute set.
class VertexRunner::Execution {
public:
  Execution(VertexRunner& runner, graph::ComputeSetId id, Set& set, const std::string& step, TensorStore& tensors,
            const MachineNow& now, const std::stop_token& stop)
      : m_set(set), m_plan(*set.plan), m_given(runner.m_graph.computeSet(id)), m_graph(runner.m_graph), m_step(step),
        m_tensors(tensors), m_now(now), m_stop(stop), m_written(runner.m_writtenInputs),
        m_zerosBeside(runner.m_options.zerosBeside), m_readsBeside(runner.m_readsBeside), m_writesBeside(runner.m_writesBeside),
        m_body(m_plan, id.value(), tensors, m_graph.machine().tile.workers, runner.m_options.maxInstructions, m_inputWritten),
        m_stackBytes(m_plan.anyNative ? m_graph.machine().tile.memory.value() : 0),
        m_firstResult(tensors.reserveResults(m_plan.floats)) {}

  void run() {
    if (m_tensors.checksReads()) eachEdge(true);
    if (m_plan.executions < 2 && !m_plan.trials.empty()) runTrials();
    tbb::parallel_for(std::size_t(0), m_plan.tiles.size(), [this](std::size_t i) { runTile(i); });
    if (m_now.out) m_printed.writeTo(*m_now.out);
    write(m_atTheEnd);
    reports::throwIfStopped(m_stop);
    m_error.rethrow();
    if (m_tensors.checksReads()) eachEdge(false);
    ++m_plan.executions;
  }

private:
  // A byte written to an Input, to be stored later.
  struct Later {
    uint32_t vertex;
    std::byte value;
    std::byte* place;
  };

  // Before bodies run: checks that all elements they read were written. Afterwards: marks the elements they write as written.
  void eachEdge(bool before) {
    for (const auto& v : m_given.vertices) {
      const auto& codelet = m_graph.codeletOf(v);
      if (!codelet.compute && !codelet.native) continue;
      for (const auto& [field, view] : v.edges) {
        const auto direction = codelet.fields[field].direction;
        if (before && direction != graph::FieldDirection::Output) m_tensors.requireWritten(view);
        if (!before && direction != graph::FieldDirection::Input) m_tensors.noteWritten(view);
      }
    }
  }

  // If a form's accesses and time do not depend on data, one vertex of the form is tried for all: it runs first, with guarded
  // fields. The guarded end of the fields alternates between executions.
  bool isTrial(uint32_t place) const {
    const graph::NativeBody* const native = m_plan.forms[m_plan.vertices[place].form].native();
    return native && !native->dependsOnData && m_plan.executions < 2 &&
           std::binary_search(m_plan.trials.begin(), m_plan.trials.end(), place);
  }
  void runTrials() {
    const auto one = [this](std::size_t i) {
      const uint32_t place = m_plan.trials[i];
      if (isTrial(place)) runPart(tileOf(place), place, place + 1);
    };
    m_inTrials = true;
    if (m_set.globals.empty())
      tbb::parallel_for(std::size_t(0), m_plan.trials.size(), one);
    else // not in parallel: two trials may be on one tile
      for (std::size_t i = 0; i < m_plan.trials.size(); ++i) one(i);
    m_trialsRan = true;
    m_inTrials = false;
    write(m_afterTrials);
    if (m_now.out) m_printed.writeTo(*m_now.out);
    m_error.rethrow();
  }
  const VertexPlan::Tile& tileOf(uint32_t place) const {
    return *std::find_if(m_plan.tiles.begin(), m_plan.tiles.end(), [&](const auto& t) { return place < t.end; });
  }

  void runTile(std::size_t i) {
    const VertexPlan::Tile& tile = m_plan.tiles[i];
    if (m_stop.stop_requested() || m_error.isBefore(m_plan.vertices[tile.first].index)) return;
    if (m_plan.anyRun) runPart(tile, tile.first, tile.end);
    if (!m_plan.anyCounted || (m_set.last && !m_set.dependsOnData)) return;
    compile::TileLoad load;
    for (uint32_t v = tile.first; v < tile.end; ++v) {
      const VertexPlan::Form& form = m_plan.forms[m_plan.vertices[v].form];
      if (form.isCounted && form.cycles >= 0) m_set.cycles[v] = form.cycles;
      load.add(m_graph.vertexTypes()[m_given.vertices[m_plan.vertices[v].index].type], 1, m_set.cycles[v]);
    }
    m_set.cyclesOfTile[i] = load.cycles(m_graph.machine().tile.workers);
  }

  // The vertices of one tile, run on this thread.
  struct Part {
    Execution* execution;
    VertexBody body;
    uint32_t at, end; // positions in the plan's vertices
    std::optional<VertexMachine> machine = {};
  };
  void runPart(const VertexPlan::Tile& tile, uint32_t first, uint32_t end) {
    Part part{this, m_body, first, end};
    try {
      if (m_set.asksMachine)
        part.machine.emplace(m_tensors.vertexMemory(), m_printed, m_now, tile.tile, m_graph.machine().tile.workers);
      const TileGlobals globals(m_set.globals, m_tensors.vertexMemory(), tile.tile);
      const auto fault = m_faults.run(
          [](void* p) {
            Part& running = *static_cast<Part*>(p);
            running.execution->runVertices(running);
          },
          &part, m_stackBytes);
      if (!fault) return;
      const auto told = part.body.explain(*fault, m_stackBytes);
      throw Error(ErrorCode::InvalidInput, told.message, told.field, told.advice);
    } catch (...) {
      keepError(tile, part.at);
    }
  }

  void runVertices(Part& part) {
    try {
      for (; part.at < part.end; ++part.at) {
        const VertexPlan::Vertex& vertex = m_plan.vertices[part.at];
        VertexPlan::Form& form = m_set.plan->forms[vertex.form];
        if (m_stop.stop_requested() || m_error.isBefore(vertex.index)) return;
        const bool isDone = m_trialsRan && isTrial(part.at);
        int64_t cycles = form.cycles;
        if (!isDone && (form.native() || form.codelet->compute)) cycles = runVertex(part, vertex, form);
        if (part.machine) part.machine->ran(form.codelet->kind, cycles);
      }
    } catch (...) { // an exception must not leave the stack of bodies
      keepError(tileOf(part.at), part.at);
    }
  }

  // Returns the cycles of the vertex; -1 if unknown.
  int64_t runVertex(Part& part, const VertexPlan::Vertex& vertex, VertexPlan::Form& form) {
    const uint32_t place = part.at;
    VertexWay way;
    if (const graph::NativeBody* const native = form.native()) {
      way.guarded = native->dependsOnData || isTrial(place) || form.readsOutside;
      way.zerosBeside = m_zerosBeside;
      way.atEnd = m_zerosBeside || ((native->dependsOnData ? vertex.index : 0) + m_plan.executions) % 2 == 0;
      way.counted = native->counted && (native->dependsOnData || isTrial(place));
      way.bothEnds = m_plan.executions == 0 && std::binary_search(m_plan.trials.begin(), m_plan.trials.end(), place);
    }
    const uint64_t before = m_plan.floats ? m_plan.floatsBefore[place] : 0;
    const int64_t cycles = part.body.run(vertex, way, m_firstResult + before, part.machine ? &*part.machine : nullptr);
    if (!part.body.writtenInputs().empty()) keepWrittenInputs(form, part.body.writtenInputs());
    if (!part.body.readsOutside().empty()) keepBeside(form, part.body.readsOutside(), m_readsBeside);
    if (!part.body.writesOutside().empty()) keepBeside(form, part.body.writesOutside(), m_writesBeside);
    if (way.bothEnds && !form.native()->dependsOnData) // the form's other vertices run later, without guards
      form.writtenInputs.insert(part.body.storedInputs().begin(), part.body.storedInputs().end());
    if (!way.counted || !form.isCounted) return form.cycles;
    if (form.native()->dependsOnData)
      m_set.cycles[place] = cycles;
    else
      form.cycles = cycles;
    return cycles;
  }

  void keepWrittenInputs(VertexPlan::Form& form, const std::vector<uint32_t>& edges) {
    const std::lock_guard lock(m_writtenMutex);
    for (const uint32_t e : edges) ++m_written[{form.codelet->name, form.codelet->fields[form.edges[e].field].name}];
  }

  // Later vertices of the form run guarded, so that they too read zeros beside their fields and change nothing there.
  void keepBeside(VertexPlan::Form& form, const std::vector<std::string>& fields, FieldsBeside& all) {
    const std::lock_guard lock(m_writtenMutex);
    for (const std::string& field : fields) all.insert({form.codelet->name, field});
    if (m_inTrials) form.readsOutside = true; // forms without trials are always guarded
  }

  // On the machine an Input is a pointer. If its tensor is on the vertex's tile, a value that the codelet writes stays: later
  // vertices of the tile see it, but vertices of other tiles read a copy from before the compute set. A field from another tile
  // is itself a copy, which is lost with the value.
  void inputWritten(const VertexPlan::Vertex& vertex, uint32_t edge, std::byte* memory, const std::byte* elements) {
    InputStays& stays = staysOf(vertex, edge);
    const int64_t bytes = m_plan.forms[vertex.form].edges[edge].bytes();
    if (stays == InputStays::No) return;
    if (stays == InputStays::AtOnce && !m_inTrials) {
      std::memcpy(memory, elements, std::size_t(bytes));
      return;
    }
    const std::lock_guard lock(m_writtenMutex);
    for (int64_t i = 0; i < bytes; ++i)
      if (memory[i] != elements[i])
        (stays == InputStays::AtOnce ? m_afterTrials : m_atTheEnd).push_back({vertex.index, elements[i], memory + i});
  }
  static void write(std::vector<Later>& all) {
    std::stable_sort(all.begin(), all.end(), [](const Later& a, const Later& b) { return a.vertex < b.vertex; });
    for (const Later& later : all) *later.place = later.value;
    all.clear();
  }

  // Only the thread of the vertex uses the returned entry.
  InputStays& staysOf(const VertexPlan::Vertex& vertex, uint32_t edge) {
    {
      const std::lock_guard lock(m_writtenMutex);
      if (!m_set.readers) {
        m_set.readers.emplace(m_given);
        m_set.inputStays.assign(m_plan.places.size(), InputStays::Unknown);
      }
    }
    InputStays& stays = m_set.inputStays[vertex.firstPlace + edge];
    if (stays == InputStays::Unknown) stays = findStays(vertex, edge);
    return stays;
  }
  InputStays findStays(const VertexPlan::Vertex& vertex, uint32_t edge) const {
    const graph::UserVertex& given = m_given.vertices[vertex.index];
    const VertexPlan::Edge& wanted = m_plan.forms[vertex.form].edges[edge];
    uint32_t vector = 0;
    for (const auto& [field, view] : given.edges) {
      if (field != wanted.field || vector++ != wanted.vector) continue;
      bool isLocal = true, isAlone = true;
      view.forEachRegion([&](const graph::Region& r) {
        isLocal &= m_graph.variable(r.variable).followsVertex || isOnTile(m_graph.variable(r.variable), r, given.tile);
        isAlone &= m_set.readers->edgesOf(r, std::nullopt) == m_set.readers->edgesOf(r, given.tile);
      });
      return !isLocal ? InputStays::No : isAlone ? InputStays::AtOnce : InputStays::AtTheEnd;
    }
    return InputStays::No;
  }
  static bool isOnTile(const graph::Variable& v, const graph::Region& r, reports::TileId tile) {
    if (v.distribution.valid()) {
      int64_t begin = 0;
      for (int64_t c = 0; c < v.distribution.cells(); ++c) {
        const int64_t end = begin + v.distribution.cell(c).volume();
        if (begin < r.end && r.begin < end && std::size_t(v.distribution.tileOf(c)) != tile.value()) return false;
        begin = end;
      }
      return true;
    }
    for (std::size_t i = 0; i < v.mapping.size(); ++i) {
      const int64_t end = i + 1 < v.mapping.size() ? v.mapping[i + 1].begin : r.end;
      if (v.mapping[i].begin < r.end && r.begin < end && !(v.mapping[i].tile == tile)) return false;
    }
    return true;
  }

  // Keeps the current exception as the error of its vertex.
  void keepError(const VertexPlan::Tile& tile, uint32_t place) {
    const VertexPlan::Vertex& vertex = m_plan.vertices[place];
    const auto where = [&](const std::string& field) {
      return m_plan.forms[vertex.form].codelet->name + (field.empty() ? "" : "." + field) + ", vertex " +
             std::to_string(vertex.index) + " of " + m_step + ", tile " + std::to_string(tile.tile);
    };
    const auto keep = [&](const Error& e) { m_error.keep(vertex.index, std::make_exception_ptr(e)); };
    try {
      throw;
    } catch (const reports::Cancelled&) {
      m_error.keep(vertex.index, std::current_exception());
    } catch (const Error& e) {
      keep(Error(e.code(), e.message(), where(e.where()), e.advice()));
    } catch (const std::exception& e) {
      keep(Error(ErrorCode::InvalidInput, std::string("the codelet throws an exception: ") + e.what(), where("")));
    } catch (...) {
      keep(Error(ErrorCode::InvalidInput, "the codelet throws an exception", where("")));
    }
  }

  Set& m_set;
  VertexPlan& m_plan;
  const ComputeSet& m_given;
  const graph::Graph& m_graph;
  const std::string& m_step;
  TensorStore& m_tensors;
  const MachineNow& m_now;
  const std::stop_token& m_stop;
  WrittenInputs& m_written;
  const bool m_zerosBeside;
  FieldsBeside &m_readsBeside, &m_writesBeside;
  std::mutex m_writtenMutex;
  std::vector<Later> m_afterTrials, m_atTheEnd; // bytes written to Inputs that are not visible yet
  const VertexBody::InputWritten m_inputWritten = [this](const auto& vertex, uint32_t edge, std::byte* memory,
                                                         const std::byte* elements) {
    inputWritten(vertex, edge, memory, elements);
  };
  const VertexBody m_body; // copied into each Part
  int64_t m_stackBytes;
  uint64_t m_firstResult;
  VertexFaults m_faults;
  FirstError m_error;
  PrintedText m_printed;
  bool m_trialsRan = false, m_inTrials = false;
};

VertexRunner::Set& VertexRunner::prepared(graph::ComputeSetId id, const VertexMemory& memory) {
  Set& set = m_sets[id];
  if (set.plan) return set;
  const ComputeSet& given = m_graph.computeSet(id);
  auto plan = std::make_unique<VertexPlan>(m_graph, given, memory, m_options.estimatesWin);
  std::set<const VertexMemory::Globals*> libraries;
  for (const auto& form : plan->forms)
    if (const auto* native = form.native()) {
      set.dependsOnData |= form.isCounted && native->dependsOnData;
      set.asksMachine |= native->hooks != nullptr;
      if (native->globals && !native->globals->empty() && libraries.insert(native->globals.get()).second)
        set.globals.push_back(native->globals.get());
    }
  if (plan->anyCounted) {
    compile::VertexEstimates estimates(m_graph);
    for (const auto& v : plan->vertices) {
      const graph::UserVertex& vertex = given.vertices[v.index];
      set.cycles.push_back(estimates.of(vertex).cycles);
      if (plan->forms[v.form].isCounted) set.countedTypes.insert(vertex.type);
    }
    set.cyclesOfTile.assign(plan->tiles.size(), 0);
    ComputeSet runs;
    runs.runs = given.runs;
    set.ofRuns = compile::costOf(m_graph, runs);
  }
  set.plan = std::move(plan);
  return set;
}

// Sets the cost of this execution: an equal earlier one if there is one, else a new one.
void VertexRunner::price(Set& set, const ComputeSet& given) {
  if (set.last && !set.dependsOnData) return;
  StepCost cost;
  cost.cycles = set.ofRuns.cycles;
  for (std::size_t t = 0; t < set.cyclesOfTile.size(); ++t) {
    const int64_t tile = set.plan->tiles[t].tile;
    cost.cycles.add({tile, tile + 1}, set.cyclesOfTile[t]);
  }
  cost.duration = cost.cycles.max();
  cost.workerCycles = set.ofRuns.workerCycles;
  for (const int64_t cycles : set.cycles) cost.workerCycles += cycles;
  for (const uint32_t type : set.countedTypes) cost.ofTypes[type] = 0;
  for (std::size_t v = 0; v < set.cycles.size(); ++v)
    if (const auto it = cost.ofTypes.find(given.vertices[set.plan->vertices[v].index].type); it != cost.ofTypes.end())
      it->second += set.cycles[v];
  std::size_t hash = std::size_t(cost.workerCycles);
  for (const int64_t cycles : set.cyclesOfTile) hash = (hash ^ std::size_t(cycles)) * 0x100000001b3ull;
  const auto [first, last] = set.costsByHash.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    set.last = set.costs[std::size_t(it->second)];
    if (set.last->cycles == cost.cycles && set.last->workerCycles == cost.workerCycles && set.last->ofTypes == cost.ofTypes)
      return;
  }
  cost.number = int64_t(set.costs.size());
  set.costsByHash.emplace(hash, cost.number);
  set.costs.push_back(std::make_shared<const StepCost>(std::move(cost)));
  set.last = set.costs.back();
}

std::shared_ptr<const StepCost> VertexRunner::run(graph::ComputeSetId id, const std::string& step, TensorStore& tensors,
                                                  const MachineNow& now, const std::stop_token& stop) {
  VertexMemory& memory = tensors.vertexMemory();
  Set& set = prepared(id, memory);
  const ComputeSet& given = m_graph.computeSet(id);
  if (set.plan->anyState) memory.states[id.value()].resize(given.vertices.size());
  for (const auto* library : set.globals) memory.globals[library].resize(std::size_t(m_graph.machine().tiles()));
  if (set.asksMachine) memory.generators.resize(std::size_t(m_graph.machine().tiles()));
  Execution(*this, id, set, step, tensors, now, stop).run();
  if (!set.plan->anyCounted) return nullptr;
  price(set, given);
  return set.last;
}

std::string readsBeside(const std::string& codelet, const std::string& field) {
  return "the codelet '" + codelet + "' reads outside of its " + (field.empty() ? "members" : "field '" + field + "'") +
         ": on the machine it gets whatever is there in the tile's memory, here zeros";
}

std::string writesBeside(const std::string& codelet, const std::string& field) {
  return "the codelet '" + codelet + "' writes outside of its " + (field.empty() ? "members" : "field '" + field + "'") +
         ": on the machine it overwrites whatever is there in the tile's memory, here the values are lost";
}

std::string writesAnInput(const std::string& codelet, const std::string& field) {
  return "the codelet '" + codelet + "' writes its field '" + field +
         "', which is an Input. If the field is one piece of a tensor on the vertex's own tile, the value stays, and vertices of "
         "the tile that run later see it; else the value is in a copy of the field and is lost. The machine may run the vertices "
         "in another order";
}

} // namespace simcore::run
