// The values of a StepPlot: layers that stack, curves over them, and which of them are shown.
#pragma once

#include "reports/core/range.h"

#include <QColor>
#include <QString>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ui::plot {

using Values = std::shared_ptr<const std::vector<int64_t>>;

struct AreaLayer {
  QString title;
  std::function<QColor()> colour;
  Values values; // one value per position
};

struct Curve {
  QString title;
  std::function<QColor()> colour;
  Values values;
  bool dashed = false;
  bool filled = false; // a light fill down to zero
};

class StepSeries {
public:
  void setCount(int64_t count) { m_count = std::max<int64_t>(count, 0); }
  int64_t count() const { return m_count; } // positions
  // New layers and curves are shown if the previous ones of the same index were.
  void setLayers(std::vector<AreaLayer> layers);
  void setCurves(std::vector<Curve> curves);
  void setLayersShown(const std::vector<bool>& shown);
  void setCurvesShown(const std::vector<bool>& shown);
  const std::vector<AreaLayer>& layers() const { return m_layers; }
  const std::vector<Curve>& curves() const { return m_curves; }
  bool isLayerShown(std::size_t layer) const { return m_layersShown[layer]; }
  bool isCurveShown(std::size_t curve) const { return m_curvesShown[curve]; }

  // Values of the shown sums and curves:
  const std::vector<int64_t>& sums() const { return m_sums; } // of the layers
  std::vector<const std::vector<int64_t>*> shown() const;     // the sums first
  int64_t highest() const { return highestOf({0, m_count}); }
  int64_t highestOf(reports::Range<int64_t> positions) const;
  int64_t lowest() const; // at most 0
  int64_t lowestAboveZero() const;
  std::vector<int64_t> outline() const; // the highest of each position

private:
  int64_t m_count = 0;
  std::vector<AreaLayer> m_layers;
  std::vector<Curve> m_curves;
  std::vector<bool> m_layersShown, m_curvesShown;
  std::vector<int64_t> m_sums;
};

} // namespace ui::plot
