#include "simcore/compile/liveness.h"

#include <algorithm>
#include <map>
#include <set>

namespace simcore::compile {

namespace {

using Span = reports::Range<int64_t>;

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

// The access of a step to a variable. Steps are numbered depth-first; control steps read their predicate.
struct Access {
  int step = 0;
  bool read = false, written = false, whole = false, undefined = false, call = false;
};

// The tree of steps as needed for tracing a variable: the subtree of each step, as step numbers and as ordinals.
struct Shape {
  std::vector<int> lastStep;              // of the subtree, inclusive; steps are stored depth-first
  std::vector<Span> span;                 // ordinals of the subtree
  std::vector<std::vector<Span>> reached; // ordinals of all steps reachable from a call step
  std::map<int64_t, int> callAt;          // call step by ordinal
};

class Flow {
public:
  Flow(const LoweredProgram& p, const Shape& shape) : m_p(p), m_shape(shape) {}

  struct Life {
    std::vector<Span> own;     // ordinals of steps that use the variable or run during its life, in the programs that use it
    std::vector<Span> waiting; // ordinals of functions that run meanwhile
    std::vector<int> calls;    // steps in `own` that call these functions
  };
  // The ordinals at which a variable holds or receives a value that is still needed. `accesses` are in step order.
  Life life(const std::vector<Access>& accesses) {
    m_accesses = &accesses;
    m_spans.clear();
    m_through.clear();
    findFirstWrites();
    // If a program reads a variable before writing it, the value comes from an earlier program.
    bool kept = false;
    for (int root : m_p.roots)
      if (isProgram(root)) kept |= subtree(root, false);
    if (kept)
      for (int root : m_p.roots)
        if (isProgram(root)) subtree(root, true);
    Life life;
    merge(m_through);
    std::set<int> callees;
    for (const Span& t : m_through) // a variable that is live at a call is live in the function
      for (auto c = m_shape.callAt.lower_bound(t.begin); c != m_shape.callAt.end() && c->first < t.end; ++c) {
        life.calls.push_back(c->second);
        if (!callees.insert(m_p.steps[std::size_t(c->second)].callee).second) continue;
        const auto& reached = m_shape.reached[std::size_t(c->second)];
        life.waiting.insert(life.waiting.end(), reached.begin(), reached.end());
      }
    merge(m_spans);
    merge(life.waiting);
    life.own = std::move(m_spans);
    return life;
  }

private:
  bool isProgram(int root) const { return m_p.steps[std::size_t(root)].kind == StepKind::ControlProgram; }
  bool isLoop(int step) const {
    const StepKind k = m_p.steps[std::size_t(step)].kind;
    return k == StepKind::Repeat || k == StepKind::RepeatWhile;
  }
  static bool neverRuns(const Step& s) { return s.kind == StepKind::Repeat && s.repeat == 0; }
  bool straight(int step) const { // runs whenever its parent runs
    const StepKind k = m_p.steps[std::size_t(step)].kind;
    return k == StepKind::ControlProgram || k == StepKind::Sequence || k == StepKind::Block || k == StepKind::Repeat;
  }

  // Finds where the life of a variable that is filled in parts begins: at the first write if nothing reads it earlier, or at the
  // outermost loop around it, because parts of one iteration must survive the next.
  void findFirstWrites() {
    m_born = -1;
    const auto& list = *m_accesses;
    const auto first = std::find_if(list.begin(), list.end(), [](const Access& a) { return !a.undefined && !a.call; });
    if (first == list.end() || !first->written || first->read || first->whole) return;
    for (const Access& a : list) // another program or function may have filled the rest
      if (!a.call && rootOf(a.step) != rootOf(first->step)) return;
    int born = first->step;
    for (int s = m_p.steps[std::size_t(first->step)].parent; s >= 0; s = m_p.steps[std::size_t(s)].parent) {
      const int parent = m_p.steps[std::size_t(s)].parent;
      const bool branch = parent >= 0 && !straight(parent) && !isLoop(parent);
      if (branch) return; // the other branch may keep the old value
      if (isLoop(s)) born = s;
    }
    m_born = born;
  }

  int rootOf(int step) const {
    while (m_p.steps[std::size_t(step)].parent >= 0) step = m_p.steps[std::size_t(step)].parent;
    return step;
  }

  // Index of the first access at or after a step.
  std::size_t from(int step) const {
    return std::size_t(
        std::lower_bound(m_accesses->begin(), m_accesses->end(), step, [](const Access& a, int s) { return a.step < s; }) -
        m_accesses->begin());
  }
  const Access* at(int step) const {
    const std::size_t i = from(step);
    return i < m_accesses->size() && (*m_accesses)[i].step == step ? &(*m_accesses)[i] : nullptr;
  }
  bool touched(int step) const {
    const std::size_t i = from(step);
    return i < m_accesses->size() && (*m_accesses)[i].step <= m_shape.lastStep[std::size_t(step)];
  }

