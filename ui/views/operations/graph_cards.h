// The tooltips of the graph: the figures of a box, and the data of an arrow.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"
#include "ui/views/operations/folded_graph.h"

namespace ui::operations {

plot::Card nodeCard(const FoldedGraph& graph, int node, const theme::Format& format);
plot::Card edgeCard(const FoldedGraph& graph, int edge, const theme::Format& format);

} // namespace ui::operations
