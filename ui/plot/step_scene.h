// All that a StepPlot shows in its axes, and the formats of positions and values; without a widget, for its painter, texts and labels.
#pragma once

#include "ui/plot/step_series.h"
#include "ui/theme/format.h"

namespace ui::plot {

enum class ValueKind { Bytes, Cycles, Count, Share }; // Share: millionths, printed as per cent

// A strip across positions, e.g. from the 5th to the 95th percentile of a group.
struct StepBand {
  reports::Range<int64_t> positions, values;
};

struct StepScene {
  QString name, xTitle, yTitle;
  ValueKind kind = ValueKind::Bytes;
  theme::Format format;
  std::function<QString(int64_t)> textOfPosition; // empty: the number
  StepSeries series;
  int emphasis = -1; // the curve that stands out
  int64_t limit = 0;
  int64_t twinsHighest = 0; // highest value of another plot with the same scale
  QString limitLabel;
  bool isLimitInView = true, isLogarithmic = false;
  std::vector<std::pair<int64_t, QString>> marks;
  std::vector<StepBand> bands;
  std::vector<reports::Range<int64_t>> selection;
  std::function<QColor()> selectionColour; // empty: the accent
  bool isDifferenceTold = false;           // the table of two curves has a third column

  bool isInBinaryUnits() const { return kind == ValueKind::Bytes && format.units().memory == theme::MemoryUnit::Binary; }
  QString valueText(int64_t value) const;
  QString positionText(int64_t position) const;
};

} // namespace ui::plot
