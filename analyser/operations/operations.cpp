#include "analyser/operations/operations.h"

#include "analyser/operations/peak_use.h"
#include "analyser/operations/shared_steps.h"
#include "analyser/operations/sums.h"
#include "analyser/session/debug_contexts.h"
#include "analyser/session/exchange_code.h"
#include "analyser/session/words.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <numeric>

namespace analyser::operations {

void addTo(Operation& sum, const Operation& o) {
  sum.compute += o.compute;
  sum.exchange += o.exchange;
  sum.sync += o.sync;
  sum.host += o.host;
  sum.total += o.total;
  sum.flops += o.flops;
  sum.vertices += o.vertices;
  sum.exchangeBytes += o.exchangeBytes;
  sum.exchangeable += o.exchangeable;
  for (Operation::Way Operation::*way : {&Operation::overLinks, &Operation::withHost, &Operation::withStreamingMemory})
    (sum.*way).bytes += (o.*way).bytes, (sum.*way).possible += (o.*way).possible;
  sum.codeBytes += o.codeBytes;
  sum.exchangeCodeBytes += o.exchangeCodeBytes;
  sum.variableBytes += o.variableBytes;
  sum.temporaryBytes += o.temporaryBytes;
  sum.tileCycles += o.tileCycles;
  sum.betweenIpus += o.betweenIpus;
  sum.tiles = std::max(sum.tiles, o.tiles);
  sum.tilesAvailable = std::max(sum.tilesAvailable, o.tilesAvailable);
  sum.share += o.share;
  if (sum.ipus == o.ipus) return;
  std::vector<int> ipus;
  std::set_union(sum.ipus.begin(), sum.ipus.end(), o.ipus.begin(), o.ipus.end(), std::back_inserter(ipus));
  sum.ipus = std::move(ipus);
}

bool isTransfer(const Operation& o) { return o.compute == Cycles() && o.exchange > Cycles() && o.ipus.size() > 1; }

double ipuSeconds(const Machine& m, const Operation& o) {
  if (m.clockHz <= 0) return 0;
  if (o.tileCycles.total() > 0 && m.tilesPerIpu > 0)
    return double(o.tileCycles.total()) / double(m.tilesPerIpu) / double(m.clockHz);
  return m.seconds(o.total) * m.ipus;
}

double utilisation(Session& session, const Operation& o) {
  const Machine& m = session.machine();
  const double peak = m.peakFlopsPerSecond(session.metadata("precision"));
  const double possible = peak * ipuSeconds(m, o);
  return possible > 0 ? double(o.flops.value()) / possible : 0;
}

double exchangeableBytes(const Machine& m, const Operation& o) {
  const double tiles = double(std::max<std::size_t>(1, o.ipus.size())) * double(m.tilesPerIpu);
  return double(o.exchange.value()) * tiles * m.exchangeBytesPerCycle;
}

namespace {

// The tile-cycles of an operation, which its shares refer to; its cycles if the report has no tile-cycles.
double spent(const Operation& o) { return o.tileCycles.total() > 0 ? double(o.tileCycles.total()) : double(o.total.value()); }

// Mean over operations that compute, weighted by their compute cycles.
std::optional<double> meanBalance(const std::vector<const Operation*>& rows) {
  double sum = 0, weight = 0;
  for (const Operation* o : rows) {
    if (!o->balance) continue;
    sum += *o->balance * double(o->compute.value());
    weight += double(o->compute.value());
  }
  if (weight <= 0) return std::nullopt;
  return sum / weight;
}

Operation fromRow(Session& session, reports::OperationRow& row, const std::unordered_map<int64_t, int64_t>& layers) {
  Operation o;
  o.id = reports::OperationId(static_cast<std::size_t>(row.id));
  o.debugContext = reports::DebugContextId(static_cast<std::size_t>(row.debugContextId));
  o.name = std::move(row.name);
  o.kind = operatorName(std::move(row.kind));
  const auto layer = layers.find(row.debugContextId);
  if (layer != layers.end()) o.layer = session.text(layer->second);
  o.compute = Cycles(row.computeCycles);
  o.exchange = Cycles(row.exchangeCycles);
  o.sync = Cycles(row.syncCycles);
  o.host = Cycles(row.hostCycles);
  o.total = o.compute + o.exchange + o.sync + o.host;
  o.flops = Flops(row.flops);
  o.vertices = row.vertices;
  o.exchangeBytes = Bytes(row.exchangeBytes);
  o.codeBytes = Bytes(row.codeBytes);
  o.variableBytes = Bytes(row.variableBytes);
  o.balance = row.balance;
  return o;
}

// Operations that share a function, directly or through others.
class Groups {
public:
  explicit Groups(std::size_t operations) : m_earlier(operations) {
    std::iota(m_earlier.begin(), m_earlier.end(), std::size_t(0));
  }
  void join(std::size_t a, std::size_t b) {
    a = first(a), b = first(b);
    m_earlier[std::max(a, b)] = std::min(a, b);
  }
  void tell(std::vector<Operation>& rows) {
    std::vector<std::size_t> sizes(rows.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) ++sizes[first(i)];
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (sizes[first(i)] > 1) rows[i].firstAlike = first(i);
  }

private:
  std::size_t first(std::size_t i) {
    while (m_earlier[i] != i) i = m_earlier[i] = m_earlier[m_earlier[i]];
    return i;
  }
  std::vector<std::size_t> m_earlier; // a preceding operation of the group; itself for the first
};

using Callers =
    std::map<std::size_t, double>; // executions by index of an operation; double: a damaged report may exceed all integers

// A variable of a function exists once for all operations that run the function. Each operation gets a share by its executions.
void addTemporary(std::vector<Operation>& rows, std::size_t maker, const Callers& callers, int64_t bytes) {
  double left = 0;
  for (const auto& [row, executions] : callers) left += executions;
  if (left <= 0) rows[maker].temporaryBytes += Bytes(bytes);
  for (const auto& [row, executions] : callers) {
    const auto part = left > 0 ? int64_t(double(bytes) * std::min(1.0, executions / left)) : 0;
    rows[row].temporaryBytes += Bytes(part);
    bytes -= part, left -= executions;
  }
}

// By operation: the participating IPUs of its steps, and whether they compute.
class IpusAtWork {
public:
  explicit IpusAtWork(std::size_t operations) : m_computes(operations) {}
  void add(std::size_t operation, const trace::StepTileCycles& cost, bool computes) {
    for (const auto& [ipu, cycles] : cost.onIpus) {
      bool& known = m_computes[operation][int(ipu)];
      known = known || computes;
    }
  }
  void tell(std::vector<Operation>& rows) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool anyComputes =
          std::any_of(m_computes[i].begin(), m_computes[i].end(), [](const auto& ipu) { return ipu.second; });
      for (const auto& [ipu, computes] : m_computes[i])
        if (computes || !anyComputes) rows[i].ipus.push_back(ipu);
    }
  }

private:
  std::vector<std::map<int, bool>> m_computes; // by IPU
};