  void through(Span s) {
    if (s.empty()) return;
    m_spans.push_back(s);
    m_through.push_back(s);
  }

  // Whether the variable is live before a step, given whether it is live after it.
  bool subtree(int step, bool after) {
    const Step& s = m_p.steps[std::size_t(step)];
    bool before = after;
    if (!touched(step) || neverRuns(s)) {
      if (after) through(m_shape.span[std::size_t(step)]);
    } else if (s.ordinal >= 0) {
      before = leaf(step, after);
    } else {
      before = control(step, after);
    }
    return before && step != m_born;
  }

  bool leaf(int step, bool after) {
    const Step& s = m_p.steps[std::size_t(step)];
    const Access& a = *at(step);
    if (a.call) {
      // Arguments whose last use is in the function are dead before results begin there. So at the call both are not live at
      // once.
      const bool before = subtree(s.callee, after);
      if (before && after) m_spans.push_back({s.ordinal, s.ordinal + 1});
      return before;
    }
    if (a.undefined) return false;
    m_spans.push_back({s.ordinal, s.ordinal + 1});
    return a.read || (after && !(a.written && a.whole));
  }

  bool control(int step, bool after) {
    const Step& s = m_p.steps[std::size_t(step)];
    const Access* own = at(step);
    const bool predicate = own && own->read;
    switch (s.kind) {
    case StepKind::Repeat: {
      const bool first = sequence(s.children, after);
      return first && !after ? sequence(s.children, true) : first; // the last iteration, then the earlier ones
    }
    case StepKind::RepeatWhile: {
      bool body = subtree(s.children[0], after || predicate);
      body = subtree(s.children[1], body);
      const bool before = subtree(s.children[0], after || predicate || body);
      subtree(s.children[1], before);
      return before;
    }
    case StepKind::If:
    case StepKind::Switch: {
      bool before = predicate;
      for (int child : s.children) before |= subtree(child, after);
      const Span& span = m_shape.span[std::size_t(step)];
      if (predicate && !span.empty()) m_spans.push_back({span.begin, span.begin + 1});
      return before;
    }
    default: return sequence(s.children, after);
    }
  }

  // Walks backwards through the children; only a few of them use the variable.
  bool sequence(const std::vector<int>& children, bool alive) {
    if (children.empty()) return alive;
    const int first = children.front();
    std::size_t behind = children.size(); // children from here on are done
    while (behind > 0) {
      const std::size_t next = from(m_shape.lastStep[std::size_t(children[behind - 1])] + 1);
      // If the last access before `next` is before the first child, no remaining child has an access, so all are skipped.
      if (next == 0 || (*m_accesses)[next - 1].step < first) {
        skip(children, 0, behind, alive);
        return alive;
      }
      const int accessed = (*m_accesses)[next - 1].step;
      const auto it = std::upper_bound(children.begin(), children.begin() + std::ptrdiff_t(behind), accessed);
      const auto child = std::size_t(it - children.begin()) - 1;
      skip(children, child + 1, behind, alive);
      alive = subtree(children[child], alive);
      behind = child;
    }
    return alive;
  }

  void skip(const std::vector<int>& children, std::size_t begin, std::size_t end, bool alive) {
    if (!alive || begin >= end) return;
    through({m_shape.span[std::size_t(children[begin])].begin, m_shape.span[std::size_t(children[end - 1])].end});
  }

