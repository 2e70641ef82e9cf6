// The two pages shown instead of content: a spinner while something loads, and a message when there is nothing to show
// or something failed. A message always says why and offers the one action that helps.
#pragma once

#include "reports/core/error.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

// Shows a spinner, the work in progress and its seconds; a progress bar appears with the first reported progress. Draws no
// placeholder of a chart, because users would take it for data.
class Skeleton : public QWidget {
  Q_OBJECT

public:
  explicit Skeleton(const theme::Theme& theme, QWidget* parent = nullptr);
  void begin(const QString& title);
  void setProgress(const QString& phase, double fraction);

signals:
  void cancelRequested();

protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

private:
  void showElapsed();
  const theme::Theme& m_theme;
  QString m_heading;
  QLabel *m_title, *m_elapsed;
  QWidget* m_spinner; // where the arc turns
  QElapsedTimer m_since;
  QTimer m_turn;
  QProgressBar* m_bar;
  QPushButton* m_cancel;
};

class StatePage : public QWidget {
  Q_OBJECT

public:
  explicit StatePage(const theme::Theme& theme, QWidget* parent = nullptr);
  void showEmpty(const QString& title, const QString& why, const QString& action, std::function<void()> run);
  void showError(const reports::Error& error, const QString& action, std::function<void()> run);
  // A second button beside the action, until the next page is shown: help, or an example.
  void addWay(const QString& title, std::function<void()> run);
  bool isError() const { return m_isError; }

private:
  QPushButton* m_way;
  void setAction(const QString& action, std::function<void()> run);
  void restyle();

  const theme::Theme& m_theme;
  QString m_details;
  bool m_isError = false;
  QLabel *m_icon, *m_title, *m_why, *m_where, *m_advice;
  QPushButton *m_action, *m_copy;
};

// The four parts of an error as plain text, for the clipboard.
QString errorDetails(const reports::Error& error);

} // namespace ui::shell
