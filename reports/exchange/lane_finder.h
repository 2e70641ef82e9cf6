// Finds free lanes for spans that come in order of their start: first fit, lowest lane first, in O(log lanes) per lane. The
// number of lanes is the largest depth of a track.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace reports::exchange {

class LaneFinder {
public:
  explicit LaneFinder(int lanes);
  // Takes `height` adjacent lanes that are free from `start` on, until `end`, and returns the lowest one. Returns -1 and takes
  // nothing if there are none. Starts must not decrease.
  int take(int64_t start, int64_t end, int height);

private:
  // Free lanes below a node of the tree: the run from its first lane, the run up to its last one, and the longest run.
  struct Node {
    int first = 0, last = 0, longest = 0;
  };
  struct Taken {
    int64_t end;
    int lane, height;
    bool operator>(const Taken& o) const { return end > o.end; }
  };
  void set(int lane, bool isFree);
  int find(int height) const;

  int m_leaves = 1;
  std::vector<Node> m_nodes; // 1 is the root; the children of i are 2i and 2i + 1
  std::priority_queue<Taken, std::vector<Taken>, std::greater<>> m_taken;
};

} // namespace reports::exchange
