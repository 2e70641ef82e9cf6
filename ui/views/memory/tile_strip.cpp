#include "ui/views/memory/tile_strip.h"

#include "ui/plot/spoken.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui::memory {

namespace {
constexpr int kTop = 18;             // names of regions
constexpr int kBottom = 20;          // addresses
constexpr int kLane = 7;             // pixels: the lowest visible lane
constexpr int kElement = 24;         // least pixels between marks of memory elements
constexpr std::size_t kPartners = 6; // named in the tooltip
constexpr int kLeastName = 10;       // least characters of a shortened name
constexpr int kPin = 5;              // half the width of the pin above the selected piece
constexpr int64_t kClosest = 64;     // bytes across the widget
} // namespace

TileStrip::TileStrip(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_card(new plot::HoverCard(theme, this)) {
  plot::makeSpokenBySelection(*this);
  setAccessibleName(tr("Memory map of the tile"));
  setProperty("picture", true);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void TileStrip::setLayoutOf(std::shared_ptr<const analyser::memory::TileLayout> layout) {
  const bool sameTile = m_layout && layout && m_layout->tile == layout->tile;
  m_layout = std::move(layout);
  if (!sameTile) m_selected = -1;
  m_hovered = -1;
  m_shown = m_layout ? stripExtent(*m_layout) : reports::Range<int64_t>{};
  m_shared = m_layout ? analyser::memory::sharedMemory(*m_layout) : std::vector<std::vector<int>>{};
  if (m_layout)
    setAccessibleDescription(tr("Tile %1: %2 of %3 used, gaps %4")
                                 .arg(QString::number(m_layout->tile.value()), m_format.bytes(m_layout->used),
                                      m_format.bytes(m_layout->capacity), m_format.bytes(m_layout->gaps)));
  arrange();
}

void TileStrip::setFormat(const theme::Format& format) {
  m_format = format;
  update();
}

void TileStrip::setSelected(int variable) {
  m_selected = variable;
  update();
}

void TileStrip::setStep(int64_t step) {
  m_step = step;
  update();
}

void TileStrip::setLetter(const QString& letter) {
  m_letter = letter;
  update();
}

QRectF TileStrip::area() const { return QRectF(0, kTop, width(), height() - kTop - kBottom); }

double TileStrip::xOf(int64_t address) const {
  return double(address - m_shown.begin) / double(std::max<int64_t>(1, m_shown.size())) * width();
}

QRectF TileStrip::rectOf(const StripPiece& piece) const {
  const double high = area().height() / piece.lanes;
  return QRectF(piece.left, area().top() + piece.lane * high, std::max(1.0, piece.right - piece.left),
                std::max(2.0, high - (piece.lanes > 1 ? 1 : 0)));
}

void TileStrip::arrange() {
  m_strip = m_layout ? layoutStrip(*m_layout, m_shown, width(), std::max(4, int(area().height()) / kLane)) : Strip{};
  update();
}

void TileStrip::showAddresses(int64_t begin, int64_t size) {
  if (!m_layout) return;
  const auto all = stripExtent(*m_layout);
  size = std::clamp(size, std::min(kClosest, all.size()), all.size());
  begin = std::clamp(begin, all.begin, all.end - size);
  m_shown = {begin, begin + size};
  arrange();
}

void TileStrip::zoom(double factor, double x) {
  const double at = double(m_shown.begin) + x / std::max(1, width()) * double(m_shown.size());
  const auto size = int64_t(double(m_shown.size()) * factor);
  showAddresses(int64_t(at - x / std::max(1, width()) * double(size)), size);
}

void TileStrip::paintAxis(QPainter& painter) {
  const theme::Tokens& t = m_theme.tokens();
  const QFontMetrics metrics(m_theme.small());
  painter.setPen(t.secondary);
  const int64_t step = addressStep(m_shown, width(), 100);
  for (int64_t address = (m_shown.begin + step - 1) / step * step; address <= m_shown.end; address += step) {
    const QString text = QStringLiteral("0x%1").arg(address, 5, 16, QChar('0'));
    const int wide = metrics.horizontalAdvance(text);
    painter.drawText(QPointF(std::clamp(xOf(address) - wide / 2.0, 0.0, double(width() - wide)), height() - 5), text);
  }
  double free = m_letter.isEmpty() ? 0 : metrics.horizontalAdvance(m_letter) + 8; // right end of the previous caption
  painter.setPen(t.text);
  painter.drawText(QPointF(0, metrics.ascent()), m_letter);
  const auto boundary = [&](int64_t address, const QString& text, const QColor& colour) {
    if (address < m_shown.begin || address > m_shown.end) return;
    const double x = std::clamp(std::round(xOf(address)) - 0.5, 0.5, width() - 0.5);
    painter.setPen(QPen(colour, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, 2), QPointF(x, area().bottom()));
    const int wide = metrics.horizontalAdvance(text);
    const double left = x + 4 + wide <= width() ? x + 4 : x - wide - 4;
    if (left < free) return;
    painter.drawText(QPointF(left, metrics.ascent()), text);
    free = left + wide + 8;
  };
  if (m_layout->interleavedStart.value() > 0)
    boundary(m_layout->interleavedStart.value(), tr("interleaved from here"), t.secondary);
  boundary(m_layout->capacity.value(), tr("end of memory"), t.bad);
}

// Boundaries of memory elements: variables in one element cannot be read in the same cycle.
void TileStrip::paintElements(QPainter& painter) {
  const int64_t size = m_layout->elementSize.value();
  if (size <= 0 || xOf(m_shown.begin + size) < kElement) return;
  QColor line = m_theme.tokens().text;
  line.setAlpha(70);
  painter.setPen(QPen(line, 1, Qt::DotLine));
  const int64_t end = std::min(m_shown.end, m_layout->capacity.value());
  for (int64_t at = (m_shown.begin + size - 1) / size * size; at < end; at += size) {
    const double x = std::round(xOf(at)) - 0.5;
    painter.drawLine(QPointF(x, area().top()), QPointF(x, area().bottom()));
  }
}

// A piece without an address keeps its category's colour, hatched, below an edge with a label.
void TileStrip::paintBeyond(QPainter& painter, const QRectF& rect, bool isLive) const {
  const theme::Tokens& t = m_theme.tokens();
  const QColor bad = isLive ? t.bad : theme::mix(t.grid, t.bad, 0.18);
  painter.fillRect(rect, QBrush(bad, Qt::BDiagPattern));
  painter.fillRect(QRectF(rect.topLeft(), QSizeF(rect.width(), std::min(3.0, rect.height() / 2))), bad);
}

void TileStrip::paintPiece(QPainter& painter, const StripPiece& piece) {
  const auto& v = m_layout->variables[std::size_t(piece.variable)];
  const theme::Tokens& t = m_theme.tokens();
  const QFontMetrics metrics(m_theme.small());
  QRectF rect = rectOf(piece);
  const bool isLive = m_step < 0 || v.isLiveAt(m_step);
  const QColor fill = isLive ? m_theme.memory(v.category) : theme::mix(t.grid, m_theme.memory(v.category), 0.18);
  if (rect.width() > 3) rect.setRight(rect.right() - 1); // a hairline between neighbours
  painter.fillRect(rect, fill);
  const double end = xOf(m_layout->capacity.value());
  if (v.beyondMemory && rect.right() > end)
    paintBeyond(painter, QRectF(rect).adjusted(std::max(0.0, end - rect.left()), 0, 0, 0), isLive);
  if (rect.height() < metrics.height() || rect.width() <= 40) return;
  const QString whole = theme::reportText(v.name), name = theme::elided(metrics, whole, int(rect.width()) - 8);
  if (name != whole && name.size() < kLeastName) return; // "int…ode" names nothing
  painter.setPen(isLive ? theme::textOn(fill) : t.secondary);
  painter.drawText(rect.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
}

plot::Card TileStrip::cardOf(int variable) const {
  const auto& v = m_layout->variables[std::size_t(variable)];
  plot::Card card;
  card.title = theme::reportText(v.name);
  card.rows.push_back({theme::reportText(reports::memoryCategoryTitle(v.category)),
                       v.alwaysLive ? tr("always live") : tr("not always live"), m_theme.memory(v.category)});
  card.rows.push_back({tr("address"), QStringLiteral("0x%1").arg(v.address.value(), 5, 16, QChar('0')), {}});
  card.rows.push_back({tr("size"), m_format.bytesExact(v.size), {}});
  if (v.alignment.value() > 0) card.rows.push_back({tr("alignment"), m_format.bytesExact(v.alignment), {}});
  if (v.own != v.size) card.rows.push_back({tr("own bytes"), tr("%1; the rest is shared").arg(m_format.bytesExact(v.own)), {}});
  if (v.beyondMemory) card.rows.push_back({tr("place"), tr("beyond the tile's memory"), {}});
  const auto& partners = m_shared[std::size_t(variable)];
  for (std::size_t i = 0; i < std::min(kPartners, partners.size()); ++i) {
    const auto& other = m_layout->variables[std::size_t(partners[i])];
    card.rows.push_back(
        {i == 0 ? tr("shares memory with") : QString(), theme::reportText(other.name), m_theme.memory(other.category)});
  }
  if (partners.size() > kPartners)
    card.rows.push_back({{}, tr("and %1 more").arg(theme::count(int64_t(partners.size() - kPartners))), {}});
  card.hint = tr("Click selects, wheel zooms");
  return card;
}

// Outlines a piece of any colour: dark on light or light on dark. A pin above all lanes marks the selected one, however thin.
void TileStrip::outline(QPainter& painter, const StripPiece& piece) {
  const theme::Tokens& t = m_theme.tokens();
  const QRectF rect = rectOf(piece).adjusted(0, 0, -1, -1);
  const bool isSelected = piece.variable == m_selected;
  painter.setPen(QPen(t.surface, isSelected ? 4 : 3));
  painter.drawRect(rect);
  painter.setPen(QPen(t.text, isSelected ? 2 : 1));
  painter.drawRect(rect);
  if (!isSelected) return;
  const double x = rect.center().x(), foot = area().top();
  painter.setPen(Qt::NoPen);
  painter.setBrush(t.accent);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.drawPolygon(QPolygonF({{x - kPin, foot - kPin - 2}, {x + kPin, foot - kPin - 2}, {x, foot}}));
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
}

void TileStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!m_layout) return;
  const theme::Tokens& t = m_theme.tokens();
  painter.setFont(m_theme.small());
  painter.fillRect(area(), t.grid);
  for (const StripPiece& piece : m_strip.pieces) paintPiece(painter, piece);
  paintElements(painter);
  for (const StripPiece& piece : m_strip.pieces) {
    if (piece.variable != m_selected && piece.variable != m_hovered) continue;
    outline(painter, piece);
  }
  paintAxis(painter);
  if (hasFocus()) {
    painter.setPen(QPen(t.accent, 1));
    painter.drawRect(area().adjusted(0, 0, -1, -1));
  }
}

void TileStrip::resizeEvent(QResizeEvent*) { arrange(); }

int TileStrip::variableAt(const QPoint& at) const {
  int found = -1;
  double best = 1e18;
  for (const StripPiece& piece : m_strip.pieces) {
    // A thin piece reacts within two pixels; the smallest under the pointer wins.
    const QRectF rect = rectOf(piece).adjusted(-1, 0, 1, 0);
    if (rect.contains(at) && rect.width() < best) best = rect.width(), found = piece.variable;
  }
  return found;
}

void TileStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) {
    if ((event->pos() - m_pressed).manhattanLength() > 4) m_dragging = true;
    if (m_dragging)
      showAddresses(m_pressBegin -
                        int64_t(double(event->pos().x() - m_pressed.x()) / std::max(1, width()) * double(m_shown.size())),
                    m_shown.size());
    return;
  }
  m_hovered = variableAt(event->pos());
  const plot::Card card = m_hovered >= 0 ? cardOf(m_hovered) : plot::Card{};
  m_card->showAt(card, event->pos());
  update();
}