  const LoweredProgram& m_p;
  const Shape& m_shape;
  const std::vector<Access>* m_accesses = nullptr;
  int m_born = -1; // the step before which the variable has no value
  std::vector<Span> m_spans, m_through;
};

Shape shapeOf(const LoweredProgram& p) {
  Shape shape;
  const std::size_t n = p.steps.size();
  shape.lastStep.resize(n);
  shape.span.assign(n, Span{0, 0});
  shape.reached.resize(n);
  // Ordinals ascend with step numbers, so a subtree's ordinals are between the counts before and after it.
  std::vector<int64_t> before(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + (p.steps[i].ordinal >= 0);
  for (std::size_t i = n; i-- > 0;) {
    const Step& s = p.steps[i];
    shape.lastStep[i] = s.children.empty() ? int(i) : shape.lastStep[std::size_t(s.children.back())];
    shape.span[i] = {before[i], before[std::size_t(shape.lastStep[i]) + 1]};
    if (s.callee >= 0) shape.callAt[s.ordinal] = int(i);
  }
  // A call reaches its function and the functions called there. Functions cannot be recursive, so this ends.
  const auto reach = [&](auto&& self, int call) -> const std::vector<Span>& {
    auto& list = shape.reached[std::size_t(call)];
    if (!list.empty()) return list;
    const Span body = shape.span[std::size_t(p.steps[std::size_t(call)].callee)];
    std::vector<Span> spans{body};
    for (auto c = shape.callAt.lower_bound(body.begin); c != shape.callAt.end() && c->first < body.end; ++c) {
      const auto& inner = self(self, c->second);
      spans.insert(spans.end(), inner.begin(), inner.end());
    }
    merge(spans);
    return list = std::move(spans);
  };
  for (const auto& [ordinal, call] : shape.callAt) reach(reach, call);
  return shape;
}

// Consecutive writes without a read between them each fill a part of the variable, so later writes do not begin a new life. A
// write of the whole variable begins one, unless it is in the same sequence as the previous write. The first part after a
// WriteUndef begins a life too.
void joinParts(const LoweredProgram& p, std::vector<Access>& list) {
  const auto parent = [&](const Access& a) { return p.steps[std::size_t(a.step)].parent; };
  const Access *written = nullptr, *undefined = nullptr;
  auto nextRoot = p.roots.begin(); // programs and functions are adjacent
  for (Access& a : list) {
    bool newRoot = false;
    for (; nextRoot != p.roots.end() && *nextRoot <= a.step; ++nextRoot) newRoot = true;
    if (a.read || newRoot) written = undefined = nullptr;
    if (a.undefined) {
      written = nullptr;
      undefined = &a;
    }
    if (a.call) { // the called function may also fill parts
      undefined = nullptr;
      if (!a.read) written = &a;
      continue;
    }
    if (!a.written) continue;
    const bool beside = written && parent(*written) == parent(a);
    if (beside || (written && p.steps[std::size_t(a.step)].planned)) a.whole = false;
    if (undefined && !a.read && parent(*undefined) == parent(a)) a.whole = true;
    undefined = nullptr;
    written = &a;
  }
}

// Variables that a function accesses, including the accesses of all functions it calls.
class Touched {
public:
  struct Touch {
    VariableId variable;
    bool read = false;
  };

  Touched(const LoweredProgram& p, const Shape& shape) : m_p(p), m_shape(shape) {}

  const std::vector<Touch>& by(int function) {
    if (const auto found = m_known.find(function); found != m_known.end()) return found->second;
    std::map<VariableId, bool> read;
    for (int i = function; i <= m_shape.lastStep[std::size_t(function)]; ++i) {
      const Step& s = m_p.steps[std::size_t(i)];
      for (VariableId v : s.reads) read[v] = true;
      for (VariableId v : s.writes) read.try_emplace(v, false);
      if (s.callee < 0) continue;
      for (const Touch& inner : by(s.callee)) read[inner.variable] |= inner.read;
    }
    std::vector<Touch> list;
    list.reserve(read.size());
    for (const auto& [variable, isRead] : read) list.push_back({variable, isRead});
    return m_known[function] = std::move(list);
  }

private:
  const LoweredProgram& m_p;
  const Shape& m_shape;
  std::map<int, std::vector<Touch>> m_known;
};

// A call is an access to everything that its function uses.
void addCalls(const LoweredProgram& p, const Shape& shape, std::vector<std::vector<Access>>& accesses) {
  Touched touched(p, shape);
  std::vector<bool> unsorted(accesses.size(), false);
  for (const auto& [ordinal, call] : shape.callAt)
    for (const Touched::Touch& t : touched.by(p.steps[std::size_t(call)].callee)) {
      Access a{call};
      a.call = true;
      a.read = t.read;
      accesses[t.variable.value()].push_back(a);
      unsorted[t.variable.value()] = true;
    }
  for (std::size_t v = 0; v < accesses.size(); ++v)
    if (unsorted[v])
      std::sort(accesses[v].begin(), accesses[v].end(), [](const Access& a, const Access& b) { return a.step < b.step; });
}

// All accesses of every variable in step order.
std::vector<std::vector<Access>> accessesOf(const LoweredProgram& p, const Shape& shape, std::size_t variables) {
  std::vector<std::vector<Access>> accesses(variables);
  const auto of = [&](VariableId v, int step) -> Access& {
    auto& list = accesses[v.value()];
    if (list.empty() || list.back().step != step) list.push_back({step});
    return list.back();
  };
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const Step& s = p.steps[i];
    for (VariableId v : s.reads) of(v, int(i)).read = true;
    for (VariableId v : s.writes) {
      Access& a = of(v, int(i));
      (s.kind == StepKind::WriteUndef ? a.undefined : a.written) = true;
      a.whole = !std::binary_search(s.partialWrites.begin(), s.partialWrites.end(), v);
    }
  }
  addCalls(p, shape, accesses); // before parts are joined: if a function reads its argument, copies into it are separate writes
  for (auto& list : accesses) joinParts(p, list);
  return accesses;
}

} // namespace

namespace {

// For each function: the call during which most bytes wait, including bytes that wait for the function around the call.
class FullestCalls {
public:
  FullestCalls(const LoweredProgram& p, const Shape& shape) : m_p(p), m_shape(shape), m_bytes(p.steps.size(), 0) {
    for (const auto& [ordinal, call] : shape.callAt) m_callsOf[p.steps[std::size_t(call)].callee].push_back(call);
  }
  void add(const std::vector<int>& calls, int64_t bytes) {
    for (const int call : calls) m_bytes[std::size_t(call)] += bytes;
  }
  // Ordinals of the functions whose fullest call is in `calls` (ascending), or is made by another of these functions.
  std::vector<Span> shown(const std::vector<int>& calls) {
    std::vector<Span> spans;
    std::map<int, bool> known;
    const auto isShown = [&](auto&& self, int function) -> bool {
      if (const auto found = known.find(function); found != known.end()) return found->second;
      const int call = fullest(function);
      if (call < 0) return false;
      return known[function] = std::binary_search(calls.begin(), calls.end(), call) || self(self, rootOf(call));
    };
    for (const auto& [function, unused] : m_callsOf)
      if (isShown(isShown, function)) spans.push_back(m_shape.span[std::size_t(function)]);
    return spans;
  }

private:
  int rootOf(int step) const {
    while (m_p.steps[std::size_t(step)].parent >= 0) step = m_p.steps[std::size_t(step)].parent;
    return step;
  }
  int64_t bytesIn(int root) { return fullest(root) < 0 ? 0 : m_most.at(root).first; }
  // The fullest call of a function; -1 for a program.
  int fullest(int root) {
    if (const auto found = m_most.find(root); found != m_most.end()) return found->second.second;
    std::pair<int64_t, int> most{-1, -1};
    if (const auto calls = m_callsOf.find(root); calls != m_callsOf.end())
      for (const int call : calls->second)
        if (const int64_t bytes = m_bytes[std::size_t(call)] + bytesIn(rootOf(call)); bytes > most.first) most = {bytes, call};
    m_most[root] = most;
    return most.second;
  }

