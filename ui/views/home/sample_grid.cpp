#include "ui/views/home/sample_grid.h"

#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QLayout>
#include <QPainter>

#include <algorithm>

namespace ui::home {

namespace {
int heightOf(QLayout& layout, int width) {
  return layout.hasHeightForWidth() ? layout.totalHeightForWidth(width) : layout.totalSizeHint().height();
}

constexpr int kCellWidth = 264, kGap = 32; // pixels: least width of a column; gap between columns
} // namespace

SampleGrid::SampleGrid(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName(tr("Samples"));
}

void SampleGrid::setSamples(const std::vector<SampleText>& samples) {
  for (const Cell& cell : m_cells) delete cell.widget;
  m_cells.clear();
  for (const auto& [group, heading] : m_headings) delete heading;
  m_headings.clear();
  for (const SampleText& sample : samples) {
    if (!sample.group.isEmpty() && (m_headings.empty() || m_headings.back().first != sample.group)) {
      auto* title = theme::plainLabel(sample.group);
      title->setParent(this);
      title->setProperty("role", "strong");
      title->setForegroundRole(QPalette::PlaceholderText);
      title->show();
      m_headings.emplace_back(sample.group, title);
    }
    auto* cell = new SampleCell(m_theme, sample, this);
    connect(cell, &SampleCell::runRequested, this, [this, name = sample.name] { emit runRequested(name); });
    cell->show();
    m_cells.push_back(
        {cell, sample.group, QStringList{sample.name, sample.title, sample.text, sample.group, sample.names}.join(' ')});
  }
  place(width(), true);
  updateGeometry();
}

void SampleGrid::setFilter(const QString& words) {
  const QStringList wanted = words.split(' ', Qt::SkipEmptyParts);
  for (Cell& cell : m_cells) {
    cell.hidden = !std::all_of(wanted.begin(), wanted.end(),
                               [&](const QString& word) { return cell.words.contains(word, Qt::CaseInsensitive); });
    cell.widget->setVisible(!cell.hidden);
  }
  place(width(), true);
  updateGeometry();
  update();
}

int SampleGrid::shown() const {
  return int(std::count_if(m_cells.begin(), m_cells.end(), [](const Cell& cell) { return !cell.hidden; }));
}

int SampleGrid::place(int width, bool move) const {
  const int columns = std::max(1, (width + kGap) / (kCellWidth + kGap));
  const int column = (width - (columns - 1) * kGap) / columns;
  int y = 0;
  std::vector<int> lines;
  const auto placeGroup = [&](const QString& group, QWidget* heading) {
    std::vector<const Cell*> seen;
    for (const Cell& cell : m_cells)
      if (!cell.hidden && cell.group == group) seen.push_back(&cell);
    if (move && heading) heading->setVisible(!seen.empty());
    if (seen.empty()) return;
    if (heading) {
      const int height = heading->sizeHint().height();
      if (y > 0) y += theme::kMargin;
      if (move) heading->setGeometry(theme::kGrid, y, width - theme::kGrid, height);
      y += height + 1;
      lines.push_back(y - 1);
    }
    for (std::size_t i = 0; i < seen.size(); i += std::size_t(columns)) {
      const std::size_t end = std::min(seen.size(), i + std::size_t(columns));
      int height = 0;
      for (std::size_t k = i; k < end; ++k) height = std::max(height, heightOf(*seen[k]->widget->layout(), column));
      if (move)
        for (std::size_t k = i; k < end; ++k) seen[k]->widget->setGeometry(int(k - i) * (column + kGap), y, column, height);
      y += height + 1;
      if (end < seen.size()) lines.push_back(y - 1);
    }
  };
  placeGroup({}, nullptr);
  for (const auto& [group, heading] : m_headings) placeGroup(group, heading);
  if (move) m_lines = std::move(lines);
  return y;
}

int SampleGrid::heightForWidth(int width) const { return place(width, false); }
QSize SampleGrid::sizeHint() const { return {2 * kCellWidth + kGap, place(std::max(width(), kCellWidth), false)}; }
QSize SampleGrid::minimumSizeHint() const { return {kCellWidth, 0}; }

void SampleGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const int height = place(width(), true);
  if (minimumHeight() != height) setMinimumHeight(height);
}

void SampleGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(m_theme.tokens().grid);
  for (const int y : m_lines) painter.drawLine(0, y, width(), y);
}

} // namespace ui::home
