#include "ui/window/message_bar.h"

#include "ui/parts/copy_text.h"
#include "ui/parts/message_place.h"
#include "ui/parts/state_page.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QEnterEvent>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace ui::shell {

namespace {
constexpr int kStays = 8000; // milliseconds of a notice, as in other programs
} // namespace

MessageBar::MessageBar(const theme::Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 4, 4, 4);
  row->setSpacing(theme::kGrid);
  row->addWidget(m_icon = theme::plainLabel());
  row->addWidget(m_text = theme::plainLabel(), 1);
  row->addWidget(m_action = new QPushButton);
  row->addWidget(m_copy = new QPushButton(tr("Copy details")));
  row->addWidget(m_close = new QToolButton);
  m_text->setWordWrap(true);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_action->setProperty("role", "plain");
  m_copy->setProperty("role", "plain");
  m_close->setIcon(theme::icon(theme, "close", theme::Tint::Secondary));
  m_close->setAccessibleName(tr("Dismiss"));
  m_close->setToolTip(tr("Dismiss"));
  connect(m_close, &QToolButton::clicked, this, [this] {
    hide();
    emit dismissed();
  });
  connect(m_copy, &QPushButton::clicked, this, [this] { copyText(*m_copy, m_details); });
  connect(&theme, &theme::Theme::changed, this, &MessageBar::restyle);
  m_leave = new QTimer(this); // notices disappear after kStays
  m_leave->setSingleShot(true);
  m_leave->setInterval(kStays);
  connect(m_leave, &QTimer::timeout, this, &QWidget::hide);
  hide();
}

void MessageBar::restyle() {
  const auto [name, tint] = m_tone == Tone::Bad       ? std::pair("error", theme::Tint::Bad)
                            : m_tone == Tone::Warning ? std::pair("warning", theme::Tint::Warning)
                            : m_tone == Tone::Good    ? std::pair("ok", theme::Tint::Good)
                                                      : std::pair("info", theme::Tint::Accent);
  m_icon->setPixmap(theme::iconPixmap(name, 18, theme::tintColour(m_theme, tint), devicePixelRatioF()));
}

void MessageBar::say(const QString& text, Tone tone, const QString& action, std::function<void()> run) {
  qInfo("%s", qPrintable(text));
  m_tone = tone;
  m_details.clear();
  m_text->setText(text);
  m_copy->hide();
  m_action->disconnect(this);
  m_action->setText(action);
  m_action->setVisible(!action.isEmpty());
  if (run)
    connect(m_action, &QPushButton::clicked, this, [this, run = std::move(run)] {
      hide();
      run();
    });
  setProperty("role", tone == Tone::Bad ? "bad" : tone == Tone::Warning ? "warning" : "note");
  style()->unpolish(this);
  style()->polish(this);
  setAccessibleName(text);
  restyle();
  m_isStanding = tone == Tone::Bad || tone == Tone::Warning || (tone == Tone::Neutral && !action.isEmpty());
  if (m_column) {
    m_column->removeWidget(this);
    if (m_isStanding) m_column->insertWidget(m_column->indexOf(m_area) + 1, this);
  }
  show();
  place();
  m_isStanding ? m_leave->stop() : m_leave->start();
}

void MessageBar::say(const reports::Error& error, const QString& action, std::function<void()> run) {
  QString text = theme::messageText(error.message());
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  if (!error.where().empty()) text += QStringLiteral(" (%1)").arg(theme::messageText(error.where()));
  text += '.';
  if (!error.advice().empty()) {
    QString advice = theme::messageText(error.advice());
    advice[0] = advice[0].toUpper();
    text += ' ' + advice + '.';
  }
  say(text, Tone::Bad, action, std::move(run));
  m_details = errorDetails(error);
  m_copy->show();
}

void MessageBar::floatOver(QWidget& area, QBoxLayout* column) {
  setParent(area.parentWidget());
  m_area = &area, m_column = column;
  area.installEventFilter(this);
  place();
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_area && (event->type() == QEvent::Resize || event->type() == QEvent::Move)) place();
  return QFrame::eventFilter(watched, event);
}

void MessageBar::enterEvent(QEnterEvent* event) {
  m_leave->stop();
  QFrame::enterEvent(event);
}

void MessageBar::leaveEvent(QEvent* event) {
  if (isVisible() && !m_isStanding) m_leave->start();
  QFrame::leaveEvent(event);
}

void MessageBar::place() {
  if (!m_area || (m_column && m_isStanding)) return;
  setGeometry(placeOfMessage(m_area->geometry(), *layout()));
  raise();
}

void MessageBar::setVisible(bool visible) {
  QFrame::setVisible(visible);
  if (visible) place();
  emit shownChanged(visible);
}

QString MessageBar::text() const { return m_text->text(); }

} // namespace ui::shell
