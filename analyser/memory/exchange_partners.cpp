#include "analyser/memory/exchange_partners.h"

#include "reports/rows/exchange_pairs.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace analyser::memory {

PartnerFinder::PartnerFinder(const Machine& machine, bool hasOtherReplicas, std::span<const TileId> selection)
    : m_tilesPerIpu(std::max<std::size_t>(1, std::size_t(machine.tilesPerIpu))), m_hasOtherReplicas(hasOtherReplicas) {
  const auto tiles = std::size_t(machine.tiles());
  m_selected.resize(tiles), m_from.resize(tiles), m_to.resize(tiles), m_sums.resize(tiles);
  for (const TileId tile : selection)
    if (tile.value() < tiles && !m_selected[tile.value()]) {
      m_selected[tile.value()] = true;
      m_selection.push_back(tile.value());
    }
}

void PartnerFinder::addTo(Sum& sum, double received, double sent, bool isEstimated) {
  if (received <= 0 && sent <= 0) return;
  (isEstimated ? sum.estimatedIn : sum.received) += received;
  (isEstimated ? sum.estimatedOut : sum.sent) += sent;
  ++sum.exchanges;
}

namespace {

// The partners with most bytes, and the number of all partners with bytes.
std::pair<std::vector<Partner>, int64_t> mostOf(const std::vector<double>& bytes, const std::vector<std::size_t>& tiles) {
  std::vector<Partner> partners;
  for (const std::size_t t : tiles)
    if (bytes[t] > 0) partners.push_back({TileId(t), bytes[t]});
  const auto count = int64_t(partners.size());
  const std::size_t kept = std::min(kNamedPartners, partners.size());
  std::partial_sort(partners.begin(), partners.begin() + std::ptrdiff_t(kept), partners.end(),
                    [](const Partner& a, const Partner& b) {
                      return std::pair(-a.bytes, a.tile.value()) < std::pair(-b.bytes, b.tile.value());
                    });
  partners.resize(kept);
  return {std::move(partners), count};
}

} // namespace

Bytes PartnerFinder::sumOf(const reports::AmountRuns& bytes) const {
  if (m_selection.empty()) return Bytes(bytes.sum());
  Bytes sum;
  for (const std::size_t tile : m_selection) sum += Bytes(bytes.at(tile));
  return sum;
}

Partners PartnerFinder::of(const reports::ExchangeRow& row, const reports::AmountRuns& in, const reports::AmountRuns& out) {
  Partners partners;
  const bool isGlobal = row.kind == "global";
  if (row.kind == "host")
    partners.end = Partners::End::Host;
  else if (isGlobal && !row.pairs && m_hasOtherReplicas) // the partners may also be on another IPU of this replica
    partners.end = m_selected.size() > m_tilesPerIpu ? Partners::End::Unknown : Partners::End::OtherReplicas;
  if (m_selection.empty()) {
    reports::forEachStretch(in, out, [&](std::size_t begin, std::size_t end, int64_t received, int64_t sent) {
      for (std::size_t t = begin; (received > 0 || sent > 0) && t < end; ++t)
        addTo(m_sums[t], double(sent), double(received), false);
    });
    return partners;
  }
  if (partners.end != Partners::End::Tiles) {
    Sum& sum = partners.end == Partners::End::Host      ? m_host
               : partners.end == Partners::End::Unknown ? m_unknown
                                                        : m_otherReplicas;
    addTo(sum, double(sumOf(in).value()), double(sumOf(out).value()), false);
    return partners;
  }
  if (row.pairs)
    take(reports::decodePairs(row, m_selected.size()));
  else
    partners.areEstimated = estimate(!isGlobal, in.values(), out.values());
  std::sort(m_touched.begin(), m_touched.end());
  m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
  std::tie(partners.senders, partners.senderCount) = mostOf(m_from, m_touched);
  std::tie(partners.receivers, partners.receiverCount) = mostOf(m_to, m_touched);
  for (const std::size_t t : m_touched) {
    addTo(m_sums[t], m_from[t], m_to[t], partners.areEstimated);
    m_from[t] = m_to[t] = 0;
  }
  m_touched.clear();
  return partners;
}

