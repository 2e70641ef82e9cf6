#include "simcore/compile/placement.h"

#include "reports/core/error.h"

#include <algorithm>
#include <map>
#include <set>

namespace simcore::compile {

namespace {

using reports::Error;
using reports::ErrorCode;

// The elements of a variable on a tile.
struct Share {
  int64_t begin, end;   // elements
  int64_t tile, offset; // offset: bytes from the variable's first byte on that tile
};

struct Demand {
  int64_t alignment = 1, phase = 0;
  std::string who;
};

class Demands {
public:
  Demands(const graph::Graph& graph, std::vector<Storage>& storage, bool strict)
      : m_graph(graph), m_storage(storage), m_strict(strict) {
    for (std::size_t s = 0; s < storage.size(); ++s)
      if (storage[s].variable.valid()) m_storageOf[storage[s].variable] = uint32_t(s);
  }

  void add(const graph::ComputeSet& set) {
    for (std::size_t i = 0; i < set.vertices.size(); ++i) {
      const auto& v = set.vertices[i];
      const graph::Codelet& codelet = m_graph.codeletOf(v);
      if (!asksForSomething(codelet)) continue;
      for (const auto& [field, view] : v.edges) place(set, i, codelet.fields[field], view, int64_t(v.tile.value()));
      separate(set, i, codelet);
    }
  }

  void finish() {
    for (const auto& [key, demand] : m_byTile) {
      Storage& s = m_storage[key.first];
      s.alignment = int(std::max<int64_t>(s.alignment, demand.alignment));
      if (demand.phase) s.alignmentPhase.add({key.second, key.second + 1}, demand.phase);
    }
    for (auto& s : m_storage) {
      std::sort(s.apart.begin(), s.apart.end());
      s.apart.erase(std::unique(s.apart.begin(), s.apart.end()), s.apart.end());
    }
    for (const auto& [storage, texts] : m_texts) {
      std::string& text = m_storage[storage].demands;
      std::size_t shown = 0;
      for (const std::string& t : texts) {
        if (shown++ == 3) break;
        text += (text.empty() ? "" : "; ") + t;
      }
      if (texts.size() > 3) text += " and " + std::to_string(texts.size() - 3) + " more";
    }
  }

private:
  static bool asksForSomething(const graph::Codelet& c) {
    return !c.constraints.empty() ||
           std::any_of(c.fields.begin(), c.fields.end(), [](const auto& f) { return f.minAlign > 0 || f.interleaved; });
  }

