#include "reports/exchange/lane_finder.h"

#include <algorithm>

namespace reports::exchange {

LaneFinder::LaneFinder(int lanes) {
  while (m_leaves < lanes) m_leaves *= 2;
  m_nodes.resize(std::size_t(m_leaves) * 2);
  int width = 1;
  for (int first = m_leaves; first > 0; first /= 2, width *= 2)
    for (int i = first; i < 2 * first; ++i) m_nodes[std::size_t(i)] = {width, width, width};
  for (int lane = lanes; lane < m_leaves; ++lane) set(lane, false); // the extra leaves up to a power of two
}

void LaneFinder::set(int lane, bool isFree) {
  const int n = isFree ? 1 : 0;
  std::size_t at = std::size_t(m_leaves + lane);
  m_nodes[at] = {n, n, n};
  for (int width = 1; at > 1; width *= 2) { // width of a child
    at /= 2;
    const Node &a = m_nodes[2 * at], &b = m_nodes[2 * at + 1];
    m_nodes[at] = {a.first == width ? width + b.first : a.first, b.last == width ? width + a.last : b.last,
                   std::max({a.longest, b.longest, a.last + b.first})};
  }
}

int LaneFinder::find(int height) const {
  if (m_nodes[1].longest < height) return -1;
  std::size_t at = 1;
  int first = 0;
  for (int width = m_leaves; width > 1;) {
    width /= 2;
    const Node &a = m_nodes[2 * at], &b = m_nodes[2 * at + 1];
    if (a.longest >= height) {
      at = 2 * at;
    } else if (a.last + b.first >= height) {
      return first + width - a.last;
    } else {
      at = 2 * at + 1;
      first += width;
    }
  }
  return first;
}

int LaneFinder::take(int64_t start, int64_t end, int height) {
  for (; !m_taken.empty() && m_taken.top().end <= start; m_taken.pop())
    for (int i = 0; i < m_taken.top().height; ++i) set(m_taken.top().lane + i, true);
  const int lane = find(height);
  if (lane < 0) return lane;
  for (int i = 0; i < height; ++i) set(lane + i, false);
  m_taken.push({end, lane, height});
  return lane;
}

} // namespace reports::exchange
