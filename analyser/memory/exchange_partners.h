// The tiles at the other end of exchanges: senders to the selected tiles, and receivers from them.
#pragma once

#include "analyser/session/session.h"
#include "reports/core/amounts.h"
#include "reports/core/tile_pairs.h"
#include "reports/rows/exchange.h"

#include <cstdint>
#include <span>
#include <vector>

namespace analyser::memory {

struct Partner {
  TileId tile;
  double bytes = 0; // exchanged with the selected tiles in one execution; estimates may be fractions
};
// If a report has the bytes of each tile but no pairs of tiles, pairs are estimated: a tile receives from all senders in
// proportion to the bytes they send. With a single sender or receiver, the pairs are exact. Data sent once to several tiles
// counts for each receiver.
struct Partners {
  // Kinds of partners. A report does not name tiles of the host or of other replicas. Unknown: tiles of other IPUs or replicas,
  // or bytes whose sender is unknown.
  enum class End { Tiles, Host, OtherReplicas, Unknown };
  End end = End::Tiles;
  bool areEstimated = false;
  std::vector<Partner> senders, receivers; // most bytes first; no more than kNamedPartners
  int64_t senderCount = 0, receiverCount = 0;
};
inline constexpr std::size_t kNamedPartners = 40; // a cell is cut at its width; the tooltip and exports list all of these

// Sums over all exchanges, one execution of each.
struct PartnerUse {
  TileId tile; // invalid if `end` is not Tiles
  Partners::End end = Partners::End::Tiles;
  Bytes received, sent; // bytes that the selected tiles receive from this partner and send to it
  Bytes estimated;      // how much of both sums is estimated
  int64_t exchanges = 0;
};

// Finds the partners of a fixed selection of tiles, one exchange at a time, and sums them over the exchanges.
class PartnerFinder {
public:
  // With an empty selection, sums() gives the bytes that each tile itself sends and receives, whatever the partner.
  PartnerFinder(const Machine& machine, bool hasOtherReplicas, std::span<const TileId> selection);
  // `in`, `out`: bytes that each tile receives and sends. Throws Error(Damaged) if the pairs contradict them.
  Partners of(const reports::ExchangeRow& row, const reports::AmountRuns& in, const reports::AmountRuns& out);
  std::vector<PartnerUse> sums() const;                // most bytes first; they sum to the bytes of the exchanges
  Bytes sumOf(const reports::AmountRuns& bytes) const; // over the selected tiles; over all tiles if none is selected

private:
  struct Sum {
    double received = 0, sent = 0;            // known
    double estimatedIn = 0, estimatedOut = 0; // in addition to the known ones
    int64_t exchanges = 0;
  };
  void take(const std::vector<reports::PairRun>& runs);
  bool estimate(bool isWithinIpus, const std::vector<int64_t>& in, const std::vector<int64_t>& out);
  static void addTo(Sum& sum, double received, double sent, bool isEstimated);
  std::size_t ipuOf(std::size_t tile) const { return tile / m_tilesPerIpu; }

  std::size_t m_tilesPerIpu;
  bool m_hasOtherReplicas;
  std::vector<bool> m_selected;
  std::vector<std::size_t> m_selection;
  std::vector<double> m_from, m_to;   // bytes of one exchange, by partner: from it, to it
  std::vector<std::size_t> m_touched; // tiles whose values in m_from and m_to may be above 0; may contain a tile twice
  std::vector<Sum> m_sums;            // by tile
  Sum m_host, m_otherReplicas, m_unknown;
};

} // namespace analyser::memory