void TileStrip::mousePressEvent(QMouseEvent* event) {
  m_pressed = event->pos(), m_pressBegin = m_shown.begin, m_dragging = false;
}

void TileStrip::mouseReleaseEvent(QMouseEvent* event) {
  if (!m_dragging && event->button() == Qt::LeftButton) emit variableClicked(variableAt(event->pos()));
  m_dragging = false;
}

void TileStrip::mouseDoubleClickEvent(QMouseEvent*) {
  if (m_layout) showAddresses(0, stripExtent(*m_layout).size());
}

void TileStrip::wheelEvent(QWheelEvent* event) {
  zoom(std::pow(0.8, event->angleDelta().y() / 120.0), event->position().x());
  event->accept();
}

void TileStrip::leaveEvent(QEvent*) {
  m_hovered = -1;
  m_card->showAt({}, {});
  update();
}

void TileStrip::keyPressEvent(QKeyEvent* event) {
  if (!m_layout) return;
  switch (event->key()) {
  case Qt::Key_W:
  case Qt::Key_Plus: return zoom(0.7, width() / 2.0);
  case Qt::Key_S:
  case Qt::Key_Minus: return zoom(1 / 0.7, width() / 2.0);
  case Qt::Key_A: return showAddresses(m_shown.begin - m_shown.size() / 8, m_shown.size());
  case Qt::Key_D: return showAddresses(m_shown.begin + m_shown.size() / 8, m_shown.size());
  case Qt::Key_F: return showAddresses(0, stripExtent(*m_layout).size());
  case Qt::Key_Left:
  case Qt::Key_Right: {
    // The pieces are in address order.
    auto at =
        std::find_if(m_strip.pieces.begin(), m_strip.pieces.end(), [&](const StripPiece& p) { return p.variable == m_selected; });
    const auto index = at == m_strip.pieces.end() ? -1 : int(at - m_strip.pieces.begin());
    const int next = index + (event->key() == Qt::Key_Right ? 1 : -1);
    if (next >= 0 && next < int(m_strip.pieces.size())) emit variableClicked(m_strip.pieces[std::size_t(next)].variable);
    return;
  }
  default: QWidget::keyPressEvent(event);
  }
}

} // namespace ui::memory
