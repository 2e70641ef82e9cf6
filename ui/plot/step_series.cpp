#include "ui/plot/step_series.h"

namespace ui::plot {

void StepSeries::setLayers(std::vector<AreaLayer> layers) {
  m_layers = std::move(layers);
  setLayersShown(m_layersShown);
}

void StepSeries::setCurves(std::vector<Curve> curves) {
  m_curves = std::move(curves);
  setCurvesShown(m_curvesShown);
}

void StepSeries::setLayersShown(const std::vector<bool>& shown) {
  m_layersShown = shown;
  m_layersShown.resize(m_layers.size(), true);
  m_sums.assign(std::size_t(m_count), 0);
  for (std::size_t i = 0; i < m_layers.size(); ++i) {
    if (!m_layersShown[i]) continue;
    const auto& values = *m_layers[i].values;
    for (std::size_t p = 0; p < std::min(values.size(), m_sums.size()); ++p) m_sums[p] += std::max<int64_t>(values[p], 0);
  }
}

void StepSeries::setCurvesShown(const std::vector<bool>& shown) {
  m_curvesShown = shown;
  m_curvesShown.resize(m_curves.size(), true);
}

std::vector<const std::vector<int64_t>*> StepSeries::shown() const {
  std::vector<const std::vector<int64_t>*> shown{&m_sums};
  for (std::size_t i = 0; i < m_curves.size(); ++i)
    if (m_curvesShown[i]) shown.push_back(m_curves[i].values.get());
  return shown;
}

int64_t StepSeries::highestOf(reports::Range<int64_t> positions) const {
  int64_t high = 0;
  for (const auto* values : shown()) {
    const auto end = std::size_t(std::clamp<int64_t>(positions.end, 0, int64_t(values->size())));
    for (auto i = std::size_t(std::max<int64_t>(0, positions.begin)); i < end; ++i) high = std::max(high, (*values)[i]);
  }
  return high;
}

int64_t StepSeries::lowest() const {
  int64_t low = 0;
  for (const auto* values : shown())
    for (const int64_t v : *values) low = std::min(low, v);
  return low;
}

int64_t StepSeries::lowestAboveZero() const {
  int64_t low = INT64_MAX;
  for (const auto* values : shown())
    for (const int64_t v : *values)
      if (v > 0) low = std::min(low, v);
  return low == INT64_MAX ? 1 : low;
}

std::vector<int64_t> StepSeries::outline() const {
  std::vector<int64_t> high = m_sums;
  high.resize(std::size_t(m_count));
  for (const auto* values : shown())
    for (std::size_t p = 0; p < std::min(values->size(), high.size()); ++p) high[p] = std::max(high[p], (*values)[p]);
  return high;
}

} // namespace ui::plot