  const std::vector<Share>& sharesOf(VariableId id) {
    auto& shares = m_shares[id];
    if (!shares.empty()) return shares;
    const graph::Variable& v = m_graph.variable(id);
    const int64_t size = int64_t(numerics::deviceSize(v.type));
    const auto mapping = m_graph.getTileMapping(graph::Tensor(id, v.type, v.shape));
    for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
      int64_t offset = 0;
      for (const auto& i : mapping[tile]) {
        shares.push_back({i.begin, i.end, int64_t(tile), offset});
        offset += i.size() * size;
      }
    }
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.begin < b.begin; });
    return shares;
  }

  // The first piece of a view on the tile: its storage and its first byte there. Storage -1 if the whole view comes from other
  // tiles, so that its elements are in an exchange buffer.
  std::pair<int64_t, int64_t> localPiece(const graph::Tensor& view, int64_t tile) {
    for (const auto& region : view.contiguousRegions()) {
      const auto& shares = sharesOf(region.variable);
      auto it =
          std::upper_bound(shares.begin(), shares.end(), region.begin, [](int64_t e, const Share& s) { return e < s.begin; });
      if (it == shares.begin()) continue;
      for (--it; it != shares.end() && it->begin < region.end; ++it) {
        if (it->tile != tile) continue;
        const int64_t size = int64_t(numerics::deviceSize(view.elementType()));
        return {m_storageOf.at(region.variable), it->offset + (std::max(it->begin, region.begin) - it->begin) * size};
      }
    }
    return {-1, 0};
  }

  static std::string name(const graph::ComputeSet& set, std::size_t vertex, const std::string& field) {
    return "field '" + field + "' of vertex " + std::to_string(vertex) + " of compute set '" + set.name + "'";
  }

  void place(const graph::ComputeSet& set, std::size_t vertex, const graph::CodeletField& f, const graph::Tensor& view,
             int64_t tile) {
    if (f.minAlign <= 0 && !f.interleaved) return;
    const auto [storage, offset] = localPiece(view, tile);
    if (storage < 0) return;
    Storage& s = m_storage[std::size_t(storage)];
    const std::string codelet = m_graph.codeletOf(set.vertices[vertex]).name + "." + f.name;
    if (f.interleaved) {
      s.interleaved = true;
      m_texts[uint32_t(storage)].insert("interleaved for " + codelet);
    }
    const int64_t alignment = std::max(f.minAlign, f.interleaved ? 16 : 0); // wide loads take 16 bytes (ipu-reference 2)
    if (alignment <= 0) return;
    if (f.minAlign > 0) m_texts[uint32_t(storage)].insert("aligned to " + std::to_string(f.minAlign) + " for " + codelet);
    Demand& d = m_byTile[{uint32_t(storage), tile}];
    const int64_t phase = offset % alignment, common = std::min(alignment, d.alignment);
    if (d.phase % common != phase % common) {
      if (!m_strict) {
        m_texts[uint32_t(storage)].insert("not aligned for some vertices of " + codelet +
                                          ", because others need another alignment");
        return;
      }
      throw Error(ErrorCode::InvalidInput,
                  "variable '" + s.name + "' on tile " + std::to_string(tile) +
                      " has no address with the alignment that all its vertices need: " + name(set, vertex, f.name) +
                      " needs byte " + std::to_string(offset) + " of it aligned to " + std::to_string(alignment) + ", and " +
                      d.who,
                  codelet, "connect slices that begin at multiples of the alignment, or use a variable for each");
    }
    if (alignment > d.alignment)
      d = {alignment, phase,
           name(set, vertex, f.name) + " needs byte " + std::to_string(offset) + " aligned to " + std::to_string(alignment)};
  }

  void separate(const graph::ComputeSet& set, std::size_t vertex, const graph::Codelet& codelet) {
    const auto& v = set.vertices[vertex];
    for (const auto& [a, b] : graph::separatedFields(codelet))
      for (const auto& [fieldA, viewA] : v.edges)
        for (const auto& [fieldB, viewB] : v.edges) {
          if (fieldA != a || fieldB != b) continue;
          const int64_t tile = int64_t(v.tile.value());
          const int64_t one = localPiece(viewA, tile).first, other = localPiece(viewB, tile).first;
          if (one < 0 || other < 0) continue;
          if (one == other)
            throw Error(ErrorCode::InvalidInput,
                        name(set, vertex, codelet.fields[a].name) + " and field '" + codelet.fields[b].name +
                            "' must not share a memory element, but both are in variable '" + m_storage[std::size_t(one)].name +
                            "' on tile " + std::to_string(tile),
                        codelet.name, "connect two variables, or copy one of them first");
          m_storage[std::size_t(one)].apart.push_back(uint32_t(other));
          m_storage[std::size_t(other)].apart.push_back(uint32_t(one));
          const std::string pair = codelet.name + "." + codelet.fields[a].name + " and ." + codelet.fields[b].name;
          for (const int64_t s : {one, other}) m_texts[uint32_t(s)].insert("memory elements apart for " + pair);
        }
  }

  const graph::Graph& m_graph;
  std::vector<Storage>& m_storage;
  const bool m_strict;
  std::map<VariableId, uint32_t> m_storageOf;
  std::map<VariableId, std::vector<Share>> m_shares;
  std::map<std::pair<uint32_t, int64_t>, Demand> m_byTile; // by storage and tile
  std::map<uint32_t, std::set<std::string>> m_texts;
};

} // namespace

void addDemands(const graph::Graph& graph, const LoweredProgram& program, std::vector<Storage>& storage, bool strict) {
  Demands demands(graph, storage, strict);
  std::set<std::size_t> seen;
  for (const Step& s : program.steps)
    if (s.computeSet.valid() && seen.insert(s.computeSet.value()).second) demands.add(graph.computeSet(s.computeSet));
  demands.finish();
}

} // namespace simcore::compile
