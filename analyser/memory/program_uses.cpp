#include "analyser/memory/program_uses.h"

#include "analyser/session/debug_contexts.h"
#include "analyser/session/format.h"
#include "reports/rows/exchange_pairs.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace analyser::memory {

namespace {

struct UsingStep {
  reports::ProgramStepId step;
  std::optional<int64_t> context;
  int64_t nameId = 0, count = 0;
};

// The steps that refer to compute sets or exchanges, by what they refer to.
struct UsingSteps {
  std::unordered_map<int64_t, UsingStep> ofComputeSet, ofExchange;
};
UsingSteps readUsingSteps(Session& session, const std::stop_token& stop) {
  UsingSteps steps;
  session.reader().forEach<reports::ProgramStepRow>(
      "compute_set_id IS NOT NULL OR exchange_id IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        const UsingStep made{reports::ProgramStepId(static_cast<std::size_t>(row.id)), row.debugContextId, row.nameId, 0};
        if (row.computeSetId) ++steps.ofComputeSet.try_emplace(*row.computeSetId, made).first->second.count;
        if (row.exchangeId) ++steps.ofExchange.try_emplace(*row.exchangeId, made).first->second.count;
      },
      stop);
  return steps;
}

// How many of the vertices are on the selected tiles, and on how many tiles.
std::pair<int64_t, int64_t> onSelection(const std::vector<int64_t>& byTile, std::span<const TileId> selection) {
  std::pair<int64_t, int64_t> found;
  const auto add = [&](int64_t n) {
    found.first += n;
    if (n > 0) ++found.second;
  };
  if (selection.empty())
    for (const int64_t n : byTile) add(n);
  for (const TileId tile : selection)
    if (tile.value() < byTile.size()) add(byTile[tile.value()]);
  return found;
}

// Those of `bytes` that have some, without the only selected tile.
Partners partnersOf(const std::vector<int64_t>& bytes, std::span<const TileId> selection, bool send) {
  Partners partners;
  partners.send = send;
  for (std::size_t t = 0; t < bytes.size(); ++t) {
    if (bytes[t] <= 0 || (selection.size() == 1 && selection.front() == TileId(t))) continue;
    ++partners.tiles;
    if (!partners.spans.empty() && partners.spans.back().second.value() + 1 == t)
      partners.spans.back().second = TileId(t);
    else
      partners.spans.emplace_back(TileId(t), TileId(t));
  }
  return partners;
}

// Partners of tiles that a report has the pairs of.
class KnownPartners {
public:
  KnownPartners(std::size_t tiles, std::span<const TileId> selection)
      : m_selected(tiles, false), m_from(tiles, 0), m_to(tiles, 0) {
    for (const TileId tile : selection)
      if (tile.value() < tiles && !m_selected[tile.value()]) {
        m_selected[tile.value()] = true;
        m_selection.push_back(int64_t(tile.value()));
      }
  }
  Partners of(const std::vector<reports::PairRun>& runs) {
    for (const reports::PairRun& run : runs)
      for (int64_t to = run.receiver; run.receives(to); ++to) {
        const int64_t taken = m_selected[std::size_t(to)] ? receive(run, to) : send(run, to);
        m_to[std::size_t(to)] += taken;
      }
    Partners partners;
    partners.areKnown = true;
    partners.senders = ordered(m_from), partners.receivers = ordered(m_to);
    partners.send = !partners.senders.empty();
    partners.tiles = int64_t((partners.send ? partners.senders : partners.receivers).size());
    return partners;
  }

private:
  // A selected receiver takes bytes from any tile; those from another selected tile are what that one sends.
  int64_t receive(const reports::PairRun& run, int64_t to) {
    int64_t fromSelected = 0;
    run.forEachSender(to, [&](int64_t from) {
      m_from[std::size_t(from)] += run.bytes;
      if (m_selected[std::size_t(from)]) fromSelected += run.bytes;
    });
    return fromSelected;
  }
  int64_t send(const reports::PairRun& run, int64_t to) const {
    int64_t bytes = 0;
    if (int64_t(m_selection.size()) <= run.senders)
      for (const int64_t from : m_selection) bytes += run.sends(from, to) * run.bytes;
    else
      run.forEachSender(to, [&](int64_t from) { bytes += m_selected[std::size_t(from)] ? run.bytes : 0; });
    return bytes;
  }
  // Those with bytes, which are 0 again afterwards.
  static std::vector<Partner> ordered(std::vector<int64_t>& bytes) {
    std::vector<Partner> partners;
    for (std::size_t t = 0; t < bytes.size(); ++t)
      if (bytes[t] > 0) partners.push_back({TileId(t), Bytes(std::exchange(bytes[t], 0))});
    std::stable_sort(partners.begin(), partners.end(), [](const Partner& a, const Partner& b) { return a.bytes > b.bytes; });
    return partners;
  }
  std::vector<bool> m_selected;
  std::vector<int64_t> m_selection, m_from, m_to; // bytes by partner
};