// Tile-cycles of the steps and bytes of the variables of each operation.
void addCosts(Session& session, const trace::StepCosts& costs, program::ProgramOnce& program, std::vector<Operation>& rows,
              const std::stop_token& stop) {
  std::unordered_map<int64_t, std::size_t> byContext;
  for (std::size_t i = 0; i < rows.size(); ++i) byContext.emplace(int64_t(rows[i].debugContext.value()), i);
  const OperationNames contexts(session, stop);
  SharedSteps shared(session, program, stop);
  Groups joined(rows.size());
  std::vector<double> most(rows.size(), -1); // cycles of the costliest step so far
  std::vector<Callers> callers(rows.size()); // by operation: the operations for which its steps run
  const auto exchanges = exchangeCode(session, stop);
  IpusAtWork ipus(rows.size());
  const PeakUse peaks(session, stop);
  const auto rowOf = [&](std::optional<int64_t> context) -> Operation* {
    const auto of = contexts.contextOf(context);
    const auto found = of ? byContext.find(*of) : byContext.end();
    return found == byContext.end() ? nullptr : &rows[found->second];
  };
  session.reader().forEach<reports::ProgramStepRow>(
      "debug_context_id IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        const auto cost = costs.find(row.id);
        Operation* o = cost == costs.end() ? nullptr : rowOf(row.debugContextId);
        if (!o) return;
        const bool isBetweenIpus = row.activity == int64_t(reports::Activity::GlobalExchange);
        const auto code = exchanges.find(row.exchangeId.value_or(-1));
        Bytes codeLeft(code == exchanges.end() ? 0 : code->second); // the first operation also gets the rest
        const auto add = [&](Operation& to, const trace::TileCycles& part, double share) {
          to.tileCycles += part;
          const double cycles = double(cost->second.cycles.value()) * share;
          if (double& known = most[std::size_t(&to - rows.data())]; cycles > known)
            known = cycles, to.costliestStep = reports::ProgramStepId(static_cast<std::size_t>(row.id));
          if (isBetweenIpus) to.betweenIpus += part[trace::TileTime::Exchange];
          peaks.add(to, reports::ProgramStepId(std::size_t(row.id)), reports::Activity(row.activity), share, part);
          const bool computes = part[trace::TileTime::Busy] > 0;
          ipus.add(std::size_t(&to - rows.data()), cost->second, computes);
          if (!computes || cost->second.tiles < to.tiles) return;
          to.tiles = cost->second.tiles, to.tilesAvailable = cost->second.available;
        };
        const auto shares = shared.of(row.id, int64_t(o->debugContext.value()));
        int64_t all = 0;
        for (const auto& share : shares) all += share.executions;
        const auto shareOf = [&](const program::Callers::Share& share) {
          return all > 0 ? double(share.executions) / double(all) : 0;
        };
        trace::TileCycles left = cost->second.cost;
        for (std::size_t i = 1; i < shares.size(); ++i) {
          const trace::TileCycles part = cost->second.cost.part(shares[i].executions, all);
          Operation* of = rowOf(shares[i].context);
          if (!of) continue;
          add(*of, part, shareOf(shares[i])), left -= part;
          const Bytes ownCode(code == exchanges.end() ? 0 : int64_t(double(code->second) * shareOf(shares[i])));
          of->exchangeCodeBytes += ownCode, codeLeft -= ownCode;
        }
        Operation* first = shares.empty() ? o : rowOf(shares.front().context);
        add(first ? *first : *o, left, shares.empty() ? 1 : shareOf(shares.front()));
        (first ? *first : *o).exchangeCodeBytes += codeLeft;
        const auto own = std::size_t(o - rows.data());
        if (shares.empty()) callers[own][own] += double(cost->second.executions);
        for (const auto& share : shares) {
          const Operation* of = rowOf(share.context);
          if (!of) continue;
          joined.join(own, std::size_t(of - rows.data()));
          callers[own][std::size_t(of - rows.data())] += double(share.executions);
        }
      },
      stop);
  joined.tell(rows);
  ipus.tell(rows);
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement variables(session.reader().connection(),
                               "SELECT debug_context_id, total_bytes FROM variable WHERE always_live = 0 AND "
                               "debug_context_id IS NOT NULL");
  while (variables.step()) {
    int64_t context = 0, bytes = 0;
    variables.read(0, context, "variable.debug_context_id");
    variables.read(1, bytes, "variable.total_bytes");
    if (const Operation* o = rowOf(context))
      addTemporary(rows, std::size_t(o - rows.data()), callers[std::size_t(o - rows.data())], bytes);
  }
}

