#include "ui/window/status_line.h"

#include "ui/jobs/job_board.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/elided_label.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

namespace ui::shell {

StatusLine::StatusLine(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_jobs(jobs) {
  setFixedHeight(theme::kStatus);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme::kMargin, 1, theme::kGrid, 0);
  row->setSpacing(theme::kGrid);
  m_selection = new ElidedLabel(tr("Selection"));
  m_selection->setProperty("role", "secondary");
  m_job = theme::plainLabel();
  m_job->setProperty("role", "secondary");
  m_job->setAccessibleName(tr("Background work"));
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setRange(0, 1000);
  m_bar->setFixedWidth(120);
  m_bar->setAccessibleName(tr("Progress of background work"));
  m_cancel = new QToolButton;
  m_cancel->setIcon(theme::icon(theme, "stop", theme::Tint::Secondary));
  m_cancel->setIconSize({16, 16});
  m_cancel->setToolTip(tr("Cancel background work"));
  m_cancel->setAccessibleName(tr("Cancel background work"));
  row->addWidget(m_selection, 1);
  row->addWidget(m_job);
  row->addWidget(m_bar);
  row->addWidget(m_cancel);
  connect(m_cancel, &QToolButton::clicked, &jobs, &jobs::JobBoard::cancelAll);
  connect(&jobs, &jobs::JobBoard::changed, this, &StatusLine::showJobs);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
  showJobs();
}

void StatusLine::setSelection(const QString& words) { m_selection->setWhole(words); }

void StatusLine::showJobs() {
  const auto& running = m_jobs.running();
  const bool any = !running.empty();
  m_job->setVisible(any), m_bar->setVisible(any), m_cancel->setVisible(any);
  if (!any) return;
  const jobs::JobBase& job = *running.back();
  QString text = job.phase().isEmpty() ? job.title() : job.title() + QStringLiteral(": ") + job.phase();
  if (running.size() > 1) text += tr(" (and %n more)", nullptr, int(running.size()) - 1);
  m_job->setText(text);
  m_bar->setValue(int(job.fraction() * 1000));
}

void StatusLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.tokens().surface);
  painter.fillRect(QRect(0, 0, width(), 1), m_theme.tokens().line);
}

} // namespace ui::shell
