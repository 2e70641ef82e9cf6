// The order of operands and results that a product rearranges: whole groups of channels, as the matrix unit reads them, each with
// its batch, rows and columns. Every tile of the plan holds an equal share.
#pragma once

#include "simcore/graph/planned_pairs.h"
#include "simcore/graph/row_boxes.h"
#include "simcore/ops/conv/conv_problem.h"

#include <algorithm>
#include <array>

namespace simcore::ops {

class AnewOrder {
public:
  // Each of `groups` groups has `channels` channels; `grain` channels are adjacent in memory and form a chunk.
  AnewOrder(int64_t batch, int64_t groups, int64_t channels, const std::array<int64_t, 2>& field, int64_t grain)
      : m_channels(channels), m_grain(std::clamp<int64_t>(grain, 1, channels)),
        m_chunks(reports::ceilDiv(channels, m_grain)), m_shape{groups * m_chunks, batch, field[0], field[1], m_grain} {}
  // Includes the padding of a group's last chunk.
  int64_t elements() const { return numerics::elementCount(m_shape); }
  graph::Distribution shares(int64_t tiles, int64_t firstTile, TileRange range) const {
    return {graph::Shape{elements()}, {tiles}, {1}, firstTile, range};
  }
  // The receiver takes a box [batch, channels of all groups, rows, columns].
  void take(graph::PlannedPairs& pairs, const graph::Box& box) const;
  // Calls f(box) with the boxes [batch, channels of all groups, rows, columns] of a range of elements.
  template<class F> void forEachBox(reports::Range<int64_t> elements, F f) const {
    graph::forEachRowBox(elements, m_shape, [&](const graph::Box& part) {
      const auto& chunks = part.dims[0];
      for (int64_t chunk = chunks.begin; chunk < chunks.end;) { // adjacent chunks of one group are one box
        const int64_t group = chunk / m_chunks, end = std::min(chunks.end, (group + 1) * m_chunks),
                      first = (chunk - group * m_chunks) * m_grain,
                      last = std::min(m_channels, (end - group * m_chunks) * m_grain);
        graph::Box box{{part.dims[1], {group * m_channels + first, group * m_channels + last}, part.dims[2], part.dims[3]}};
        if (end == chunk + 1) { // a single chunk may be cut within its channels
          box.dims[1].end = std::min(group * m_channels + m_channels, group * m_channels + first + part.dims[4].end);
          box.dims[1].begin += part.dims[4].begin;
        }
        if (box.dims[1].begin < box.dims[1].end) f(std::as_const(box));
        chunk = end;
      }
    });
  }

private:
  int64_t m_channels, m_grain, m_chunks;
  graph::Shape m_shape; // chunks of all groups, batch, rows, columns, channels of a chunk
};

inline void AnewOrder::take(graph::PlannedPairs& pairs, const graph::Box& box) const {
  const auto& channels = box.dims[1];
  graph::Box part{{{}, box.dims[0], box.dims[2], box.dims[3], {0, m_grain}}};
  for (int64_t at = channels.begin; at < channels.end && !pairs.failed();) {
    const int64_t group = at / m_channels, first = at - group * m_channels;
    // Whole groups in sequence are taken at once.
    const int64_t groups = first == 0 ? (channels.end - at) / m_channels : 0,
                  end = groups > 0 ? at + groups * m_channels : std::min(channels.end, (group + 1) * m_channels);
    part.dims[0] = {group * m_chunks + first / m_grain,
                    groups > 0 ? (group + groups) * m_chunks
                               : group * m_chunks + reports::ceilDiv(end - group * m_channels, m_grain)};
    graph::forEachRowStretch(m_shape, part, [&](reports::Range<int64_t> elements) {
      pairs.take(elements);
      return !pairs.failed();
    });
    at = end;
  }
}

} // namespace simcore::ops