void PartnerFinder::take(const std::vector<reports::PairRun>& runs) {
  for (const reports::PairRun& run : runs)
    for (int64_t to = run.receiver; run.receives(to); ++to) {
      double ofSelected = 0; // bytes that the receiver takes from selected tiles
      const auto fromSelected = [&](int64_t from) { ofSelected += m_selected[std::size_t(from)] ? double(run.bytes) : 0; };
      if (m_selected[std::size_t(to)]) // a selected receiver takes bytes from any tile
        run.forEachSender(to, [&](int64_t from) {
          if (m_from[std::size_t(from)] == 0) m_touched.push_back(std::size_t(from));
          m_from[std::size_t(from)] += double(run.bytes);
          fromSelected(from);
        });
      else if (int64_t(m_selection.size()) <= run.senders)
        for (const std::size_t from : m_selection) ofSelected += run.sends(int64_t(from), to) * double(run.bytes);
      else
        run.forEachSender(to, fromSelected);
      if (ofSelected > 0 && m_to[std::size_t(to)] == 0) m_touched.push_back(std::size_t(to));
      m_to[std::size_t(to)] += ofSelected;
    }
}

// True if several distributions of the bytes are possible.
bool PartnerFinder::estimate(bool isWithinIpus, const std::vector<int64_t>& in, const std::vector<int64_t>& out) {
  struct OfIpu {
    double sent = 0, sentBySelected = 0, parts = 0;
    int64_t senders = 0, receivers = 0;
  };
  std::vector<OfIpu> ipus((in.size() + m_tilesPerIpu - 1) / m_tilesPerIpu);
  OfIpu all;
  const auto addSent = [&](OfIpu& ipu, std::size_t t) {
    ipu.sent += double(out[t]);
    ipu.sentBySelected += m_selected[t] ? double(out[t]) : 0;
    ipu.senders += out[t] > 0, ipu.receivers += in[t] > 0;
  };
  for (std::size_t t = 0; t < in.size(); ++t) addSent(ipus[ipuOf(t)], t), addSent(all, t);
  // A tile does not receive from itself and, between IPUs, not from its own IPU.
  const auto mayCome = [&](std::size_t t) {
    const OfIpu& own = ipus[ipuOf(t)];
    return isWithinIpus ? own.sent - double(out[t]) : all.sent - own.sent;
  };
  const auto part = [&](std::size_t t) { return mayCome(t) > 0 ? double(in[t]) / mayCome(t) : 0; };
  double unsent = 0; // bytes received from an unknown sender
  for (const std::size_t t : m_selection) {
    ipus[ipuOf(t)].parts += part(t), all.parts += part(t);
    if (mayCome(t) <= 0) unsent += double(in[t]);
  }
  addTo(m_unknown, unsent, 0, false);
  bool hasChoice = false;
  for (std::size_t t = 0; t < in.size(); ++t) {
    const OfIpu& own = ipus[ipuOf(t)];
    const double parts = isWithinIpus ? own.parts - (m_selected[t] ? part(t) : 0) : all.parts - own.parts,
                 sent = isWithinIpus ? own.sentBySelected - (m_selected[t] ? double(out[t]) : 0)
                                     : all.sentBySelected - own.sentBySelected;
    m_from[t] = double(out[t]) * std::max(0.0, parts), m_to[t] = part(t) * std::max(0.0, sent);
    if (m_from[t] > 0 || m_to[t] > 0) m_touched.push_back(t);
    const OfIpu& group = isWithinIpus ? own : all;
    hasChoice = hasChoice || ((m_from[t] > 0 || m_to[t] > 0) && group.senders > 1 && group.receivers > 1);
  }
  return hasChoice;
}

std::vector<PartnerUse> PartnerFinder::sums() const {
  std::vector<PartnerUse> uses;
  // Rounds parts of bytes so that their sum over all tiles is exact.
  class Whole {
  public:
    Bytes next(double part) {
      const double before = m_sum;
      m_sum += part;
      return Bytes(std::llround(m_sum) - std::llround(before));
    }

  private:
    double m_sum = 0;
  };
  Whole received, sent; // for estimated bytes; known bytes are whole numbers
  const auto add = [&](TileId tile, Partners::End end, const Sum& sum) {
    if (sum.exchanges == 0) return;
    const Bytes in = received.next(sum.estimatedIn), out = sent.next(sum.estimatedOut);
    uses.push_back(
        {tile, end, Bytes(std::llround(sum.received)) + in, Bytes(std::llround(sum.sent)) + out, in + out, sum.exchanges});
  };
  for (std::size_t t = 0; t < m_sums.size(); ++t) add(TileId(t), Partners::End::Tiles, m_sums[t]);
  add(TileId(), Partners::End::Host, m_host);
  add(TileId(), Partners::End::OtherReplicas, m_otherReplicas);
  add(TileId(), Partners::End::Unknown, m_unknown);
  std::stable_sort(uses.begin(), uses.end(), [](const PartnerUse& a, const PartnerUse& b) {
    return a.received.value() + a.sent.value() > b.received.value() + b.sent.value();
  });
  return uses;
}

} // namespace analyser::memory
