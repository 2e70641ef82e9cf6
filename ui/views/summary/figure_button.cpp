#include "ui/views/summary/figure_button.h"

#include "ui/parts/wrapped_label.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::summary {

namespace {
constexpr int kSmallest = 12; // pixels
} // namespace

FigureButton::FigureButton(const theme::Theme& theme, const QString& leadsTo, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_leadsTo(leadsTo), m_title(theme::plainLabel()), m_value(theme::plainLabel()),
      m_detail(new shell::WrappedLabel) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kGrid, 4, theme::kGrid, 4);
  column->setSpacing(0);
  m_title->setProperty("role", "secondary");
  m_detail->setProperty("role", "secondary");
  for (QLabel* label : {m_title, m_value, static_cast<QLabel*>(m_detail)}) {
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    column->addWidget(label);
  }
  column->addStretch(1); // aligns it with a button that has a longer detail
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setCursor(Qt::PointingHandCursor);
  setAttribute(Qt::WA_Hover);
  setFocusPolicy(Qt::StrongFocus);
}

void FigureButton::setFigure(const QString& title, const QString& value, const QString& detail, const QString& exact) {
  m_title->setText(title), m_value->setText(value), m_detail->setWords(detail);
  fitValue();
  setToolTip(theme::tipText(exact + '\n' + m_leadsTo));
  setAccessibleName(title + ": " + value + ", " + detail);
  setAccessibleDescription(m_leadsTo);
}

void FigureButton::setValueFont(const QFont& font) {
  m_font = font;
  fitValue();
}

// A figure must not be cut, because it would read as another number: if there is little space, its font gets smaller.
void FigureButton::fitValue() {
  const int room = width() - 2 * theme::kGrid;
  const int needed = QFontMetrics(m_font).horizontalAdvance(m_value->text()) + 2;
  QFont font = m_font;
  if (room > 0 && needed > room) font.setPixelSize(std::max(kSmallest, QFontInfo(m_font).pixelSize() * room / needed));
  if (font != m_value->font()) m_value->setFont(font);
}

void FigureButton::resizeEvent(QResizeEvent* event) {
  QAbstractButton::resizeEvent(event);
  fitValue();
}

void FigureButton::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
  QAbstractButton::keyPressEvent(event);
}

void FigureButton::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(tr("Copy"), this, [this] { QGuiApplication::clipboard()->setText(accessibleName()); });
  menu.exec(event->globalPos());
}

QSize FigureButton::sizeHint() const { return layout()->sizeHint(); }

void FigureButton::paintEvent(QPaintEvent*) {
  if (!underMouse() && !hasFocus() && !isDown()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const theme::Tokens& t = m_theme.tokens();
  painter.setPen(hasFocus() ? QPen(t.accent) : QPen(Qt::NoPen));
  painter.setBrush(isDown() ? t.pressed : underMouse() ? QBrush(t.hover) : Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace ui::summary
