// A graph with variables all over the tiles, and programs made at random: copies between views, vertices, loops, branches, calls.
#pragma once

#include "tests/simcore/run/host_world.h"

#include <functional>
#include <random>
#include <set>

namespace tests {

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;

using Numbers = std::vector<int64_t>;
inline constexpr int64_t kMask = 63; // every number fits the smallest type

inline int64_t mixedNumber(int64_t x, int64_t y, std::size_t i) { return (3 * x + y + int64_t(i)) & kMask; }
inline int64_t filledNumber(int64_t y, std::size_t i) { return (y + 7 * int64_t(i) + 1) & kMask; }

inline HostTensor hostOf(const Numbers& values, ElementType type) { return HostTensor::vector(values).cast(type); }

inline Codelet codeletOf(const std::string& name, FieldDirection direction,
                         std::function<int64_t(int64_t x, int64_t y, std::size_t i)> f) {
  Codelet c;
  c.name = name;
  c.fields = {{"x", direction}, {"y", FieldDirection::Input}};
  c.compute = [f](VertexFields& v) {
    numerics::visitAny(v.type("x"), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const auto y = v.values<T>("y");
        const auto x = v.mutableValues<T>("x");
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(f(x[i], y[i % y.size()], i));
      }
    });
  };
  c.cycles = [](const auto& sizes) { return 4 + sizes.at("x"); };
  return c;
}

// The result of a vertex of this codelet for these numbers.
inline Numbers computedBy(const Codelet& codelet, Numbers x, Numbers y) {
  const auto bytes = [](Numbers& n) { return reinterpret_cast<std::byte*>(n.data()); };
  const VertexFields::Edge edges[] = {{0, ElementType::Int64, bytes(x), int64_t(x.size())},
                                      {1, ElementType::Int64, bytes(y), int64_t(y.size())}};
  VertexFields fields(codelet, edges);
  codelet.compute(fields);
  return x;
}

class RandomGraph {
public:
  explicit RandomGraph(uint32_t seed) : m_random(seed), m_world(4 + pick(4), 1 + pick(2)) {
    type = std::vector{ElementType::Int32, ElementType::Int32, ElementType::Int8, ElementType::Int16}[std::size_t(pick(4))];
    for (const auto& c :
         {codeletOf("Mix", FieldDirection::InOut, mixedNumber),
          codeletOf("Fill", FieldDirection::Output, [](int64_t, int64_t y, std::size_t i) { return filledNumber(y, i); }),
          codeletOf("Down", FieldDirection::InOut, [](int64_t x, int64_t, std::size_t) { return x - 1; }),
          codeletOf("Coin", FieldDirection::InOut, [](int64_t x, int64_t, std::size_t) { return (5 * x + 3) & kMask; }),
          codeletOf("Heads", FieldDirection::Output, [](int64_t, int64_t y, std::size_t) { return (y >> 2) & 1; }),
          codeletOf("Which", FieldDirection::Output, [](int64_t, int64_t y, std::size_t) { return (y >> 1) & 3; })})
      m_world.graph->addCodelet(c);
    const int count = 4 + pick(6);
    for (int i = 0; i < count; ++i) addVariable("v" + std::to_string(i), 1 + pick(i % 3 ? 12 : 40), pick(3) == 0);
    for (int i = 0; i < 3; ++i) { // that nothing writes
      m_sources.push_back(addVariable("source" + std::to_string(i), 8 + pick(32), true));
      variables.pop_back();
    }
    m_coin = single("coin", 7 + pick(50));
    for (int f = 0; f < 2; ++f) functions.push_back(m_world.graph->addFunction("f" + std::to_string(f), body(2, f).program()));
    const int n = 1 + pick(3);
    for (int p = 0; p < n; ++p) programs.push_back({"program" + std::to_string(p), body(3, 2).program()});
    for (int r = 0; r < 5; ++r) order.push_back(std::size_t(pick(n)));
    executable = &m_world.compile(programs);
  }

  ElementType type;
  std::vector<Tensor> variables; // those that programs use freely
  std::vector<FunctionId> functions;
  std::vector<NamedProgram> programs;
  std::vector<std::size_t> order; // in which they run
  const compile::Executable* executable = nullptr;
  const Graph& graph() const { return *m_world.graph; }

private:
  int pick(int n) { return int(m_random() % uint32_t(n)); }
  int64_t tiles() const { return m_world.graph->tiles(); }

  Tensor addVariable(const std::string& name, int64_t elements, bool initial) {
    const Tensor t = m_world.graph->addVariable(type, {elements}, name);
    for (int64_t at = 0; at < elements;) { // in stretches on any tile
      const int64_t end = pick(3) == 0 ? elements : std::min(elements, at + 1 + pick(8));
      m_world.graph->setTileMapping(t.slice(at, end), TileId(std::size_t(pick(int(tiles())))));
      at = end;
    }
    if (initial) {
      Numbers values;
      for (int64_t i = 0; i < elements; ++i) values.push_back(pick(int(kMask)));
      m_world.graph->setInitialValue(t, hostOf(values, type));
    }
    variables.push_back(t);
    return t;
  }
  // A variable for control programs; nothing else writes it.
  Tensor single(const std::string& name, int64_t initial) {
    const Tensor t = m_world.variable(ElementType::Int32, {1}, name, pick(int(tiles())));
    if (initial >= 0) m_world.graph->setInitialValue(t, initial);
    return t;
  }