Bytes sumOn(const std::vector<int64_t>& bytes, std::span<const TileId> selection) {
  int64_t sum = 0;
  if (selection.empty())
    for (const int64_t b : bytes) sum += b;
  for (const TileId tile : selection) sum += tile.value() < bytes.size() ? bytes[tile.value()] : 0;
  return Bytes(sum);
}

} // namespace

std::vector<ComputeSetUse> computeSetsOn(Session& session, std::span<const TileId> selection, std::stop_token stop) {
  const UsingSteps steps = readUsingSteps(session, stop);
  const OperationNames operations(session, stop);
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  std::unordered_map<int64_t, std::string> typeNames;
  session.reader().forEach<reports::VertexTypeRow>(
      {}, {}, [&](const reports::VertexTypeRow& row) { typeNames.emplace(row.id, session.text(row.nameId)); });
  struct Gathered {
    ComputeSetUse use;
    double state = 0;
    std::vector<std::pair<int64_t, int64_t>> types; // vertices, type
  };
  std::unordered_map<int64_t, Gathered> sets;
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      {}, {},
      [&](const reports::ComputeSetVerticesRow& row) {
        const auto byTile = reports::unpackRuns(row.verticesByTile, tiles, "compute_set_vertices.vertices_by_tile");
        const auto [vertices, on] = onSelection(byTile, selection);
        if (vertices == 0) return;
        Gathered& set = sets[row.computeSetId];
        set.use.vertices += vertices, set.use.tiles = std::max(set.use.tiles, on);
        set.types.emplace_back(vertices, row.vertexTypeId);
        if (row.vertices > 0) set.state += double(row.stateBytes) * double(vertices) / double(row.vertices);
      },
      stop);
  std::vector<ComputeSetUse> uses;
  session.reader().forEach<reports::ComputeSetRow>(
      {}, {},
      [&](const reports::ComputeSetRow& row) {
        const auto at = sets.find(row.id);
        if (at == sets.end()) return;
        ComputeSetUse use = std::move(at->second.use);
        use.name = session.text(row.nameId);
        use.operation = operations.of(row.debugContextId);
        use.stateBytes = Bytes(std::llround(at->second.state));
        std::sort(at->second.types.rbegin(), at->second.types.rend());
        for (const auto& [vertices, type] : at->second.types) {
          const auto name = typeNames.find(type);
          if (!use.types.empty()) use.types += ", ";
          use.types += name == typeNames.end() ? "?" : name->second;
        }
        if (const auto step = steps.ofComputeSet.find(row.id); step != steps.ofComputeSet.end())
          use.step = step->second.step, use.executions = step->second.count;
        uses.push_back(std::move(use));
      },
      stop);
  std::stable_sort(uses.begin(), uses.end(),
                   [](const ComputeSetUse& a, const ComputeSetUse& b) { return a.vertices > b.vertices; });
  return uses;
}

