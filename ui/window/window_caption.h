// The window's texts about the open reports: the chips in the top bar, the title, and the clock and origin of all figures.
#pragma once

#include <QCoreApplication>

class QWidget;

namespace ui::shell {

class OpenReports;
class TopBar;
struct ViewEntry;
class ViewState;

class WindowCaption {
  Q_DECLARE_TR_FUNCTIONS(ui::shell::WindowCaption)

public:
  WindowCaption(ViewState& state, const OpenReports& reports, TopBar& top, QWidget& window);
  void showReports();
  // Sets the clock of the displayed report, with which views convert cycles to time.
  void showFigures();
  // Shows which of two reports a view displays.
  void showShown(const ViewEntry& view);

private:
  ViewState& m_state;
  const OpenReports& m_reports;
  TopBar& m_top;
  QWidget& m_window;
};

} // namespace ui::shell
