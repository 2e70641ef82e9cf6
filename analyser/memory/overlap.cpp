#include "analyser/memory/overlap.h"

#include "reports/core/packed.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <limits>

namespace analyser::memory {

namespace {
// In a damaged report the sum may not fit into 64 bits.
int64_t endOf(int64_t address, int64_t size) {
  int64_t end = 0;
  return __builtin_add_overflow(address, size, &end) ? std::numeric_limits<int64_t>::max() : end;
}
} // namespace

Overlaps::Overlaps(Session& session, std::stop_token stop) : m_session(session) {
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement rows(session.reader().connection(), "SELECT id, category FROM variable");
  while (rows.step()) {
    int64_t id = 0, category = 0;
    rows.read(0, id, "variable.id");
    rows.read(1, category, "variable.category");
    m_categories.emplace(id, category);
  }
}

Overlap Overlaps::of(TileId tile) {
  Overlap overlap;
  const auto row = m_session.reader().first<reports::TileVariablesRow>("tile = ?", {int64_t(tile.value())});
  if (!row || row->lowered <= 0) return overlap;
  const auto n = static_cast<std::size_t>(row->lowered);
  const auto ids = reports::unpackDeltas(row->variables, n, "tile_variables.variables");
  const auto addresses = reports::unpackDeltas(row->addresses, n, "tile_variables.addresses");
  const auto sizes = reports::unpackVarints(row->sizes, n, "tile_variables.sizes");
  const auto own = reports::unpackVarints(row->ownBytes, n, "tile_variables.own_bytes");
  int64_t covered = 0;                  // highest end so far
  for (std::size_t i = 0; i < n; ++i) { // in address order, so only the next variable can begin inside this one first
    const int64_t end = endOf(addresses[i], sizes[i]);
    const bool shares = sizes[i] > 0 && (addresses[i] < covered || (i + 1 < n && end > addresses[i + 1]));
    covered = std::max(covered, end);
    const auto known = m_categories.find(ids[i]);
    if (known == m_categories.end() || known->second < 0 || known->second >= reports::kMemoryCategoryCount) continue;
    (shares ? overlap.sharing : overlap.alone)[static_cast<std::size_t>(known->second)] += Bytes(own[i]);
  }
  return overlap;
}

} // namespace analyser::memory