std::vector<ExchangeUse> exchangesOn(Session& session, std::span<const TileId> selection, std::stop_token stop) {
  const UsingSteps steps = readUsingSteps(session, stop);
  const OperationNames operations(session, stop);
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  KnownPartners known(tiles, selection);
  std::unordered_map<int64_t, int64_t> executions; // by step
  // On the IPU that runs it most, as Program has it.
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement counts(session.reader().connection(),
                            "SELECT program_step_id, TOTAL(executions) FROM step_profile GROUP BY program_step_id, ipu");
  while (counts.step()) {
    int64_t step = 0;
    double count = 0; // TOTAL, which does not overflow
    counts.read(0, step, "step_profile.program_step_id");
    counts.read(1, count, "step_profile.executions");
    int64_t& most = executions[step];
    most = std::max(most, int64_t(std::min(count, 9e18)));
  }
  std::vector<ExchangeUse> uses;
  session.reader().forEach<reports::ExchangeRow>(
      {}, {},
      [&](const reports::ExchangeRow& row) {
        const auto in = reports::unpackRuns(row.bytesInByTile, tiles, "exchange.bytes_in_by_tile");
        const auto out = reports::unpackRuns(row.bytesOutByTile, tiles, "exchange.bytes_out_by_tile");
        ExchangeUse use;
        use.received = sumOn(in, selection), use.sent = sumOn(out, selection);
        if (row.codeByTile) use.codeHere = sumOn(reports::unpackRuns(*row.codeByTile, tiles, "exchange.code_by_tile"), selection);
        if (!selection.empty() && use.received == Bytes() && use.sent == Bytes() && use.codeHere.value_or(Bytes()) == Bytes())
          return;
        use.kind = row.kind;
        use.code = Bytes(row.codeBytes);
        use.total = Bytes(row.totalBytes);
        use.messages = row.messages;
        use.cycles = Cycles(row.maxCycles);
        const auto some = [](int64_t b) { return b > 0; };
        use.receivers = std::count_if(in.begin(), in.end(), some);
        use.senders = std::count_if(out.begin(), out.end(), some);
        if (!selection.empty() && row.kind != "host") {
          const bool receives = use.received > Bytes();
          use.partners =
              row.pairs ? known.of(reports::decodePairs(row, tiles)) : partnersOf(receives ? out : in, selection, receives);
        }
        for (const auto* side : {&in, &out}) {
          const auto most = std::max_element(side->begin(), side->end());
          if (most != side->end() && Bytes(*most) > use.busiestBytes)
            use.busiestBytes = Bytes(*most), use.busiest = TileId(static_cast<std::size_t>(most - side->begin()));
        }
        use.name = session.text(row.nameId);
        if (const auto step = steps.ofExchange.find(row.id); step != steps.ofExchange.end()) {
          use.step = step->second.step;
          use.name = session.text(step->second.nameId);
          use.operation = operations.of(step->second.context);
          const auto ran = executions.find(int64_t(use.step.value()));
          if (ran != executions.end()) use.executions = ran->second;
        }
        uses.push_back(std::move(use));
      },
      stop);
  std::stable_sort(uses.begin(), uses.end(), [](const ExchangeUse& a, const ExchangeUse& b) {
    return std::pair(a.codeHere.value_or(a.code), a.code) > std::pair(b.codeHere.value_or(b.code), b.code);
  });
  return uses;
}

bool isExchangeCode(reports::MemoryCategory c) {
  return c == reports::MemoryCategory::InternalExchangeCode || c == reports::MemoryCategory::GlobalExchangeCode ||
         c == reports::MemoryCategory::HostExchangeCode;
}

Bytes codeOfNoExchange(const TileMemory& byCategory, std::span<const ExchangeUse> uses, std::span<const TileId> selection) {
  Bytes code;
  for (const TileSeries& part : byCategory.parts) {
    if (!part.category || !isExchangeCode(*part.category)) continue;
    if (selection.empty()) code += part.sum;
    for (const TileId tile : selection)
      if (tile.value() < part.values.size()) code += part.values[tile.value()];
  }
  for (const ExchangeUse& use : uses) {
    if (!use.codeHere) return {};
    code += Bytes(-use.codeHere->value());
  }
  return std::max(code, Bytes());
}

namespace {
// "from tile 12 (896 B) and 3 more: 13 (512 B), 14 (64 B), …"
std::string knownText(const char* way, const std::vector<Partner>& partners, std::size_t named) {
  if (partners.empty()) return {};
  const auto one = [&](const Partner& p) { return std::to_string(p.tile.value()) + " (" + formatBytes(p.bytes) + ")"; };
  std::string text = way + one(partners.front());
  if (partners.size() == 1) return text;
  text += " and " + formatCount(int64_t(partners.size()) - 1) + " more";
  for (std::size_t i = 1; i < std::min(partners.size(), named); ++i) text += (i == 1 ? ": " : ", ") + one(partners[i]);
  return named > 1 && partners.size() > named ? text + ", …" : text;
}
} // namespace

std::string partnersText(const Partners& partners, std::size_t named) {
  if (partners.areKnown) {
    const std::string from = knownText("from tile ", partners.senders, named),
                      to = knownText("to tile ", partners.receivers, named);
    return from + (from.empty() || to.empty() ? "" : "; ") + to;
  }
  if (partners.tiles == 0) return {};
  const std::string way = std::string(partners.tiles > 1 ? "possibly " : "") + (partners.send ? "from " : "to ");
  if (partners.spans.size() > 1) return way + std::to_string(partners.tiles) + " tiles";
  const auto [first, last] =
      std::pair(std::to_string(partners.spans.front().first.value()), std::to_string(partners.spans.front().second.value()));
  return way + (first == last ? "tile " + first : "tiles " + first + "-" + last);
}

} // namespace analyser::memory
