#include "simcore/run/vertex_plan.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>

namespace simcore::run {

using graph::CodeletField;
using graph::EdgeView;
using graph::ElementType;
using graph::FieldDirection;
using graph::FieldShape;
using graph::Region;
using graph::StateValue;
using graph::UserVertex;

namespace {

struct KeyHash {
  std::size_t operator()(const std::vector<int64_t>& key) const {
    std::size_t h = 0x9e3779b97f4a7c15ull;
    for (const int64_t k : key) h = (h ^ std::size_t(k)) * 0x100000001b3ull;
    return h;
  }
};

template<class T> void put(std::vector<std::byte>& object, int64_t at, T value) {
  std::memcpy(object.data() + at, &value, sizeof value);
}

void putState(std::vector<std::byte>& object, const graph::NativeBody::StatePlace& place, const StateValue& v) {
  const int64_t at = place.offset + int64_t(v.element) * int64_t(numerics::hostSize(place.type));
  numerics::visitAny(place.type, [&](auto zero) {
    using T = decltype(zero);
    std::visit(
        [&](auto number) {
          if constexpr (numerics::kStoresFloat<T>)
            put(object, at, T(float(number)));
          else
            put(object, at, static_cast<T>(number));
        },
        v.value);
  });
}

// The edges of a vertex in the order of its codelet's fields.
using Edges = std::vector<const std::pair<uint16_t, EdgeView>*>;

class PlanBuilder {
public:
  PlanBuilder(const graph::Graph& graph, const VertexMemory& memory, bool estimatesWin, VertexPlan& plan)
      : m_graph(graph), m_memory(memory), m_estimatesWin(estimatesWin), m_plan(plan) {}

  void add(uint32_t index, const UserVertex& v) {
    m_edges.clear();
    for (const auto& e : v.edges) m_edges.push_back(&e);
    const auto byField = [](const auto* a, const auto* b) { return a->first < b->first; };
    if (!std::is_sorted(m_edges.begin(), m_edges.end(), byField)) std::stable_sort(m_edges.begin(), m_edges.end(), byField);
    const uint32_t form = formOf(v);
    m_plan.vertices.push_back({index, form, uint32_t(m_plan.places.size())});
    VertexPlan::Form& f = m_plan.forms[form];
    if (++f.vertices == 1 && f.native()) m_plan.trials.push_back(uint32_t(m_plan.vertices.size() - 1));
    m_plan.floats += f.floats;
    for (std::size_t e = 0; e < m_edges.size(); ++e) addPlace(f, f.edges[e], m_edges[e]->second);
  }

private:
  uint32_t formOf(const UserVertex& v) {
    m_key.assign({int64_t(v.type)});
    const graph::Codelet& codelet = m_graph.codeletOf(v);
    const bool estimated = v.cycles >= 0 || codelet.cycles;
    const bool counted = codelet.native && codelet.native->counted && !(m_estimatesWin && estimated);
    m_key.push_back(counted);
    for (const auto* e : m_edges) {
      m_key.push_back(int64_t(e->first) << 8 | int64_t(e->second.elementType()));
      m_key.push_back(e->second.numElements());
    }
    for (const StateValue& s : v.state) {
      m_key.push_back(-1 - (int64_t(s.field) << 32 | s.element));
      m_key.push_back(int64_t(s.value.index()));
      m_key.push_back(std::visit([](auto x) { return std::bit_cast<int64_t>(x); }, s.value));
    }
    if (!m_plan.forms.empty() && m_key == m_lastKey) return m_last;
    const auto [it, added] = m_forms.try_emplace(m_key, uint32_t(m_plan.forms.size()));
    if (added) m_plan.forms.push_back(make(v, codelet, counted));
    m_lastKey = m_key;
    return m_last = it->second;
  }

  VertexPlan::Form make(const UserVertex& v, const graph::Codelet& codelet, bool counted) {
    VertexPlan::Form form;
    form.codelet = &codelet;
    form.state = v.state;
    form.isCounted = counted;
    m_plan.anyCounted |= counted;
    m_plan.anyNative |= codelet.native != nullptr;
    m_plan.anyRun |= codelet.native || codelet.compute;
    m_plan.anyState |= codelet.native && !codelet.native->state.empty();
    for (std::size_t e = 0; e < m_edges.size(); ++e) {
      const CodeletField& field = codelet.fields[m_edges[e]->first];
      VertexPlan::Edge edge;
      edge.field = m_edges[e]->first;
      edge.vector = e > 0 && form.edges.back().field == edge.field ? form.edges.back().vector + 1 : 0;
      edge.type = m_edges[e]->second.elementType();
      edge.writes = field.direction != FieldDirection::Input;
      edge.asFloat = !codelet.native && edge.type == ElementType::Half;
      edge.count = m_edges[e]->second.numElements();
      edge.alignment = std::max({int64_t(field.minAlign), edge.elementBytes(), int64_t(field.interleaved ? 16 : 1)});
      form.floats += edge.asFloat && edge.writes;
      form.edges.push_back(edge);
    }
    if (codelet.native) layOut(form, *codelet.native);
    return form;
  }

