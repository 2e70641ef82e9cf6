// The line at the bottom: a description of the selection at the left, background work with progress and cancel at the right.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace ui::jobs {
class JobBoard;
}
namespace ui::theme {
class Theme;
}

namespace ui::shell {

class ElidedLabel;

class StatusLine : public QWidget {
  Q_OBJECT

public:
  StatusLine(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  void setSelection(const QString& words);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  void showJobs();
  const theme::Theme& m_theme;
  jobs::JobBoard& m_jobs;
  ElidedLabel* m_selection;
  QLabel* m_job;
  QProgressBar* m_bar;
  QToolButton* m_cancel;
};

} // namespace ui::shell
