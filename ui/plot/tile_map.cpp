#include "ui/plot/tile_map.h"

#include "ui/plot/colour_scale.h"
#include "ui/plot/frame.h"
#include "ui/plot/spoken.h"
#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kMargin = 16, kLegend = 44, kCaption = 16, kPanelGap = 12;
}

TileMap::TileMap(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text([](int64_t v) { return theme::count(v); }),
      m_hoverCard(new HoverCard(theme, this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  makeSpoken(*this); // before the name is set
  setAccessibleName(name);
  setProperty("picture", true);
  describeIt();
  connect(&theme, &theme::Theme::changed, this, [this] {
    if (m_tilesPerRow != m_theme.tilesPerRow()) placeTiles();
    update();
  });
}

void TileMap::setGrid(int ipus, int tilesPerIpu, int columns, int rows, std::vector<int> column, std::vector<int> row) {
  m_ipus = ipus, m_tilesPerIpu = tilesPerIpu, m_givenColumns = std::max(1, columns), m_givenRows = std::max(1, rows);
  m_column = std::move(column), m_row = std::move(row);
  if (int(m_column.size()) != tilesPerIpu || int(m_row.size()) != tilesPerIpu) m_column.clear(), m_row.clear();
  const int tiles = std::max(0, ipus * tilesPerIpu);
  if (m_cursor >= tiles) m_cursor = 0;
  if (m_hovered >= tiles) m_hovered = -1;
  placeTiles();
  describeIt();
  update();
}

void TileMap::placeTiles() {
  m_tilesPerRow = m_theme.tilesPerRow();
  m_columns = m_tilesPerRow > 0 ? m_tilesPerRow : m_givenColumns;
  m_rows = m_tilesPerRow > 0 ? 1 : m_givenRows;
  if (m_columns * m_rows < m_tilesPerIpu) m_rows = (m_tilesPerIpu + m_columns - 1) / m_columns;
  m_tileAtPlace.assign(std::size_t(m_columns) * std::size_t(m_rows), -1);
  for (int tile = 0; tile < m_tilesPerIpu; ++tile) {
    const Place p = placeOf(tile);
    if (p.column >= 0 && p.column < m_columns && p.row >= 0 && p.row < m_rows)
      m_tileAtPlace[std::size_t(p.column) * std::size_t(m_rows) + std::size_t(p.row)] = tile;
  }
  arrange();
}

TileMap::Place TileMap::placeOf(int tile) const {
  if (m_tilesPerRow > 0) return {tile % m_tilesPerRow, tile / m_tilesPerRow};
  if (m_column.empty()) return {tile / m_rows, tile % m_rows};
  return {m_column[std::size_t(tile)], m_row[std::size_t(tile)]};
}

void TileMap::setValues(std::shared_ptr<const std::vector<int64_t>> values, int64_t low, int64_t high, bool differences) {
  m_values = std::move(values), m_askedLow = low, m_askedHigh = high, m_differences = differences;
  chooseScale();
  describeIt();
  update();
}

void TileMap::chooseScale() {
  m_low = m_askedLow, m_high = m_askedHigh;
  if (!m_values || m_values->empty() || m_low != m_high) return;
  const auto [low, high] = std::minmax_element(m_values->begin(), m_values->end());
  m_low = *low, m_high = *high;
  if (!m_differences) return;
  const int64_t far = std::max<int64_t>({1, std::abs(m_low), std::abs(m_high)});
  m_low = -far, m_high = far;
}

void TileMap::setScalePerIpu(bool perIpu) {
  m_perIpu = perIpu && m_ipus > 1;
  update();
}

void TileMap::setFaulty(std::vector<bool> tiles, const QString& words) {
  m_faulty = std::move(tiles), m_faultyWords = words;
  describeIt();
  update();
}

void TileMap::setValueText(std::function<QString(int64_t)> text) {
  m_text = std::move(text);
  describeIt();
  update();
}

void TileMap::setFirstTile(int tile) {
  m_firstTile = tile;
  describeIt();
}

void TileMap::setCaption(const QString& caption) {
  m_caption = caption;
  describeIt();
  update();
}

// "Memory used per tile. 1,472 tiles, from 12 KiB to 203 KiB, the most at tile 458"
void TileMap::describeIt() {
  const QString what = m_caption.isEmpty() ? accessibleName() : m_caption;
  QString shows = tr("%1. Nothing is shown").arg(what);
  if (m_values && !m_values->empty()) {
    const auto [low, high] = std::minmax_element(m_values->begin(), m_values->end());
    shows = tr("%1. %2, from %3 to %4, the most at tile %5")
                .arg(what, theme::plural(int64_t(m_values->size()), tr("tile"), tr("tiles")), m_text(*low), m_text(*high))
                .arg(high - m_values->begin() + m_firstTile);
    if (m_ipus > 1) shows += tr(", on %1 IPUs").arg(m_ipus);
    if (const auto faulty = std::count(m_faulty.begin(), m_faulty.end(), true); faulty > 0)
      shows += QStringLiteral(". %1: %2").arg(m_faultyWords, theme::plural(int64_t(faulty), tr("tile"), tr("tiles")));
  }
  describe(*this, shows, tr("Arrow keys move between tiles, Enter selects, Ctrl+Shift+T lists the figures in a table"));
}

Card TileMap::cardOf(int tile) const {
  if (tile < 0) return {};
  if (m_card) return m_card(tile);
  if (!m_values || std::size_t(tile) >= m_values->size()) return {};
  return {
      tr("Tile %1").arg(tile), {{m_caption, m_text((*m_values)[std::size_t(tile)]), {}}}, tr("Click selects, Ctrl-click adds")};
}

void TileMap::setCard(std::function<Card(int)> card) { m_card = std::move(card); }

void TileMap::setSelected(std::vector<int> tiles) {
  m_selected = std::move(tiles);
  if (m_selected.size() == 1) m_cursor = m_selected.front(); // else the old cursor looks like another selected tile
  update();
}

// The cell in the widget's orientation.
TileMap::Place TileMap::shownAt(const Place& p) const { return m_turned ? Place{p.row, p.column} : p; }

// Finds the number of panel columns that makes the cells largest; a cell may be up to three times as wide as high. Turns a floor
// plan on its side if that makes the cells clearly larger: its first column is then the upper row.
void TileMap::arrange() {
  m_panels.clear();
  if (m_ipus <= 0) return;
  const double wide = std::max(40, width() - 2 * kMargin), high = std::max(40, height() - kLegend - kMargin);
  const int caption = m_ipus > 1 ? kCaption : 0;
  double best = 0;
  int across = 1;
  m_turned = false;
  const auto cell = [&](int columns, const Place& cells) {
    const int down = (m_ipus + columns - 1) / columns;
    const double w = (wide - kPanelGap * (columns - 1)) / columns / cells.column;
    const double h = (high - kPanelGap * (down - 1)) / down - caption;
    return std::pair(w, h / cells.row);
  };
  constexpr double kWorthTurning = 1.3; // least gain in area: users know the plan better in the chip's orientation
  const bool mayTurn = m_tilesPerRow == 0;
  for (const bool turned : {false, true})
    for (int columns = 1; columns <= m_ipus && turned <= mayTurn; ++columns) {
      const auto [w, h] = cell(columns, turned ? Place{m_rows, m_columns} : Place{m_columns, m_rows});
      const double area = std::min(w, 3 * h) * std::min(h, 3 * w);
      if (w > 0 && h > 0 && area > (turned && !m_turned ? kWorthTurning : 1) * best)
        best = area, across = columns, m_turned = turned;
    }
  const Place cells = shownAt({m_columns, m_rows});
  const auto [w, h] = cell(across, cells);
  m_cellWidth = std::max(0.5, std::min(w, 4 * h)), m_cellHeight = std::max(0.5, std::min(h, 2 * w));
  const double panelWidth = m_cellWidth * cells.column, panelHeight = m_cellHeight * cells.row;
  for (int i = 0; i < m_ipus; ++i) {
    const int column = i % across, row = i / across;
    m_panels.emplace_back(kMargin + column * (panelWidth + kPanelGap),
                          kMargin + caption + row * (panelHeight + kPanelGap + caption), panelWidth, panelHeight);
  }
}

TileMap::Ends TileMap::endsOf(std::size_t ipu) const {
  const auto first = ipu * std::size_t(m_tilesPerIpu);
  if (!m_perIpu || m_differences || !m_values || first >= m_values->size()) return {m_low, m_high};
  const auto begin = m_values->begin() + std::ptrdiff_t(first);
  const auto [low, high] =
      std::minmax_element(begin, begin + std::ptrdiff_t(std::min(std::size_t(m_tilesPerIpu), m_values->size() - first)));
  return {*low, *high};
}

QColor TileMap::colourOf(int64_t value, const Ends& ends) const {
  if (m_differences) return m_theme.difference(double(value) / double(std::max<int64_t>(1, ends.high)));
  return m_theme.quantity(ends.high > ends.low ? double(value - ends.low) / double(ends.high - ends.low) : 0);
}

QRectF TileMap::cellOf(int tile) const {
  if (tile < 0 || m_tilesPerIpu <= 0 || tile / m_tilesPerIpu >= int(m_panels.size())) return {};
  const QRectF& panel = m_panels[std::size_t(tile / m_tilesPerIpu)];
  const Place p = shownAt(placeOf(tile % m_tilesPerIpu));
  return {panel.left() + p.column * m_cellWidth, panel.top() + p.row * m_cellHeight, m_cellWidth, m_cellHeight};
}

int TileMap::tileAt(const QPoint& at) const {
  for (std::size_t i = 0; i < m_panels.size(); ++i) {
    if (!m_panels[i].contains(at)) continue;
    const auto [column, row] =
        shownAt({int((at.x() - m_panels[i].left()) / m_cellWidth), int((at.y() - m_panels[i].top()) / m_cellHeight)});
    if (column >= m_columns || row >= m_rows) return -1;
    const int tile = m_tileAtPlace[std::size_t(column) * std::size_t(m_rows) + std::size_t(row)];
    return tile < 0 ? -1 : int(i) * m_tilesPerIpu + tile;
  }
  return -1;
}

void TileMap::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  const bool gaps = m_cellWidth >= 4 && m_cellHeight >= 4;
  for (std::size_t ipu = 0; ipu < m_panels.size(); ++ipu) {
    const Ends ends = endsOf(ipu);
    if (m_ipus > 1) {
      painter.setFont(m_theme.small());
      painter.setPen(t.secondary);
      const QString title = tr("IPU %1").arg(ipu), withEnds = tr("%1: %2 to %3").arg(title, m_text(ends.low), m_text(ends.high));
      const QRectF place(m_panels[ipu].left(), m_panels[ipu].top() - kCaption, m_panels[ipu].width() + kPanelGap, kCaption);
      const bool hasRoom = painter.fontMetrics().horizontalAdvance(withEnds) <= place.width();
      painter.drawText(place, Qt::AlignVCenter, m_perIpu && hasRoom ? withEnds : title);
    }
    for (int tile = 0; tile < m_tilesPerIpu; ++tile) {
      const int global = int(ipu) * m_tilesPerIpu + tile;
      const QRectF cell = cellOf(global);
      // Whole pixels, so that neighbours neither overlap nor leave hairlines.
      const int left = int(std::lround(cell.left())), top = int(std::lround(cell.top()));
      const int right = std::max(left + 1, int(std::lround(cell.right()))),
                bottom = std::max(top + 1, int(std::lround(cell.bottom())));
      const bool known = m_values && std::size_t(global) < m_values->size();
      const bool isFaulty = std::size_t(global) < m_faulty.size() && m_faulty[std::size_t(global)];
      painter.fillRect(QRect(left, top, right - left - gaps, bottom - top - gaps),
                       isFaulty ? t.bad
                       : known  ? colourOf((*m_values)[std::size_t(global)], ends)
                                : t.grid);
    }
  }
  const auto outline = [&](int tile, const QColor& colour, double width) {
    const QRectF cell = cellOf(tile).adjusted(-1, -1, 0, 0);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.surface, width + 2));
    painter.drawRect(cell);
    painter.setPen(QPen(colour, width));
    painter.drawRect(cell);
  };
  for (const int tile : m_selected) outline(tile, t.accent, 2);
  if (hasFocus() && !m_values) m_cursor = 0;
  if (hasFocus()) outline(m_cursor, t.text, 1);
  if (m_hovered >= 0) outline(m_hovered, t.text, 1);
  paintLegend(painter);
  paintFrame(painter, *this, m_theme);
}

