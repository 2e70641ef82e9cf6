#include "analyser/trace/call_tree.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace analyser::trace {

namespace {

// The tree during construction: nodes in the order of their first slice.
class Growing {
public:
  explicit Growing(std::size_t limit) : m_limit(limit) {}
  // -1 if the node limit is reached.
  int child(int parent, StringId name, uint8_t category) {
    const auto [found, isNew] = m_children.emplace(std::pair(parent, name.value()), int(nodes.size()));
    if (!isNew) return found->second;
    if (nodes.size() >= m_limit) {
      m_children.erase(found);
      return -1;
    }
    CallNode node;
    node.parent = parent;
    node.name = name;
    node.category = category;
    nodes.push_back(node);
    return found->second;
  }
  std::vector<CallNode> nodes;

private:
  std::size_t m_limit;
  std::map<std::pair<int, uint32_t>, int> m_children;
};

struct PlacedSlice {
  TickRange ticks;
  int node;
};
// The slices of one lane, searched for slices of another lane in order of their starts.
struct PlacedLane {
  std::vector<PlacedSlice> slices;
  std::size_t at = 0;
  // The slice that contains these ticks.
  const PlacedSlice* around(TickRange ticks) {
    while (at < slices.size() && slices[at].ticks.end <= ticks.begin &&
           (slices[at].ticks.end < ticks.end || (at + 1 < slices.size() && slices[at + 1].ticks.begin <= ticks.begin)))
      ++at;
    const bool isAround = at < slices.size() && slices[at].ticks.begin <= ticks.begin && ticks.end <= slices[at].ticks.end;
    return isAround ? &slices[at] : nullptr;
  }
};

// Reorders the nodes: parents before children, siblings by descending time.
std::vector<CallNode> arranged(const std::vector<CallNode>& nodes) {
  std::vector<std::vector<int>> children(nodes.size() + 1);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    children[static_cast<std::size_t>(nodes[i].parent + 1)].push_back(static_cast<int>(i));
  for (auto& list : children)
    std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
      return nodes[static_cast<std::size_t>(a)].total > nodes[static_cast<std::size_t>(b)].total;
    });
  std::vector<CallNode> out;
  std::vector<std::pair<int, int>> todo; // node, its parent's new index
  for (auto i = children[0].rbegin(); i != children[0].rend(); ++i) todo.emplace_back(*i, -1);
  while (!todo.empty()) {
    const auto [node, parent] = todo.back();
    todo.pop_back();
    const int place = static_cast<int>(out.size());
    out.push_back(nodes[static_cast<std::size_t>(node)]);
    out.back().parent = parent;
    const auto& list = children[static_cast<std::size_t>(node) + 1];
    for (auto i = list.rbegin(); i != list.rend(); ++i) todo.emplace_back(*i, place);
  }
  return out;
}

} // namespace

std::vector<CallNode> callTree(Slices& slices, std::span<const CalledTrack> tracks, TickRange range, std::size_t limit,
                               std::stop_token stop, const std::function<bool(const Slice&)>& isShown, const Weigh& weigh) {
  Growing tree(limit);
  for (const CalledTrack& track : tracks) {
    std::vector<PlacedLane> lanes;
    for (int depth = 0; depth < track.depths; ++depth) {
      PlacedLane own;
      for (PlacedLane& lane : lanes) lane.at = 0;
      slices.forEach(track.id, depth, range, stop, [&](const Slice& s) {
        if (isShown && !isShown(s)) return;
        // A slice of the lane above may overlap this one without containing it; the caller is then in a higher lane.
        const PlacedSlice* caller = nullptr;
        for (auto lane = lanes.rbegin(); lane != lanes.rend() && !caller; ++lane) caller = lane->around(s.ticks);
        const int parent = caller ? caller->node : -1;
        const int node = caller && parent < 0 ? -1 : tree.child(parent, s.name, s.category);
        const TickRange inside = s.ticks.clippedTo(range);
        const int64_t time = weigh ? weigh(track.id, inside) : inside.size();
        if (node >= 0) {
          CallNode& n = tree.nodes[static_cast<std::size_t>(node)];
          ++n.count;
          n.total += time;
          n.self += time;
          if (parent >= 0) tree.nodes[static_cast<std::size_t>(parent)].self -= time;
        }
        own.slices.push_back({s.ticks, node});
      });
      lanes.push_back(std::move(own));
    }
  }
  return arranged(tree.nodes);
}

std::vector<CallNode> bottomUp(const std::vector<CallNode>& nodes, std::size_t limit) {
  Growing tree(limit);
  for (const CallNode& end : nodes) {
    if (end.self <= 0) continue;
    int parent = -1;
    for (const CallNode* n = &end;; n = &nodes[static_cast<std::size_t>(n->parent)]) {
      const int node = tree.child(parent, n->name, n->category);
      if (node < 0) { // the tree is full: the time goes to the last caller that has a node
        if (parent >= 0) tree.nodes[static_cast<std::size_t>(parent)].self += end.self;
        break;
      }
      CallNode& own = tree.nodes[static_cast<std::size_t>(node)];
      own.total += end.self;
      own.count += end.count;
      parent = node;
      if (n->parent < 0) {
        own.self += end.self;
        break;
      }
    }
  }
  return arranged(tree.nodes);
}

std::vector<CallNode> withinName(const std::vector<CallNode>& nodes, StringId name) {
  Growing tree(nodes.size());
  std::vector<int> places(nodes.size(), -1); // in the new tree
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int above = nodes[i].parent < 0 ? -1 : places[static_cast<std::size_t>(nodes[i].parent)];
    if (above < 0 && nodes[i].name != name) continue;
    places[i] = tree.child(above, nodes[i].name, nodes[i].category);
    CallNode& own = tree.nodes[static_cast<std::size_t>(places[i])];
    own.count += nodes[i].count;
    own.total += nodes[i].total;
    own.self += nodes[i].self;
  }
  return arranged(tree.nodes);
}

} // namespace analyser::trace
