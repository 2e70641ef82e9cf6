#include "ui/views/home/sample_cell.h"

#include "ui/theme/elide.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

namespace ui::home {

namespace {

// Shows as much of a text as fits on one line.
class OneLine : public QLabel {
public:
  explicit OneLine(const QString& text) : m_whole(text) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setText(text);
  }

protected:
  void resizeEvent(QResizeEvent* event) override {
    QLabel::resizeEvent(event);
    setText(theme::elided(fontMetrics(), m_whole, width()));
  }

private:
  QString m_whole;
};

QLabel* lineOf(const QString& text, bool isBrief) {
  if (isBrief) return new OneLine(text);
  QLabel* label = theme::plainLabel(text);
  label->setWordWrap(true);
  return label;
}

} // namespace

SampleCell::SampleCell(const theme::Theme& theme, const SampleText& sample, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme::kGrid, theme::kGrid, theme::kHalf, theme::kGrid);
  row->setSpacing(theme::kGrid);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  QLabel* title = lineOf(sample.title.isEmpty() ? sample.name : sample.title, false);
  title->setProperty("role", "strong");
  // The first sentence says what the sample is; the rest is for the Run page and the tooltip.
  const bool more = sample.text.contains(QStringLiteral(". "));
  QLabel* detail = lineOf(sample.text.section(QStringLiteral(". "), 0, 0) + (more ? "." : ""), sample.isBrief);
  detail->setProperty("role", "secondary");
  words->addWidget(title);
  words->addWidget(detail);
  const QString time = timeText(sample.time);
  if (!time.isEmpty()) {
    words->addSpacing(2);
    words->addWidget(new TimeStrip(theme, sample.time));
  }
  words->addStretch(1);
  row->addLayout(words, 1);
  auto* run = new QToolButton;
  run->setIcon(theme::icon(m_theme, "play", theme::Tint::Accent));
  run->setIconSize({20, 20});
  run->setAccessibleName(tr("Run %1").arg(sample.name));
  run->setToolTip(theme::tipText(tr("Run %1 and open its report").arg(sample.name)));
  connect(run, &QToolButton::clicked, this, &SampleCell::runRequested);
  row->addWidget(run, 0, Qt::AlignTop);
  setToolTip(theme::tipText(time.isEmpty() ? sample.text : tr("%1\n\nTime of the default run: %2.").arg(sample.text, time)));
  setCursor(Qt::PointingHandCursor);
}

void SampleCell::mousePressEvent(QMouseEvent* event) { m_isPressed = event->button() == Qt::LeftButton; }

void SampleCell::mouseReleaseEvent(QMouseEvent* event) {
  if (std::exchange(m_isPressed, false) && event->button() == Qt::LeftButton && rect().contains(event->pos()))
    emit runRequested();
}

void SampleCell::enterEvent(QEnterEvent*) { m_isHovered = true, update(); }
void SampleCell::leaveEvent(QEvent*) { m_isHovered = m_isPressed = false, update(); }

void SampleCell::paintEvent(QPaintEvent*) {
  if (!m_isHovered) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(m_theme.tokens().hover);
  painter.drawRoundedRect(rect(), theme::kHalf, theme::kHalf);
}

} // namespace ui::home
