// The figure that colours the boxes of the graph: for an operation, as a number, as a shade and as text.
#pragma once

#include "ui/theme/format.h"
#include "ui/views/operations/folded_graph.h"

#include <QCoreApplication>

namespace ui::operations {

enum class GraphMeasure { Cycles, Waste, Memory };

class BoxMeasure {
  Q_DECLARE_TR_FUNCTIONS(ui::operations::BoxMeasure)

public:
  void setFormat(const theme::Format& format) { m_format = format; }
  const theme::Format& format() const { return m_format; }
  void setMeasure(GraphMeasure measure) { m_measure = measure; }
  void scaleTo(const FoldedGraph& graph); // the largest of its boxes has the strongest colour

  double of(const analyser::operations::Operation& o) const;
  double shade(const analyser::operations::Operation& o) const; // position on the colour scale, 0 to 1
  double most() const { return m_most; }                        // over the boxes
  QString text(double measure) const;
  QString caption() const;
  QString leastText() const; // up to this value a box has the colour of zero

private:
  theme::Format m_format;
  GraphMeasure m_measure = GraphMeasure::Cycles;
  double m_most = 0;
};

} // namespace ui::operations
