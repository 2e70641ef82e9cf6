#include "simcore/compile/liveness.h"

#include <algorithm>

namespace simcore::compile {

namespace {

using Span = reports::Range<int64_t>;

struct Access {
  int64_t ordinal;
  bool write;
};

// Ordinals below a step: [begin, end).
Span spanOf(const LoweredProgram& p, int step) {
  Span s{INT64_MAX, 0};
  std::vector<int> open{step};
  while (!open.empty()) {
    const Step& x = p.steps[std::size_t(open.back())];
    open.pop_back();
    if (x.ordinal >= 0) {
      s.begin = std::min<int64_t>(s.begin, x.ordinal);
      s.end = std::max<int64_t>(s.end, x.ordinal + 1);
    }
    open.insert(open.end(), x.children.begin(), x.children.end());
  }
  if (s.end == 0) s.begin = 0;
  return s;
}

void merge(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> out;
  for (const Span& s : spans) {
    if (s.empty()) continue;
    if (!out.empty() && s.begin <= out.back().end)
      out.back().end = std::max(out.back().end, s.end);
    else
      out.push_back(s);
  }
  spans = std::move(out);
}

// All accesses of every variable in program order. A control step reads its predicate at its end.
std::vector<std::vector<Access>> accessesOf(const LoweredProgram& p, std::size_t variables) {
  std::vector<std::vector<Access>> accesses(variables);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const Step& s = p.steps[i];
    int64_t at = s.ordinal;
    if (at < 0) {
      if (s.reads.empty()) continue;
      at = std::max<int64_t>(0, spanOf(p, int(i)).end - 1);
    }
    for (VariableId v : s.reads) accesses[v.value()].push_back({at, false});
    for (VariableId v : s.writes) accesses[v.value()].push_back({at, true});
  }
  // Within one step reads come before writes, so an in-place update is read first.
  for (auto& list : accesses)
    std::stable_sort(list.begin(), list.end(), [](const Access& a, const Access& b) { return a.ordinal < b.ordinal; });
  return accesses;
}

struct CallSite {
  int64_t ordinal;
  Span body;
};

std::vector<Span> liveSpans(const std::vector<Access>& list, const std::vector<Span>& loops, const std::vector<CallSite>& calls) {
  // Accesses group by the root they are in only through calls; treat the program as one axis.
  Span live{list.front().ordinal, list.back().ordinal + 1};
  if (!list.front().write) live.begin = std::min<int64_t>(live.begin, 0); // read before any write: there from the start
  for (const Span& loop : loops) {                                        // inner loops first
    const auto first =
        std::lower_bound(list.begin(), list.end(), loop.begin, [](const Access& a, int64_t o) { return a.ordinal < o; });
    if (first == list.end() || first->ordinal >= loop.end) continue;
    const bool before = first != list.begin(), carried = !first->write;
    if (before || carried) {
      live.begin = std::min(live.begin, loop.begin);
      live.end = std::max(live.end, loop.end);
    }
  }
  std::vector<Span> spans{live};
  for (const CallSite& c : calls)
    if (live.contains(c.ordinal) && !c.body.empty()) spans.push_back(c.body);
  merge(spans);
  return spans;
}

} // namespace

std::vector<Storage> variableLiveness(const graph::Graph& graph, const LoweredProgram& program) {
  std::vector<Span> loops;
  std::vector<CallSite> calls;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& s = program.steps[i];
    if (s.kind == StepKind::Repeat || s.kind == StepKind::RepeatWhile) loops.push_back(spanOf(program, int(i)));
    if (s.kind == StepKind::Call && s.callee >= 0) calls.push_back({s.ordinal, spanOf(program, s.callee)});
  }
  std::sort(loops.begin(), loops.end(), [](const Span& a, const Span& b) { return a.size() < b.size(); });

  std::vector<Storage> storage;
  const auto accesses = accessesOf(program, graph.variables().size());
  for (std::size_t v = 0; v < graph.variables().size(); ++v) {
    const auto& variable = graph.variables()[v];
    if (accesses[v].empty() && !variable.alwaysLive) continue;
    Storage s;
    s.name = variable.name;
    if (const std::string path = graph.fullName(variable.context); !path.empty()) s.name = path + "/" + variable.name;
    s.context = variable.context;
    s.variable = VariableId(v);
    s.category = variable.category;
    s.bytes = variable.bytesByTile(graph.tiles());
    s.interleaved = variable.interleaved;
    s.alignment = variable.alignment;
    s.alwaysLive = variable.alwaysLive;
    if (!s.alwaysLive) s.live = liveSpans(accesses[v], loops, calls);
    storage.push_back(std::move(s));
  }
  for (const Storage& b : program.buffers) storage.push_back(b);
  return storage;
}

std::vector<int64_t> livenessCurve(const std::vector<Storage>& storage, int64_t ordinals, graph::TileRange tiles) {
  std::vector<int64_t> change(std::size_t(ordinals) + 1, 0);
  for (const Storage& s : storage) {
    if (s.alwaysLive) continue;
    int64_t bytes = 0;
    for (const auto& r : s.bytes.runs()) bytes += r.value * r.tiles.clippedTo(tiles).size();
    for (const Span& span : s.live) {
      change[std::size_t(span.begin)] += bytes;
      change[std::size_t(std::min(span.end, ordinals))] -= bytes;
    }
  }
  std::vector<int64_t> curve(std::size_t(ordinals), 0);
  int64_t at = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i] = at += change[i];
  return curve;
}

} // namespace simcore::compile
