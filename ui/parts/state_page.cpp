#include "ui/parts/state_page.h"

#include "ui/parts/copy_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace ui::shell {

Skeleton::Skeleton(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setAlignment(Qt::AlignCenter);
  m_title = theme::plainLabel();
  m_title->setAlignment(Qt::AlignCenter);
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setRange(0, 1000);
  m_bar->setFixedWidth(240);
  m_bar->setAccessibleName(tr("Progress"));
  m_cancel = new QPushButton(tr("Cancel"));
  m_cancel->setProperty("role", "plain");
  column->addWidget(m_title);
  column->addWidget(m_bar, 0, Qt::AlignHCenter);
  column->addWidget(m_cancel, 0, Qt::AlignHCenter);
  connect(m_cancel, &QPushButton::clicked, this, &Skeleton::cancelRequested);
}

void Skeleton::begin(const QString& title) {
  m_heading = title;
  m_title->setText(title);
  m_bar->hide(), m_cancel->hide();
}

void Skeleton::setProgress(const QString& phase, double fraction) {
  m_title->setText(phase.isEmpty() ? m_heading : m_heading + QStringLiteral(" – ") + phase);
  m_bar->setValue(int(fraction * 1000));
  m_bar->show(), m_cancel->show();
}

void Skeleton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const theme::Tokens& t = m_theme.tokens();
  const int plot = height() * 6 / 10;
  painter.setPen(Qt::NoPen);
  painter.setBrush(t.surface);
  painter.drawRoundedRect(QRect(0, 0, width(), plot), theme::kRadius, theme::kRadius);
  painter.setBrush(theme::mix(t.surface, t.grid, 0.7));
  for (int x = 24, i = 0; x + 20 < width() - 16; x += 28, ++i) {
    // A smooth hill: recognisable as a plot, but not as data.
    const int bar = int(plot * (0.16 + 0.14 * (1 + std::sin(i * 0.37))));
    painter.drawRect(x, plot - 16 - bar, 20, bar);
  }
  for (int y = plot + 24; y + 12 < height(); y += theme::kRow) {
    painter.drawRoundedRect(QRect(0, y, width() * 3 / 10, 10), 3, 3);
    painter.drawRoundedRect(QRect(width() - 220, y, 80, 10), 3, 3);
    painter.drawRoundedRect(QRect(width() - 110, y, 90, 10), 3, 3);
  }
  const QRect words =
      m_title->geometry().united(m_cancel->isVisible() ? m_cancel->geometry() : m_title->geometry()).adjusted(-32, -16, 32, 16);
  painter.setBrush(t.surface);
  painter.drawRoundedRect(words, theme::kRadius, theme::kRadius);
}

StatePage::StatePage(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setSpacing(theme::kGrid);
  column->addStretch(2);
  const auto label = [&](int width) {
    auto* l = theme::plainLabel();
    l->setAlignment(Qt::AlignCenter);
    l->setWordWrap(true);
    l->setFixedWidth(width);
    l->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(l, 0, Qt::AlignHCenter);
    return l;
  };
  m_icon = label(64), m_title = label(560), m_why = label(560), m_where = label(560), m_advice = label(560);
  m_why->setProperty("role", "secondary"), m_where->setProperty("role", "mono"), m_title->setProperty("role", "heading");
  auto* row = new QHBoxLayout;
  row->setAlignment(Qt::AlignCenter);
  row->addWidget(m_action = new QPushButton);
  row->addWidget(m_copy = new QPushButton(tr("Copy details")));
  m_action->setProperty("role", "primary");
  column->addSpacing(theme::kGrid);
  column->addLayout(row);
  column->addStretch(3);
  connect(m_copy, &QPushButton::clicked, this, [this] { copyText(*m_copy, m_details); });
  connect(&m_theme, &theme::Theme::changed, this, &StatePage::restyle);
}

void StatePage::restyle() {
  const theme::Tint tint = m_isError ? theme::Tint::Bad : theme::Tint::Secondary;
  m_icon->setPixmap(theme::iconPixmap(m_isError ? "error" : "info", 36, theme::tintColour(m_theme, tint), devicePixelRatioF()));
}

void StatePage::setAction(const QString& action, std::function<void()> run) {
  m_action->disconnect(this);
  m_action->setText(action);
  m_action->setVisible(!action.isEmpty());
  if (run) connect(m_action, &QPushButton::clicked, this, [run = std::move(run)] { run(); });
}

void StatePage::showEmpty(const QString& title, const QString& why, const QString& action, std::function<void()> run) {
  m_isError = false;
  m_title->setText(title), m_why->setText(why);
  m_why->setVisible(!why.isEmpty());
  m_where->hide(), m_advice->hide(), m_copy->hide();
  setAction(action, std::move(run));
  restyle();
}

void StatePage::showError(const reports::Error& error, const QString& action, std::function<void()> run) {
  m_isError = true;
  m_details = errorDetails(error);
  QString message = theme::reportText(error.message());
  if (!message.isEmpty()) message[0] = message[0].toUpper();
  m_title->setText(message);
  m_why->hide();
  m_where->setText(theme::reportText(error.where()));
  m_where->setVisible(!error.where().empty());
  QString advice = theme::reportText(error.advice());
  if (!advice.isEmpty()) advice = advice.left(1).toUpper() + advice.mid(1) + '.';
  m_advice->setText(advice);
  m_advice->setVisible(!error.advice().empty());
  m_copy->show();
  setAction(action, std::move(run));
  restyle();
}

QString errorDetails(const reports::Error& error) {
  QString text =
      QStringLiteral("%1: %2\n").arg(QLatin1String(reports::errorCodeName(error.code())), theme::reportText(error.message()));
  if (!error.where().empty()) text += QStringLiteral("where: %1\n").arg(theme::reportText(error.where()));
  if (!error.advice().empty()) text += QStringLiteral("advice: %1\n").arg(theme::reportText(error.advice()));
  return text;
}

} // namespace ui::shell
