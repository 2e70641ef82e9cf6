#include "analyser/memory/exchange_uses.h"

#include "analyser/memory/using_steps.h"
#include "analyser/session/debug_contexts.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace analyser::memory {

namespace {

// By exchange.id, over all of its steps, on the IPU that runs them most, like in Program.
std::unordered_map<int64_t, int64_t> executionsOf(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, int64_t> executions;
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement counts(session.reader().connection(),
                            "SELECT s.exchange_id, TOTAL(p.executions) FROM step_profile p JOIN program_step s ON s.id = "
                            "p.program_step_id WHERE s.exchange_id IS NOT NULL GROUP BY s.exchange_id, p.ipu");
  while (counts.step()) {
    int64_t exchange = 0;
    double count = 0; // TOTAL gives a double, which does not overflow
    counts.read(0, exchange, "program_step.exchange_id");
    counts.read(1, count, "step_profile.executions");
    int64_t& most = executions[exchange];
    most = std::max(most, int64_t(std::min(count, 9e18)));
  }
  return executions;
}

// Sums and products of a damaged report stay below the limit.
Bytes limited(double bytes) { return Bytes(int64_t(std::min(bytes, 9e18))); }

void sortByCode(std::vector<ExchangeUse>& uses) {
  std::stable_sort(uses.begin(), uses.end(), [](const ExchangeUse& a, const ExchangeUse& b) {
    return std::pair(a.codeHere.value_or(a.code), a.code) > std::pair(b.codeHere.value_or(b.code), b.code);
  });
}

} // namespace

ExchangesOfTiles exchangesOn(Session& session, std::span<const TileId> selection, std::stop_token stop) {
  const UsingSteps steps = readUsingSteps(session, stop);
  const OperationNames operations(session, stop);
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  PartnerFinder partners(session.machine(), std::atoll(session.metadata("replicas").c_str()) > 1, selection);
  const auto executions = executionsOf(session, stop);
  std::vector<ExchangeUse> uses;
  session.reader().forEach<reports::ExchangeRow>(
      {}, {},
      [&](const reports::ExchangeRow& row) {
        const reports::AmountRuns in(row.bytesInByTile, tiles, "exchange.bytes_in_by_tile");
        const reports::AmountRuns out(row.bytesOutByTile, tiles, "exchange.bytes_out_by_tile");
        ExchangeUse use;
        use.received = partners.sumOf(in), use.sent = partners.sumOf(out);
        if (row.codeByTile) use.codeHere = partners.sumOf(reports::AmountRuns(*row.codeByTile, tiles, "exchange.code_by_tile"));
        if (!selection.empty() && use.received == Bytes() && use.sent == Bytes() && use.codeHere.value_or(Bytes()) == Bytes())
          return;
        use.kind = row.kind;
        use.code = Bytes(row.codeBytes);
        use.total = Bytes(row.totalBytes);
        use.messages = row.messages;
        use.cycles = Cycles(row.maxCycles);
        use.receivers = in.positive();
        use.senders = out.positive();
        use.partners = partners.of(row, in, out);
        if (const auto ran = executions.find(row.id); ran != executions.end()) use.executions = ran->second;
        use.receivedInAll = limited(double(use.received.value()) * double(use.executions));
        for (const auto* side : {&in, &out}) {
          const reports::ValueRun most = side->most();
          if (Bytes(most.value) > use.busiestBytes) use.busiestBytes = Bytes(most.value), use.busiest = TileId(most.begin);
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
  sortByCode(uses);
  return {std::move(uses), partners.sums()};
}

std::vector<ExchangeUse> byOperation(const std::vector<ExchangeUse>& uses) {
  static constexpr std::string_view kSums = "exchanges of an operation";
  std::vector<ExchangeUse> sums;
  std::unordered_map<std::string, std::size_t> places;
  for (const ExchangeUse& use : uses) {
    const auto [at, isNew] = places.try_emplace(use.operation, sums.size());
    if (isNew || use.operation.empty()) {
      sums.push_back(use);
      sums.back().partners = {}, sums.back().busiest = {}, sums.back().executions = 0;
      if (!use.operation.empty()) sums.back().name = use.operation;
      continue;
    }
    ExchangeUse& sum = sums[at->second];
    if (sum.kind != use.kind) sum.kind.clear();
    if (sum.codeHere && use.codeHere)
      *sum.codeHere += *use.codeHere;
    else
      sum.codeHere.reset();
    const auto add = [](auto& to, auto more) {
      to = std::decay_t<decltype(to)>(reports::addAmounts(to.value(), more.value(), kSums));
    };
    add(sum.code, use.code), add(sum.received, use.received), add(sum.sent, use.sent), add(sum.total, use.total);
    add(sum.cycles, use.cycles);
    sum.receivedInAll = limited(double(sum.receivedInAll.value()) + double(use.receivedInAll.value()));
    sum.messages = reports::addAmounts(sum.messages, use.messages, kSums);
    sum.exchanges += use.exchanges;
    sum.senders = std::max(sum.senders, use.senders), sum.receivers = std::max(sum.receivers, use.receivers);
  }
  sortByCode(sums);
  return sums;
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

} // namespace analyser::memory