void TileMap::paintLegend(QPainter& painter) {
  if (!m_values || m_values->empty()) return;
  const bool isPerIpu = m_perIpu && !m_differences;
  const int wide = paintColourScale(painter, m_theme, {kMargin, height() - kLegend / 2 - 8}, std::clamp(width() / 3, 80, 240),
                                    {m_caption, isPerIpu ? tr("least of its IPU") : m_text(m_low),
                                     isPerIpu ? tr("most of its IPU") : m_text(m_high), m_differences});
  if (std::find(m_faulty.begin(), m_faulty.end(), true) == m_faulty.end()) return;
  const QRect swatch(kMargin + wide + kMargin, height() - kLegend / 2 - 5, 10, 10);
  painter.fillRect(swatch, m_theme.tokens().bad);
  painter.setPen(m_theme.tokens().secondary);
  painter.drawText(QRect(swatch.right() + 6, swatch.top() - 5, width() - swatch.right() - 6, 20), Qt::AlignVCenter,
                   m_faultyWords);
}

void TileMap::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void TileMap::mouseMoveEvent(QMouseEvent* event) {
  const int tile = tileAt(event->pos());
  if (tile != m_hovered) m_hovered = tile, update();
  m_hoverCard->showAt(cardOf(tile), event->pos());
}

