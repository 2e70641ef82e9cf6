#include "analyser/html/page_json.h"
#include "analyser/operations/operation_columns.h"
#include "analyser/program/program_columns.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <span>

namespace analyser::html {

namespace {

constexpr std::size_t kMostNodes = 8000, kMostOperations = 5000;

// The nodes that are kept when there are too many: all nodes of the upper levels, as deep as the limit allows.
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

// A table whose rows have the index of their parent; parents come before their children.
PageJson programPart(const PagePart& page) {
  const program::Program program = program::programTree(page.session, page.stop);
  if (program.nodes.empty()) return nullptr;
  const std::vector<int> kept = keptNodes(program);
  std::vector<std::reference_wrapper<const program::Node>> nodes;
  for (const int node : kept) nodes.emplace_back(program.nodes[std::size_t(node)]);
  PageJson json =
      pageTable("program-tree", "Program", "program",
                columns::tableOf(columns::without(program::nodeColumns(program), {"step", "own", "id", "layer"}), nodes));
  json["verdict"] = program.verdict.text();
  page.cut("Steps of the program, from the top", kept.size(), program.nodes.size());
  std::vector<int> rowOf(program.nodes.size(), -1);
  json["parents"] = PageJson::array();
  for (std::size_t row = 0; row < kept.size(); ++row) {
    const program::Node& n = program.nodes[std::size_t(kept[row])];
    rowOf[std::size_t(kept[row])] = int(row);
    json["parents"].push_back(n.parent < 0 ? -1 : rowOf[std::size_t(n.parent)]);
  }
  return json;
}

PageJson operationsTable(const PagePart& page) {
  const operations::Operations all = operations::operations(page.session, page.stop);
  std::vector<std::reference_wrapper<const operations::Operation>> rows(all.rows.begin(), all.rows.end());
  if (rows.size() > kMostOperations)
    std::nth_element(rows.begin(), rows.begin() + kMostOperations, rows.end(),
                     [](const operations::Operation& a, const operations::Operation& b) { return a.total > b.total; });
  const std::size_t kept = std::min(rows.size(), kMostOperations);
  page.cut("Operations, those with most cycles", kept, rows.size());
  const auto shown = std::span(rows).first(kept);
  PageJson table =
      pageTable("operations", "Operations", "operations", columns::tableOf(operations::operationColumns(), shown, "cycles"));
  table["verdict"] = operations::wasteVerdict(all).empty() ? all.verdict.text() : operations::wasteVerdict(all).text();
  return table;
}

} // namespace analyser::html
