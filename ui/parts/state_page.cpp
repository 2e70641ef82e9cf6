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

namespace ui::shell {

namespace {
constexpr int kSpinner = 32, kTurnMs = 40, kRoundMs = 1200; // pixels; milliseconds of a frame and of a turn
constexpr int kSilentMs = 1000;                             // milliseconds; a shorter wait does not show its seconds
} // namespace

Skeleton::Skeleton(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setAlignment(Qt::AlignCenter);
  column->setSpacing(theme::kGrid);
  m_spinner = new QWidget;
  m_spinner->setFixedSize(kSpinner, kSpinner);
  m_title = theme::plainLabel();
  m_title->setAlignment(Qt::AlignCenter);
  m_elapsed = theme::plainLabel();
  m_elapsed->setAlignment(Qt::AlignCenter);
  m_elapsed->setProperty("role", "secondary");
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setRange(0, 1000);
  m_bar->setFixedWidth(240);
  m_bar->setAccessibleName(tr("Progress"));
  m_cancel = new QPushButton(tr("Cancel"));
  m_cancel->setProperty("role", "plain");
  column->addWidget(m_spinner, 0, Qt::AlignHCenter);
  column->addWidget(m_title);
  column->addWidget(m_elapsed);
  column->addWidget(m_bar, 0, Qt::AlignHCenter);
  column->addWidget(m_cancel, 0, Qt::AlignHCenter);
  for (QWidget* part : {static_cast<QWidget*>(m_spinner), static_cast<QWidget*>(m_elapsed), static_cast<QWidget*>(m_bar),
                        static_cast<QWidget*>(m_cancel)}) { // hidden parts keep their space, so nothing moves when they appear
    QSizePolicy policy = part->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    part->setSizePolicy(policy);
  }
  m_turn.setInterval(kTurnMs);
  connect(&m_turn, &QTimer::timeout, this, &Skeleton::showElapsed);
  connect(m_cancel, &QPushButton::clicked, this, &Skeleton::cancelRequested);
}

void Skeleton::begin(const QString& title) {
  m_heading = title;
  m_title->setText(title);
  m_since.start();
  m_bar->hide(), m_cancel->hide();
  showElapsed();
}

void Skeleton::setProgress(const QString& phase, double fraction) {
  m_title->setText(phase.isEmpty() ? m_heading : m_heading + QStringLiteral(" – ") + phase);
  m_bar->setValue(int(fraction * 1000));
  m_bar->show(), m_cancel->show();
}

void Skeleton::showElapsed() {
  const qint64 ms = m_since.isValid() ? m_since.elapsed() : 0;
  const QString text = ms < kSilentMs ? QString() : tr("%1 s").arg(ms / 1000);
  if (text != m_elapsed->text()) m_elapsed->setText(text);
  update(m_spinner->geometry());
}

void Skeleton::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_turn.start();
}

void Skeleton::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  m_turn.stop();
}

void Skeleton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const theme::Tokens& t = m_theme.tokens();
  constexpr int kPen = 3, kDegree = 16; // Qt counts sixteenths
  const QRectF ring = QRectF(m_spinner->geometry()).adjusted(kPen, kPen, -kPen, -kPen);
  painter.setPen(QPen(t.grid, kPen));
  painter.drawEllipse(ring);
  const qint64 ms = m_since.isValid() ? m_since.elapsed() : 0;
  painter.setPen(QPen(t.accent, kPen, Qt::SolidLine, Qt::RoundCap));
  painter.drawArc(ring, int(-360 * kDegree * (ms % kRoundMs) / kRoundMs), 90 * kDegree);
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
  row->addWidget(m_way = new QPushButton);
  m_way->hide();
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

void StatePage::addWay(const QString& title, std::function<void()> run) {
  m_way->disconnect(this);
  m_way->setText(title);
  m_way->show();
  connect(m_way, &QPushButton::clicked, this, [run = std::move(run)] { run(); });
}

void StatePage::setAction(const QString& action, std::function<void()> run) {
  m_way->hide();
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
  QString message = theme::messageText(error.message());
  if (!message.isEmpty()) message[0] = message[0].toUpper();
  m_title->setText(message);
  m_why->hide();
  m_where->setText(theme::messageText(error.where()));
  m_where->setVisible(!error.where().empty());
  QString advice = theme::messageText(error.advice());
  if (!advice.isEmpty()) advice = advice.left(1).toUpper() + advice.mid(1) + '.';
  m_advice->setText(advice);
  m_advice->setVisible(!error.advice().empty());
  m_copy->show();
  setAction(action, std::move(run));
  restyle();
}

QString errorDetails(const reports::Error& error) {
  QString text =
      QStringLiteral("%1: %2\n").arg(QLatin1String(reports::errorCodeName(error.code())), theme::messageText(error.message()));
  if (!error.where().empty()) text += QStringLiteral("where: %1\n").arg(theme::messageText(error.where()));
  if (!error.advice().empty()) text += QStringLiteral("advice: %1\n").arg(theme::messageText(error.advice()));
  return text;
}

} // namespace ui::shell