void TileMap::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int tile = tileAt(event->pos());
  if (tile >= 0) m_cursor = tile;
  emit tileClicked(tile, event->modifiers());
}

void TileMap::mouseDoubleClickEvent(QMouseEvent* event) {
  const int tile = tileAt(event->pos());
  if (tile >= 0) emit tileActivated(tile);
}

void TileMap::leaveEvent(QEvent*) {
  m_hovered = -1;
  update();
}

void TileMap::keyPressEvent(QKeyEvent* event) {
  const QPointF by = event->key() == Qt::Key_Left    ? QPointF(-1, 0)
                     : event->key() == Qt::Key_Right ? QPointF(1, 0)
                     : event->key() == Qt::Key_Up    ? QPointF(0, -1)
                     : event->key() == Qt::Key_Down  ? QPointF(0, 1)
                                                     : QPointF();
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
    emit tileClicked(m_cursor, event->modifiers());
  } else if (event->key() == Qt::Key_Escape) {
    emit tileClicked(-1, {});
  } else if (!by.isNull()) {
    // Skips holes of the floor plan and the gaps between panels.
    QPointF at = cellOf(m_cursor).center();
    for (int i = 0; i < 400; ++i) {
      at += QPointF(by.x() * m_cellWidth / 2, by.y() * m_cellHeight / 2);
      const int tile = tileAt(at.toPoint());
      if (tile >= 0 && tile != m_cursor) {
        m_cursor = tile;
        break;
      }
    }
    const Card card = cardOf(m_cursor);
    m_hoverCard->showAt(card, cellOf(m_cursor).center().toPoint());
    speak(*this, wordsOf(card));
    update();
  } else {
    QWidget::keyPressEvent(event);
  }
}

} // namespace ui::plot
