#include "ui/views/operations/graph_cards.h"

#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>

namespace ui::operations {

using analyser::operations::GraphEdge;
using theme::reportText;

namespace {
constexpr std::size_t kListed = 6; // variables in the tooltip of an arrow
} // namespace

plot::Card nodeCard(const FoldedGraph& graph, int node, const theme::Format& format) {
  const auto& shown = graph.rowOf(node);
  const auto& o = shown.totals;
  const bool isFolder = graph.isFolder(graph.nodes()[std::size_t(node)].row);
  plot::Card card;
  card.title = reportText(o.name);
  if (isFolder) card.rows.push_back({QObject::tr("operations"), theme::count(shown.operations)});
  card.rows.push_back({QObject::tr("cycles"), QObject::tr("%1, %2 of all").arg(format.cycles(o.total), theme::percent(o.share))});
  card.rows.push_back(
      {QObject::tr("wasted"), QObject::tr("%1 tile-cycles").arg(theme::countShort(double(o.tileCycles.wasted())))});
  card.rows.push_back({QObject::tr("memory"), format.bytes(o.memory())});
  reports::Bytes in, out;
  for (const GraphEdge& e : graph.edges()) {
    if (e.to == node) in += e.bytes;
    if (e.from == node) out += e.bytes;
  }
  card.rows.push_back({QObject::tr("reads from others"), format.bytes(in)});
  card.rows.push_back({QObject::tr("gives to others"), format.bytes(out)});
  card.hint = isFolder ? QObject::tr("Double click opens it, Backspace collapses the folder around it")
                       : QObject::tr("Click selects, Backspace collapses the folder around it");
  return card;
}

plot::Card edgeCard(const FoldedGraph& graph, int index, const theme::Format& format) {
  const GraphEdge& edge = graph.edges()[std::size_t(index)];
  plot::Card card;
  card.title = QObject::tr("%1 → %2").arg(reportText(graph.rowOf(edge.from).title), reportText(graph.rowOf(edge.to).title));
  for (std::size_t i = 0; i < edge.variables.size() && i < kListed; ++i) {
    const auto& variable = graph.data()->flow->variables.at(edge.variables[i]);
    card.rows.push_back(
        {reportText(variable.name), QObject::tr("%1, %2").arg(reportText(variable.type), format.bytes(variable.bytes))});
  }
  if (edge.variables.size() > kListed)
    card.rows.push_back(
        {QObject::tr("and %1 more").arg(theme::count(int64_t(edge.variables.size() - kListed))), format.bytes(edge.bytes)});
  if (edge.carried) card.hint = QObject::tr("Dashed: values of the previous iteration or run");
  return card;
}

} // namespace ui::operations
