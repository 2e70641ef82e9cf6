#include "ui/parts/elided_label.h"

#include "ui/theme/elide.h"
#include "ui/theme/plain_text.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>

namespace ui::shell {

namespace {
constexpr int kLeast = 24, kFewWords = 96; // pixels
const QChar kHyphen(0x2011);               // a hyphen at which lines do not break
} // namespace

ElidedLabel::ElidedLabel(const QString& name, QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setAccessibleName(name);
}

void ElidedLabel::setWhole(const QString& text, const QString& tip, qsizetype kept) {
  m_whole = text, m_tip = tip, m_kept = kept;
  setAccessibleDescription(text);
  updateGeometry();
  elide();
}

void ElidedLabel::elide() {
  // Lines break between words, not at a hyphen: "--machine" must stay on one line.
  if (wordWrap()) {
    setText(QString(m_whole).replace('-', kHyphen)), setToolTip(theme::tipText(m_tip));
    // Sets the height that the text needs at this width. QLabel itself guesses a narrower width and never reduces its height.
    setMinimumHeight(0), setMaximumHeight(QWIDGETSIZE_MAX);
    if (const int lines = heightForWidth(width()); lines > 0 && !m_whole.isEmpty()) setFixedHeight(lines);
    return;
  }
  const QString kept = m_whole.left(m_kept);
  const int room = width() - (m_kept > 0 ? fontMetrics().horizontalAdvance(kept) : 0);
  const QString rest = m_whole.mid(m_kept);
  // If only a few letters of the rest would fit, shows none of them: they would not identify the name.
  const bool isTooNarrow = m_kept > 0 && room < kFewWords && fontMetrics().horizontalAdvance(rest) > room;
  const QString shown = isTooNarrow ? kept.left(kept.lastIndexOf(':')) + QChar(0x2026)
                                    : kept + theme::elided(fontMetrics(), rest, std::max(kLeast, room));
  setText(shown);
  setToolTip(theme::tipText(!m_tip.isEmpty() ? m_tip : shown == m_whole ? QString() : m_whole));
}

QSize ElidedLabel::sizeHint() const { return {fontMetrics().horizontalAdvance(m_whole) + 2, QLabel::sizeHint().height()}; }

QSize ElidedLabel::minimumSizeHint() const { return {kLeast, QLabel::minimumSizeHint().height()}; }

QString ElidedLabel::copied() const { return hasSelectedText() ? selectedText().replace(kHyphen, '-') : m_whole; }

void ElidedLabel::keyPressEvent(QKeyEvent* event) {
  if (!event->matches(QKeySequence::Copy)) return QLabel::keyPressEvent(event);
  QGuiApplication::clipboard()->setText(copied());
}

void ElidedLabel::mouseReleaseEvent(QMouseEvent* event) {
  QLabel::mouseReleaseEvent(event);
  QClipboard* clipboard = QGuiApplication::clipboard();
  if (hasSelectedText() && clipboard->supportsSelection()) clipboard->setText(copied(), QClipboard::Selection);
}

// Copies the full text (or the selected part), not its shortened form.
void ElidedLabel::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this); // not on the stack: a view may delete the label while it is open
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Copy"), this, [this] { QGuiApplication::clipboard()->setText(copied()); });
  menu->popup(event->globalPos());
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  elide();
}

void ElidedLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) elide();
}

} // namespace ui::shell
