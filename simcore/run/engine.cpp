#include "simcore/run/engine.h"

#include "reports/core/error.h"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace simcore::run {

using compile::StepKind;
using graph::ProgramNode;
using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;
using Kind = ProgramNode::Kind;

Engine::Engine(const Executable& executable, EngineOptions options, ExecutionRecorder* recorder, HostTimeline* timeline)
    : m_e(executable), m_options(options), m_recorder(recorder), m_timeline(timeline), m_tensors(*executable.graph),
      m_clocks(std::size_t(executable.graph->machine().ipus), 0), m_ipuCycles(executable.program.steps.size()) {}

int64_t Engine::cycle() const { return *std::max_element(m_clocks.begin(), m_clocks.end()); }

void Engine::connectInput(const std::string& stream, std::vector<HostTensor> values) {
  m_inputs[stream] = std::deque<HostTensor>(std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
}

const std::vector<HostTensor>& Engine::received(const std::string& stream) const {
  static const std::vector<HostTensor> kNone;
  const auto it = m_outputs.find(stream);
  return it == m_outputs.end() ? kNone : it->second;
}

std::shared_ptr<void> Engine::span(const std::string& name) { return m_timeline ? m_timeline->span(name, "numbers") : nullptr; }

void Engine::run(std::size_t index, const std::string& name, std::stop_token stop, reports::Progress& progress) {
  if (m_options.numbers && !m_e.allocation.fits())
    throw Error(ErrorCode::OutOfMemory,
                std::to_string(m_e.allocation.overflowTiles) + " tile(s) are out of memory; the program cannot run",
                "tile " + std::to_string(m_e.allocation.maxTile), "open the report to see what fills them");
  const int root = m_e.program.roots.at(index);
  m_outputs.clear();
  m_stop = stop;
  m_progress = &progress;
  m_done = 0;
  m_total = std::max<int64_t>(1, int64_t(m_e.program.steps[std::size_t(root)].children.size()));
  std::fill(m_clocks.begin(), m_clocks.end(), cycle()); // a run begins on all IPUs at once
  if (m_recorder) m_recorder->beginRun(name, root, cycle());
  for (int child : m_e.program.steps[std::size_t(root)].children) {
    step(child, 1);
    progress.update(double(++m_done) / double(m_total));
  }
  if (m_recorder) m_recorder->endRun(cycle());
}

void Engine::steps(const std::vector<int>& children, int64_t times) {
  for (int child : children) step(child, times);
}

bool Engine::dataDependent(const Step& s) const {
  if (s.kind == StepKind::RepeatWhile || s.kind == StepKind::If || s.kind == StepKind::Switch) return true;
  if (s.callee >= 0 && dataDependent(m_e.program.steps[std::size_t(s.callee)])) return true;
  for (int c : s.children)
    if (dataDependent(m_e.program.steps[std::size_t(c)])) return true;
  return false;
}

void Engine::repeat(const Step& s, int64_t times) {
  const bool fold = !m_options.numbers && !dataDependent(s) && s.repeat > m_options.shownIterations;
  const int64_t shown = fold ? m_options.shownIterations : s.repeat;
  for (int64_t i = 0; i < shown; ++i) {
    reports::throwIfStopped(m_stop);
    steps(s.children, times);
  }
  if (!fold) return;
  // The rest costs what one iteration costs: its steps are counted, not stored one by one.
  steps(s.children, times * (s.repeat - shown));
  if (m_recorder) m_recorder->foldedIterations((s.repeat - shown) * times);
}

bool Engine::predicate(const graph::Tensor& tensor) const { return m_tensors.read(tensor).at(0) != 0; }

void Engine::step(int index, int64_t times) {
  const Step& s = m_e.program.steps[std::size_t(index)];
  switch (s.kind) {
  case StepKind::Repeat: return repeat(s, times);
  case StepKind::RepeatWhile: {
    const bool wanted = s.action->kind == Kind::RepeatWhileTrue;
    int64_t iterations = 0;
    for (;;) {
      reports::throwIfStopped(m_stop);
      step(s.children[0], times);
      // Without numbers a data-dependent loop is taken to run once.
      if (m_options.numbers ? predicate(s.action->source) != wanted : iterations == 1) return;
      if (++iterations > m_options.maxIterations)
        throw Error(ErrorCode::InvalidInput,
                    "the loop did not end after " + std::to_string(m_options.maxIterations) + " iterations", s.name);
      step(s.children[1], times);
    }
  }
  case StepKind::If: return step(s.children[!m_options.numbers || predicate(s.action->source) ? 0 : 1], times);
  case StepKind::Switch: {
    std::size_t chosen = s.action->cases.size();
    if (m_options.numbers)
      for (std::size_t c = 0; c < s.action->cases.size(); ++c)
        if (m_tensors.read(s.action->source).integerAt(0) == s.action->cases[c]) chosen = c;
    return step(s.children[chosen], times);
  }
  case StepKind::Call: return steps(m_e.program.steps[std::size_t(s.callee)].children, times);
  default: break;
  }
  if (s.kind == StepKind::Block && m_recorder) {
    m_recorder->beginBlock(index);
    steps(s.children, times);
    return m_recorder->endBlock();
  }
  if (compile::isControl(s.kind)) return steps(s.children, times);
  if (s.action && m_options.numbers) {
    reports::throwIfStopped(m_stop);
    numbersOf(s);
  }
  if (s.kind == StepKind::HostCompute) return;
  advance(index, s, times);
}

namespace {
// Steps that bring the IPUs that take part together (those with tiles that are busy in it); the others go on by themselves.
bool isJoint(const Step& s) {
  switch (s.activity) {
  case reports::Activity::GlobalExchange:
  case reports::Activity::HostStream: return true;
  case reports::Activity::Sync: return s.name == "External";
  default: return false;
  }
}
} // namespace

const std::vector<int64_t>& Engine::cyclesByIpu(int index, const Step& s) {
  auto& list = m_ipuCycles[std::size_t(index)];
  if (!list.empty()) return list;
  const int64_t perIpu = m_e.graph->machine().tilesPerIpu;
  list.assign(m_clocks.size(), 0);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = s.cycles.within({int64_t(i) * perIpu, int64_t(i + 1) * perIpu}).max();
  return list;
}

void Engine::advance(int index, const Step& s, int64_t times) {
  if (m_recorder) m_recorder->executed(index, times);
  const bool joint = isJoint(s);
  const auto& byIpu = cyclesByIpu(index, s);
  int64_t together = 0; // when the last of those that take part is there
  if (joint)
    for (std::size_t i = 0; i < m_clocks.size(); ++i)
      if (byIpu[i] > 0) together = std::max(together, m_clocks[i]);
  for (std::size_t i = 0; i < m_clocks.size(); ++i) {
    if (byIpu[i] == 0) continue;
    const int64_t cycles = joint ? s.duration.value() : byIpu[i];
    const int64_t start = joint ? together : m_clocks[i];
    if (m_recorder) m_recorder->slice(index, int(i), start, cycles, times);
    m_clocks[i] = start + cycles * times;
  }
}

void Engine::numbersOf(const Step& s) {
  const ProgramNode& n = *s.action;
  switch (n.kind) {
  case Kind::HostCompute: {
    const auto timed = span(n.name.empty() ? m_e.graph->fullName(n.context) : n.name);
    std::vector<HostTensor> inputs;
    for (const auto& t : n.inputs) inputs.push_back(m_tensors.read(t));
    std::vector<HostTensor> outputs = n.kernel(inputs);
    if (outputs.size() != n.outputs.size())
      throw Error(ErrorCode::Internal,
                  "kernel gave " + std::to_string(outputs.size()) + " tensors instead of " + std::to_string(n.outputs.size()),
                  n.name);
    for (std::size_t i = 0; i < outputs.size(); ++i) m_tensors.write(n.outputs[i], outputs[i]);
    return;
  }
  case Kind::Copy: return m_tensors.write(n.destination, m_tensors.read(n.source));
  case Kind::Execute: return runVertices(m_e.graph->computeSet(n.computeSet));
  case Kind::StreamToTensor:
  case Kind::TensorToStream: return streamNumbers(n);
  case Kind::AbortOnCondition:
    if (predicate(n.source)) throw Error(ErrorCode::InvalidInput, "the program stopped itself: " + n.name, "AbortOnCondition");
    return;
  case Kind::PrintTensor: {
    std::ostream& out = m_options.printStream ? *m_options.printStream : std::cerr;
    const HostTensor t = m_tensors.read(n.source);
    std::ostringstream text;
    text.setf(std::ios::fixed);
    text.precision(7);
    // Nested brackets by row.
    auto print = [&](auto&& self, std::size_t depth, int64_t first, int64_t count) -> void {
      if (depth == t.rank()) {
        if (numerics::isFloating(t.type()))
          text << t.at(first);
        else
          text << t.integerAt(first);
        return;
      }
      text << '[';
      const int64_t rows = t.dim(depth), inner = rows ? count / rows : 0;
      for (int64_t r = 0; r < rows; ++r) {
        if (r) text << (depth + 1 < t.rank() ? "\n " : " ");
        self(self, depth + 1, first + r * inner, inner);
      }
      text << ']';
    };
    print(print, 0, 0, t.count());
    out << n.name << ": " << text.str() << '\n';
    return;
  }
  default: return;
  }
}

void Engine::streamNumbers(const ProgramNode& n) {
  const auto& stream = m_e.graph->streams()[n.stream.value];
  if (n.kind == Kind::TensorToStream) {
    m_outputs[stream.name].push_back(m_tensors.read(n.source));
    return;
  }
  auto& queue = m_inputs[stream.name];
  if (queue.empty())
    throw Error(ErrorCode::InvalidInput, "nothing is connected to the stream", stream.name,
                "give a value with --input " + stream.name + "=FILE");
  m_tensors.write(n.destination, queue.front());
  if (queue.size() > 1) queue.pop_front();
}

void Engine::runVertices(const graph::ComputeSet& set) {
  // Vertices of a compute set see what was there before it: read all, then run, then write.
  std::vector<std::pair<const graph::Tensor*, HostTensor>> results;
  for (const auto& v : set.vertices) {
    const auto& codelet = m_e.graph->codelets()[std::size_t(m_e.graph->vertexTypes()[v.type].codelet)];
    if (!codelet.compute) continue;
    graph::VertexFields fields;
    for (const auto& [field, tensor] : v.edges) fields.edges[codelet.fields[field].name] = m_tensors.read(tensor.flatten());
    for (const auto& [index, value] : v.state) fields.state[codelet.state[index]] = value;
    codelet.compute(fields);
    for (const auto& [field, tensor] : v.edges)
      if (codelet.fields[field].direction != graph::FieldDirection::Input)
        results.emplace_back(&tensor, fields.edges[codelet.fields[field].name]);
  }
  for (const auto& [tensor, value] : results) m_tensors.write(*tensor, value);
}

} // namespace simcore::run
