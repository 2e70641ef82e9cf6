#include "analyser/html/page_json.h"
#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"

#include <nlohmann/json.hpp>

namespace analyser::html {

namespace {

constexpr std::size_t kMostNodes = 8000, kMostOperations = 5000;

// The nodes that are kept when there are too many: all of the upper levels, as deep as there is room.
std::vector<int> keptNodes(const program::Program& program) {
  std::vector<std::size_t> atDepth;
  for (const program::Node& n : program.nodes) {
    atDepth.resize(std::max(atDepth.size(), std::size_t(n.depth) + 1));
    ++atDepth[std::size_t(n.depth)];
  }
  int deepest = 0;
  for (std::size_t sum = 0; deepest < int(atDepth.size()); ++deepest)
    if ((sum += atDepth[std::size_t(deepest)]) > kMostNodes) break;
  std::vector<int> kept;
  for (std::size_t i = 0; i < program.nodes.size() && kept.size() < kMostNodes; ++i)
    if (program.nodes[i].depth <= deepest) kept.push_back(int(i));
  return kept;
}

} // namespace

// A table whose rows know the row above them; parents come before their children.
PageJson programPart(const PagePart& page) {
  const program::Program program = program::programTree(page.session, page.stop);
  if (program.nodes.empty()) return nullptr;
  PageJson json = pageTable("program-tree", "Program", "program", -1,
                            {column("Step", "name"), column("Kind", "text"),
                             column("Cycles", "cycles", "With the functions it calls"), column("Share", "percent"),
                             column("Executions", "count"), column("Bytes", "bytes", "Received, with the functions it calls"),
                             column("FLOPs", "cycles", "With the functions it calls"), column("Code", "bytes")});
  json["verdict"] = program.verdict.text();
  const std::vector<int> kept = keptNodes(program);
  page.cut("Steps of the program, from the top", kept.size(), program.nodes.size());
  std::vector<int> rowOf(program.nodes.size(), -1);
  json["parents"] = PageJson::array();
  const double total = double(std::max<int64_t>(1, program.total.value()));
  for (const int node : kept) {
    const program::Node& n = program.nodes[std::size_t(node)];
    rowOf[std::size_t(node)] = int(json["rows"].size());
    json["parents"].push_back(n.parent < 0 ? -1 : rowOf[std::size_t(n.parent)]);
    std::string kind = n.kind;
    if (n.repeatCount) kind += " × " + formatCount(*n.repeatCount);
    json["rows"].push_back({printable(n.title.empty() ? n.kind : n.title), kind, n.inclusive.value(),
                            double(n.inclusive.value()) / total, n.executions > 0 ? PageJson(n.executions) : PageJson(),
                            n.inclusiveBytes.value(), n.inclusiveFlops.value(), n.codeBytes.value()});
  }
  return json;
}

PageJson operationsTable(const PagePart& page) {
  const operations::Operations all = operations::operations(page.session, page.stop);
  using trace::TileTime;
  PageJson table = pageTable("operations", "Operations", "operations", 2,
                             {column("Operation", "name"),
                              column("Kind", "text"),
                              column("Cycles", "cycles", "Compute, exchange, sync and host"),
                              column("Share", "percent"),
                              column("Compute", "cycles"),
                              column("Exchange", "cycles"),
                              column("Sync", "cycles"),
                              column("Host", "cycles"),
                              column("Wasted tile-cycles", "cycles", "tiles × cycles − busy"),
                              column("Mostly lost to", "text"),
                              column("Unused tiles", "cycles", "Tile-cycles of tiles without work in compute steps"),
                              column("Imbalance", "cycles", "Tile-cycles of tiles that wait for the slowest"),
                              column("Waste by exchange", "cycles", "Tile-cycles"),
                              column("Waste by sync", "cycles", "Tile-cycles"),
                              column("Waste by host", "cycles", "Tile-cycles"),
                              column("Busy", "percent", "Of its tile-cycles"),
                              column("Tiles used", "count"),
                              column("Balance over active tiles", "percent"),
                              column("FLOPs", "cycles"),
                              column("FLOP use", "percent"),
                              column("Exchanged", "bytes"),
                              column("Memory", "bytes"),
                              column("Temporary", "bytes")});
  table["verdict"] = operations::wasteVerdict(all).empty() ? all.verdict.text() : operations::wasteVerdict(all).text();
  std::vector<const operations::Operation*> rows;
  for (const operations::Operation& o : all.rows) rows.push_back(&o);
  if (rows.size() > kMostOperations)
    std::nth_element(rows.begin(), rows.begin() + kMostOperations, rows.end(),
                     [](const auto* a, const auto* b) { return a->total > b->total; });
  const std::size_t kept = std::min(rows.size(), kMostOperations);
  page.cut("Operations, those with most cycles", kept, rows.size());
  for (const operations::Operation* row : std::span(rows).first(kept)) {
    const operations::Operation& o = *row;
    const auto& cost = o.tileCycles;
    table["rows"].push_back({printable(o.name),
                             printable(o.kind),
                             o.total.value(),
                             o.share,
                             o.compute.value(),
                             o.exchange.value(),
                             o.sync.value(),
                             o.host.value(),
                             cost.wasted(),
                             cost.wasted() > 0 ? PageJson(trace::tileTimeTitle(cost.largestWaste())) : PageJson(),
                             cost[TileTime::Unused],
                             cost[TileTime::Imbalance],
                             cost[TileTime::Exchange],
                             cost[TileTime::Sync],
                             cost[TileTime::Host],
                             cost.total() > 0 ? PageJson(cost.share(TileTime::Busy)) : PageJson(),
                             o.tiles > 0 ? PageJson(o.tiles) : PageJson(),
                             o.balance ? PageJson(*o.balance) : PageJson(),
                             o.flops.value(),
                             o.flopUtilisation,
                             o.exchangeBytes.value(),
                             o.memory().value(),
                             o.temporaryBytes.value()});
  }
  return table;
}

} // namespace analyser::html