// The list has at least one operation.
const Operation& mostWasteful(const Operations& all) {
  return *std::max_element(all.rows.begin(), all.rows.end(),
                           [](const Operation& a, const Operation& b) { return a.tileCycles.wasted() < b.tileCycles.wasted(); });
}

constexpr double kNearlyAll = 0.98; // share of all cycles: a layer with less does not explain the run

Sentence verdictOf(const Operations& all, const Machine& machine, const std::string& what) {
  if (all.rows.empty()) return "This report holds no operations.";
  const auto top = std::max_element(all.rows.begin(), all.rows.end(),
                                    [](const Operation& a, const Operation& b) { return a.total < b.total; });
  Sentence taken; // the last clause: the total to which the shares refer
  const auto count = static_cast<int64_t>(all.rows.size());
  taken << count
        << (count != 1            ? " " + what + " take "
            : what == kOperations ? " operation takes "
                                  : " row takes ")
        << all.totals.total;
  if (all.totals.total == Cycles()) return taken << ".";
  if (double(all.totals.total.value()) < kNearlyAll * double(all.stepCycles.value()))
    taken << " of the " << all.stepCycles << " of all steps";
  taken << machine.addedUp() << ".";
  Sentence verdict;
  const Cycles moved = all.totals.exchange + all.totals.sync; // 0 for vertex types
  if (moved > Cycles())
    // Shares of what the rows take; a share of the run counts its idle time, too.
    verdict << "Without idle time " << Sentence::Percent{ratio(all.totals.compute, all.totals.total)} << " compute, "
            << Sentence::Percent{ratio(moved, all.totals.total)} << " exchange and sync; slowest: ";
  else
    verdict << "Slowest: ";
  verdict << Sentence::Name{top->name} << " (";
  // Names the kind unless the name has it: as its end, or before the template arguments of a vertex type.
  if (top->name.find(top->kind) == std::string::npos) verdict << Sentence::Name{top->kind} << ", ";
  verdict << Sentence::Percent{top->share} << ")";
  if (const Sentence waste = wasteVerdict(all); !waste.empty()) (verdict << "; ").append(waste);
  return (verdict << "; ").append(taken);
}

} // namespace

Operations operations(Session& session, std::stop_token stop) {
  return operations(session, trace::tileCyclesBySteps(session, stop), stop);
}