  const LoweredProgram& m_p;
  const Shape& m_shape;
  std::vector<int64_t> m_bytes; // by step
  std::map<int, std::vector<int>> m_callsOf;
  std::map<int, std::pair<int64_t, int>> m_most; // by function: waiting bytes and call
};

// Whether the value is kept from the previous run, as for a seed: the variable is live at every step, and the first step does not
// write it as a whole.
bool isKept(const std::vector<Span>& live, const Access& first, const Shape& shape, int64_t ordinals) {
  const bool isNew = first.written && first.whole && !first.read && shape.span[std::size_t(first.step)].begin == 0;
  return !isNew && live.size() == 1 && live.front().begin == 0 && live.front().end >= ordinals;
}

} // namespace

std::vector<Storage> variableLiveness(const graph::Graph& graph, const LoweredProgram& program) {
  const Shape shape = shapeOf(program);
  const auto accesses = accessesOf(program, shape, graph.variables().size());
  Flow flow(program, shape);
  FullestCalls fullest(program, shape);
  std::vector<std::pair<std::size_t, std::vector<int>>> waiting; // index of the storage, and calls
  std::vector<Storage> storage;
  for (std::size_t v = 0; v < graph.variables().size(); ++v) {
    const auto& variable = graph.variables()[v];
    if (accesses[v].empty() && !variable.alwaysLive) continue;
    Storage s;
    s.name = variable.name;
    if (const std::string path = graph.fullName(variable.context); !path.empty()) s.name = path + "/" + variable.name;
    s.context = variable.context;
    s.variable = VariableId(v);
    s.category = variable.category;
    s.bytes = variable.bytesByTile();
    s.interleaved = variable.interleaved;
    s.alignment = variable.alignment;
    s.alwaysLive = variable.alwaysLive;
    if (!s.alwaysLive) {
      Flow::Life life = flow.life(accesses[v]);
      s.live = std::move(life.own);
      if (!life.calls.empty()) {
        s.own = s.live;
        s.waiting = std::move(life.waiting);
        fullest.add(life.calls, s.bytes.sum());
        waiting.emplace_back(storage.size(), std::move(life.calls));
      }
    }
    storage.push_back(std::move(s));
  }
  for (auto& [index, calls] : waiting) {
    std::sort(calls.begin(), calls.end());
    auto& live = storage[index].live;
    const std::vector<Span> shown = fullest.shown(calls);
    live.insert(live.end(), shown.begin(), shown.end());
    merge(live);
  }
  for (Storage& s : storage)
    if (!s.alwaysLive && isKept(s.live, accesses[s.variable.value()].front(), shape, int64_t(program.ordinals.size())))
      s.alwaysLive = true, s.live.clear(), s.own.clear(), s.waiting.clear();
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
