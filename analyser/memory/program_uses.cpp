#include "analyser/memory/program_uses.h"

#include "analyser/session/debug_contexts.h"
#include "reports/sqlite/reader.h"

#include <cmath>

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
          use.partners = partnersOf(receives ? out : in, selection, receives);
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

std::string partnersText(const Partners& partners) {
  if (partners.tiles == 0) return {};
  const std::string way = partners.send ? "from " : "to ";
  if (partners.spans.size() > 1) return way + std::to_string(partners.tiles) + " tiles";
  const auto [first, last] =
      std::pair(std::to_string(partners.spans.front().first.value()), std::to_string(partners.spans.front().second.value()));
  return way + (first == last ? "tile " + first : "tiles " + first + "-" + last);
}

} // namespace analyser::memory