Operations operations(Session& session, const trace::StepCosts& costs, std::stop_token stop) {
  program::ProgramOnce program(session, stop);
  return operations(session, costs, program, stop);
}

Operations operations(Session& session, const trace::StepCosts& costs, program::ProgramOnce& program, std::stop_token stop) {
  Operations all;
  std::unordered_map<int64_t, int64_t> layers;
  session.reader().forEach<reports::DebugContextRow>(
      "id IN (SELECT debug_context_id FROM operation)", {},
      [&](const reports::DebugContextRow& row) { layers.emplace(row.id, row.layerId); }, stop);
  session.reader().forEach<reports::OperationRow>(
      {}, {}, [&](reports::OperationRow& row) { all.rows.push_back(fromRow(session, row, layers)); }, stop);
  session.reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& row) { all.runCycles += Cycles(row.cycles); });
  addCosts(session, costs, program, all.rows, stop);
  for (Operation& o : all.rows) {
    o.flopUtilisation = utilisation(session, o);
    o.exchangeable = exchangeableBytes(session.machine(), o);
  }
  finish(session, all);
  return all;
}

void finish(Session& session, Operations& all, const std::string& what) {
  Cycles total;
  for (const Operation& o : all.rows) total += o.total;
  std::vector<const Operation*> rows;
  for (Operation& o : all.rows) {
    o.share = total > Cycles() ? ratio(o.total, total) : 0;
    addTo(all.totals, o);
    rows.push_back(&o);
  }
  all.totals.name = "Total";
  all.totals.share = total > Cycles() ? 1 : 0;
  all.totals.balance = meanBalance(rows);
  all.totals.flopUtilisation = utilisation(session, all.totals);
  all.verdict = verdictOf(all, session.machine(), what);
}

Sentence wasteVerdict(const Operations& all) {
  Sentence words;
  if (all.rows.empty()) return words;
  const Operation& most = mostWasteful(all);
  if (most.tileCycles.wasted() <= 0) return words;
  return words << Sentence::Name{most.name} << " wastes most, "
               << Sentence::Percent{double(most.tileCycles.wasted()) /
                                    double(std::max<int64_t>(1, all.totals.tileCycles.wasted()))}
               << " of all waste, mainly " + lowerFirst(std::string(trace::tileTimeTitle(most.tileCycles.largestWaste())));
}

// Derives the peak from the totals: utilisation is FLOPs / cycles, scaled so that all operations together have the total's.
Operation sumOf(const Operations& all, const std::vector<const Operation*>& members) {
  Operation sum;
  for (const Operation* o : members) addTo(sum, *o);
  sum.balance = meanBalance(members);
  const double own = spent(sum), whole = spent(all.totals) * all.totals.flopUtilisation, flops = double(all.totals.flops.value());
  sum.flopUtilisation = own > 0 && flops > 0 ? double(sum.flops.value()) / flops * whole / own : 0;
  return sum;
}

Operation totalsOf(const Operations& all, std::span<const int> members) {
  std::vector<const Operation*> rows;
  for (const int member : members) rows.push_back(&all.rows[std::size_t(member)]);
  return sumOf(all, rows);
}

std::vector<Group> group(const Operations& all, GroupBy by) {
  std::map<std::string, std::vector<int>> members;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    members[by == GroupBy::Kind ? all.rows[i].kind : all.rows[i].layer].push_back(int(i));
  std::vector<Group> list;
  for (auto& [key, of] : members) {
    Group& g = list.emplace_back(Group{key, int64_t(of.size()), totalsOf(all, of), std::move(of)});
    g.totals.name = key;
  }
  std::stable_sort(list.begin(), list.end(), [](const Group& a, const Group& b) { return a.totals.total > b.totals.total; });
  return list;
}

Sentence Alike::name() const {
  Sentence text;
  text << Sentence::Name{totals.name};
  if (members.size() > 1) text << " and " << int64_t(members.size()) - 1 << " alike";
  return text;
}

std::vector<Alike> alike(const Operations& all) {
  std::vector<Alike> list;
  std::unordered_map<std::size_t, std::size_t> places; // by the first operation of a group
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const auto [place, isFirst] = places.emplace(all.rows[i].firstAlike.value_or(i), list.size());
    if (isFirst)
      list.push_back({{}, all.rows[i]});
    else
      addTo(list[place->second].totals, all.rows[i]);
    list[place->second].members.push_back(i);
  }
  return list;
}

std::vector<int> search(const Operations& all, const std::string& text) {
  std::vector<int> found;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (containsText(all.rows[i].name, text) || containsText(all.rows[i].kind, text)) found.push_back(static_cast<int>(i));
  return found;
}

} // namespace analyser::operations