  // Lays out the object of a vertex: counts and state at the body's offsets, then the vectors of its lists.
  static void layOut(VertexPlan::Form& form, const graph::NativeBody& native) {
    int64_t end = reports::roundUp(native.objectBytes, 16);
    form.object.assign(std::size_t(end) + 16 * form.edges.size(), std::byte(0));
    for (std::size_t e = 0; e < form.edges.size();) {
      const uint16_t field = form.edges[e].field;
      const int64_t at = native.fields.at(field).offset;
      std::size_t last = e;
      while (last < form.edges.size() && form.edges[last].field == field) ++last;
      const graph::FieldShape shape = form.codelet->fields[field].shape;
      if (shape == FieldShape::VectorList) {
        form.lists.emplace_back(at, end);
        put(form.object, at + 8, uint64_t(last - e));
      }
      for (; e < last; ++e) {
        form.edges[e].pointer = shape == FieldShape::VectorList ? end : at;
        if (shape != FieldShape::Scalar) put(form.object, form.edges[e].pointer + 8, uint64_t(form.edges[e].count));
        if (shape == FieldShape::VectorList) end += 16;
      }
    }
    form.object.resize(std::size_t(end));
    for (const StateValue& v : form.state) putState(form.object, native.state.at(v.field), v);
  }

  void addPlace(const VertexPlan::Form& form, const VertexPlan::Edge& edge, const EdgeView& view) {
    const std::size_t first = m_plan.pieces.size();
    const int64_t size = edge.elementBytes();
    view.forEachRegion([&](const Region& r) {
      const int64_t place = m_memory.placeOf(r.variable) + r.begin * size, bytes = r.size() * size;
      if (m_plan.pieces.size() > first && m_plan.pieces.back().place + m_plan.pieces.back().bytes == place)
        m_plan.pieces.back().bytes += bytes;
      else
        m_plan.pieces.push_back({place, bytes});
    });
    const std::size_t count = m_plan.pieces.size() - first;
    const int64_t place = count ? m_plan.pieces[first].place : 0;
    const bool fits = !form.native() || place % edge.alignment == 0;
    if (count <= 1 && fits && !edge.asFloat && !(count && readsOwnResult(form, edge, view))) {
      m_plan.pieces.resize(first);
      m_plan.places.push_back(place);
      return;
    }
    m_plan.places.push_back(~int64_t(m_plan.firstPiece.size() - 1));
    m_plan.firstPiece.push_back(uint32_t(m_plan.pieces.size()));
  }

  // Whether the vertex writes elements that this field reads; then the field must keep their old values.
  bool readsOwnResult(const VertexPlan::Form& form, const VertexPlan::Edge& edge, const EdgeView& view) const {
    if (edge.writes) return false;
    bool own = false;
    for (std::size_t e = 0; e < form.edges.size() && !own; ++e) {
      if (!form.edges[e].writes) continue;
      m_edges[e]->second.forEachRegion([&](const Region& w) {
        view.forEachRegion([&](const Region& r) { own |= w.variable == r.variable && w.begin < r.end && r.begin < w.end; });
      });
    }
    return own;
  }

  const graph::Graph& m_graph;
  const VertexMemory& m_memory;
  bool m_estimatesWin;
  VertexPlan& m_plan;
  Edges m_edges;
  std::vector<int64_t> m_key, m_lastKey;
  uint32_t m_last = 0;
  std::unordered_map<std::vector<int64_t>, uint32_t, KeyHash> m_forms;
};

} // namespace

VertexPlan::VertexPlan(const graph::Graph& graph, const graph::ComputeSet& set, const VertexMemory& memory, bool estimatesWin) {
  std::vector<uint32_t> next(std::size_t(graph.machine().tiles()) + 1, 0), order(set.vertices.size());
  for (const UserVertex& v : set.vertices) ++next[v.tile.value() + 1];
  for (std::size_t t = 1; t < next.size(); ++t) next[t] += next[t - 1];
  for (std::size_t t = 0; t + 1 < next.size(); ++t)
    if (next[t] < next[t + 1]) tiles.push_back({int64_t(t), next[t], next[t + 1]});
  for (uint32_t i = 0; i < order.size(); ++i) order[next[set.vertices[i].tile.value()]++] = i;
  vertices.reserve(order.size());
  PlanBuilder builder(graph, memory, estimatesWin, *this);
  for (const uint32_t i : order) builder.add(i, set.vertices[i]);
  if (floats > 0) numberFloats(set.vertices.size());
  places.shrink_to_fit();
}

// Numbers, in the order of the vertices' indices, the results that are rounded to half: rounding takes random bits in this order.
void VertexPlan::numberFloats(std::size_t count) {
  std::vector<uint32_t> ofIndex(count);
  for (const Vertex& v : vertices) ofIndex[v.index] = forms[v.form].floats;
  std::exclusive_scan(ofIndex.begin(), ofIndex.end(), ofIndex.begin(), 0u);
  for (const Vertex& v : vertices) floatsBefore.push_back(ofIndex[v.index]);
}

} // namespace simcore::run
