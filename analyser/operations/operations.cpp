#include "analyser/operations/operations.h"

#include "analyser/session/debug_contexts.h"
#include "reports/sqlite/reader.h"

namespace analyser::operations {

namespace {

void addTo(Operation& sum, const Operation& o) {
  sum.compute += o.compute;
  sum.exchange += o.exchange;
  sum.sync += o.sync;
  sum.host += o.host;
  sum.total += o.total;
  sum.flops += o.flops;
  sum.vertices += o.vertices;
  sum.exchangeBytes += o.exchangeBytes;
  sum.codeBytes += o.codeBytes;
  sum.variableBytes += o.variableBytes;
  sum.share += o.share;
}

double utilisation(Session& session, const Operation& o) {
  const Machine& m = session.machine();
  const double peak = session.metadata("precision") == "fp16" ? m.peakFp16FlopsPerSecond : m.peakFp32FlopsPerSecond;
  const double possible = peak * m.ipus * m.seconds(o.total);
  return possible > 0 ? double(o.flops.value()) / possible : 0;
}

Operation fromRow(Session& session, reports::OperationRow& row, const std::unordered_map<int64_t, int64_t>& layers) {
  Operation o;
  o.id = row.id;
  o.debugContext = reports::DebugContextId(static_cast<std::size_t>(row.debugContextId));
  o.name = std::move(row.name);
  o.kind = std::move(row.kind);
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
  o.flopUtilisation = utilisation(session, o);
  return o;
}

// Mean over operations that compute, weighted by their compute cycles.
std::optional<double> meanBalance(const std::vector<Operation>& rows) {
  double sum = 0, weight = 0;
  for (const Operation& o : rows) {
    if (!o.balance) continue;
    sum += *o.balance * double(o.compute.value());
    weight += double(o.compute.value());
  }
  if (weight <= 0) return std::nullopt;
  return sum / weight;
}

Sentence verdictOf(const Operations& all, int ipus) {
  if (all.rows.empty()) return "This report holds no operations.";
  const auto top = std::max_element(all.rows.begin(), all.rows.end(),
                                    [](const Operation& a, const Operation& b) { return a.total < b.total; });
  Sentence verdict;
  verdict << static_cast<int64_t>(all.rows.size()) << (all.rows.size() == 1 ? " operation takes " : " operations take ")
          << all.totals.total;
  if (all.totals.total == Cycles()) return verdict << ".";
  if (ipus > 1) verdict << " summed over " << int64_t(ipus) << " IPUs";
  verdict << "; " << Sentence::Name{top->name} << " alone " << Sentence::Percent{top->share};
  // Many names end with their kind, and many samples name an operation by it.
  if (!top->name.ends_with(top->kind)) verdict << " (" << Sentence::Name{top->kind} << ")";
  const Cycles wait = all.totals.exchange + all.totals.sync;
  verdict << "; compute is " << Sentence::Percent{ratio(all.totals.compute, all.totals.total)} << ", exchange and sync "
          << Sentence::Percent{ratio(wait, all.totals.total)};
  return verdict << ".";
}

} // namespace

Operations operations(Session& session, std::stop_token stop) {
  Operations all;
  std::unordered_map<int64_t, int64_t> layers;
  session.reader().forEach<reports::DebugContextRow>(
      "id IN (SELECT debug_context_id FROM operation)", {},
      [&](const reports::DebugContextRow& row) { layers.emplace(row.id, row.layerId); }, stop);
  session.reader().forEach<reports::OperationRow>(
      {}, {}, [&](reports::OperationRow& row) { all.rows.push_back(fromRow(session, row, layers)); }, stop);
  session.reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& row) { all.runCycles += Cycles(row.cycles); });
  Cycles total;
  for (const Operation& o : all.rows) total += o.total;
  for (Operation& o : all.rows) {
    o.share = total > Cycles() ? ratio(o.total, total) : 0;
    addTo(all.totals, o);
  }
  all.totals.name = "Total";
  all.totals.share = total > Cycles() ? 1 : 0;
  all.totals.balance = meanBalance(all.rows);
  all.totals.flopUtilisation = utilisation(session, all.totals);
  all.verdict = verdictOf(all, session.machine().ipus);
  return all;
}

std::vector<Group> group(const Operations& all, GroupBy by) {
  std::map<std::string, Group> groups;
  std::map<std::string, std::vector<Operation>> members;
  for (const Operation& o : all.rows) {
    const std::string& key = by == GroupBy::Kind ? o.kind : o.layer;
    Group& g = groups[key];
    g.name = g.totals.name = key;
    ++g.operations;
    addTo(g.totals, o);
    members[key].push_back(o);
  }
  const double whole = double(all.totals.total.value()) * all.totals.flopUtilisation;
  std::vector<Group> list;
  for (auto& [key, g] : groups) {
    g.totals.balance = meanBalance(members[key]);
    // The same peak as the total: utilisation is flops over cycles, up to one factor.
    const double own = double(g.totals.total.value()), flops = double(all.totals.flops.value());
    g.totals.flopUtilisation = own > 0 && flops > 0 ? double(g.totals.flops.value()) / flops * whole / own : 0;
    list.push_back(std::move(g));
  }
  std::stable_sort(list.begin(), list.end(), [](const Group& a, const Group& b) { return a.totals.total > b.totals.total; });
  return list;
}

std::vector<int> search(const Operations& all, const std::string& text) {
  std::vector<int> found;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (containsText(all.rows[i].name, text) || containsText(all.rows[i].kind, text)) found.push_back(static_cast<int>(i));
  return found;
}

} // namespace analyser::operations
