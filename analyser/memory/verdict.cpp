#include "analyser/memory/verdict.h"

#include "analyser/memory/excess.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

namespace analyser::memory {

namespace {

struct Share {
  std::string what;
  double fraction = 0;
};

// The largest share of a tile: code as a whole, or the largest single category.
Share largestShare(Session& session, TileId tile, Bytes total, const std::stop_token& stop) {
  Bytes code;
  Share largest;
  Bytes largestBytes;
  if (total <= Bytes()) return largest;
  session.reader().forEach<reports::TileSeriesRow>(
      "name LIKE 'memory.category.%'", {},
      [&](const reports::TileSeriesRow& row) {
        const auto category = reports::memoryCategoryFromName(std::string_view(row.name).substr(16));
        const auto values = reports::unpackAmounts(row.byTile, static_cast<std::size_t>(row.tiles), "tile_series.by_tile");
        if (!category || tile.value() >= values.size()) return;
        const Bytes bytes(values[tile.value()]);
        if (reports::isCode(*category))
          code += bytes;
        else if (bytes > largestBytes) {
          largestBytes = bytes;
          largest.what = reports::memoryCategoryTitle(*category);
        }
      },
      stop);
  if (code > largestBytes) return {"code", ratio(code, total)};
  if (!largest.what.empty()) largest.what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(largest.what[0])));
  largest.fraction = ratio(largestBytes, total);
  return largest;
}

constexpr double kNearlyFull = 0.99;

} // namespace

Sentence fitVerdict(Session& session, const TileMemory& memory, std::stop_token stop) {
  if (memory.total.max == Bytes()) return "This report holds no tile memory.";
  const bool fits = memory.fits;
  const TileSeries& measured = fits ? memory.total : memory.totalWithGaps;
  const std::size_t at = measured.maxTile.value();
  const std::string tile = "tile " + std::to_string(at);
  Sentence verdict;
  const std::string who = memory.ipu ? "IPU " + std::to_string(memory.ipu->value()) : std::string();
  if (fits) {
    verdict << (who.empty() ? "Fits" : who + " fits") + ": fullest " + tile + " uses " << measured.max << " of "
            << memory.capacity << " (";
    // "624 KiB of 624 KiB (100 %)" would hide that some bytes are left.
    const Bytes withGaps = memory.totalWithGaps.values[at], farthest = memory.totalWithGaps.max;
    if (const double used = ratio(measured.max, memory.capacity); used >= kNearlyFull) {
      verdict << memory.capacity - measured.max << (withGaps > measured.max ? " free, gaps included)" : " free)");
    } else {
      verdict << Sentence::Percent{used};
      // Another tile may have a higher address because of its gaps: that tile decides whether the program fits.
      if (ratio(farthest - withGaps, memory.capacity) >= kGapsWorthSaying)
        verdict << "; with gaps " << farthest << " on tile " + std::to_string(memory.totalWithGaps.maxTile.value());
      else if (ratio(withGaps - measured.max, memory.capacity) >= kGapsWorthSaying)
        verdict << "; " << withGaps << " with gaps";
      verdict << ")";
    }
  } else
    verdict << (who.empty() ? "Does not fit: " : who + " does not fit: ") << int64_t(memory.overflowTiles)
            << (memory.overflowTiles == 1 ? " tile is" : " tiles are") << " out of memory; fullest " + tile + " needs "
            << measured.max << " of " << memory.capacity << (measured.max > memory.total.values[at] ? ", gaps included (" : " (")
            << memory.overflow.max << " too much)";
  const Share share = largestShare(session, measured.maxTile, memory.total.values[at], stop);
  if (!share.what.empty()) verdict << "; " << Sentence::Percent{share.fraction} << " of the tile's bytes are " + share.what;
  const std::vector<Bytes> medians = mediansByIpu(memory);
  int64_t heavy = 0;
  for (std::size_t t = 0; t < memory.total.values.size(); ++t) {
    const Bytes median = medians[memory.ipuOf(t)];
    heavy += median > Bytes() && memory.total.values[t] >= 2 * median;
  }
  if (heavy)
    verdict << "; " << heavy << (heavy == 1 ? " tile holds" : " tiles hold") << " at least twice the median"
            << (memory.ipus > 1 && !memory.ipu ? (heavy == 1 ? " of its IPU" : " of their IPU") : "");
  return verdict << ".";
}

} // namespace analyser::memory