  Tensor any(const std::vector<Tensor>& list) { return list[std::size_t(pick(int(list.size())))]; }
  // A view with one dimension that has every element at most once.
  Tensor view() { return viewOf(any(variables)); }
  Tensor source() { return viewOf(any(pick(4) == 0 ? m_sources : variables)); }
  Tensor viewOf(Tensor t) {
    for (int i = pick(3); i > 0; --i) {
      const int64_t n = t.numElements();
      switch (pick(6)) {
      case 0: t = t.reverse(0); break;
      case 1: t = t.subSample(1 + pick(3), 0); break;
      case 2: {
        const int64_t begin = pick(int(n));
        t = t.slice(begin, begin + 1 + pick(int(n - begin)));
        break;
      }
      case 3:
        if (n % 2 == 0) t = t.reshape({2, n / 2}).transpose().flatten();
        break;
      case 4: {
        const int64_t middle = pick(int(n));
        t = concat(t.slice(middle, n), t.slice(0, middle));
        break;
      }
      default:
        if (n % 3 == 0) t = t.reshape({n / 3, 3}).slice(pick(2), 2 + pick(2), 1).flatten();
      }
    }
    return t;
  }

  Program randomCopy() {
    Tensor from = source(), to = view();
    if (pick(4) == 0) from = concat(from, source());
    if (pick(6) == 0) from = from.broadcast(2, 0);
    const int64_t n = std::min(from.numElements(), to.numElements());
    return program::copy(from.slice(0, n), to.slice(0, n));
  }
  Program vertex(const std::string& codelet, const Tensor& x, const Tensor& y) {
    const auto set = m_world.graph->addComputeSet(codelet);
    m_world.graph->setTileMapping(m_world.graph->addVertex(set, codelet, {{"x", x}, {"y", y}}),
                                  TileId(std::size_t(pick(int(tiles())))));
    return program::execute(set);
  }
  Program randomVertices() {
    const auto set = m_world.graph->addComputeSet("work");
    std::set<VariableId> written;
    std::vector<std::pair<Tensor, Tensor>> edges;
    for (int i = 1 + pick(3); i > 0; --i) edges.emplace_back(view(), source());
    for (const auto& [x, y] : edges) {
      if (!written.insert(x.variables()[0]).second) continue;
      bool raced = false;
      for (const auto& [otherX, otherY] : edges) raced |= otherY.variables()[0] == x.variables()[0];
      if (raced) continue;
      const auto v = m_world.graph->addVertex(set, pick(2) ? "Mix" : "Fill", {{"x", x}, {"y", y}});
      m_world.graph->setTileMapping(v, TileId(std::size_t(pick(int(tiles())))));
    }
    return program::execute(set);
  }

  Sequence body(int depth, int callable) {
    Sequence s;
    for (int i = 1 + pick(5); i > 0; --i) {
      s.add(statement(depth, callable));
      if (pick(3) == 0) s.add(defined(any(variables)));
    }
    return s;
  }
  // All of a variable from a source.
  Program defined(const Tensor& t) {
    const Tensor s = any(m_sources);
    const int64_t times = t.numElements() / s.numElements() + 1;
    return program::copy(s.broadcast(times, 0).slice(0, t.numElements()), t);
  }
  // `callable`: functions that exist already.
  Program statement(int depth, int callable) {
    const int kind = pick(depth > 0 ? 14 : 6);
    if (kind < 6 && pick(12) == 0) return program::writeUndef(pick(2) ? view() : any(variables));
    if (kind < 3) return randomCopy();
    if (kind < 6) return randomVertices();
    const std::string n = std::to_string(m_singles++);
    switch (kind) {
    case 6: return program::repeat(pick(4), body(depth - 1, callable));
    case 7: {
      const Tensor counter = single("counter" + n, -1);
      const Tensor rounds = m_world.graph->addConstant(ElementType::Int32, {1}, pick(4), "rounds" + n);
      m_world.graph->setTileMapping(rounds, TileId(std::size_t(pick(int(tiles())))));
      Sequence condition = body(0, callable), loop = body(depth - 1, callable);
      loop.add(vertex("Down", counter, m_coin));
      return Sequence{program::copy(rounds, counter), program::repeatWhileTrue(condition, counter, loop)}.program();
    }
    case 8:
    case 9: {
      const Tensor heads = single("heads" + n, -1);
      return Sequence{vertex("Coin", m_coin, one()), vertex("Heads", heads, m_coin),
                      program::ifElse(heads, body(depth - 1, callable), pick(2) ? body(depth - 1, callable) : Sequence())}
          .program();
    }
    case 10: {
      const Tensor which = single("which" + n, -1);
      return Sequence{
          vertex("Coin", m_coin, one()), vertex("Which", which, m_coin),
          program::switchOn(which, {{0, body(depth - 1, callable)}, {2, body(depth - 1, callable)}}, body(depth - 1, callable))}
          .program();
    }
    case 11:
    case 12: return callable > 0 ? program::call(functions[std::size_t(pick(callable))]) : randomCopy();
    default: return program::block(body(depth - 1, callable), "block" + n);
    }
  }
  Tensor one() { // what Coin reads and does not use
    if (!m_one.valid()) {
      m_one = m_world.graph->addConstant(ElementType::Int32, {1}, 1, "one");
      m_world.graph->setTileMapping(m_one, TileId(0));
    }
    return m_one;
  }

  std::mt19937 m_random;
  HostWorld m_world;
  std::vector<Tensor> m_sources;
  Tensor m_coin, m_one;
  int m_singles = 0;
};

} // namespace tests
