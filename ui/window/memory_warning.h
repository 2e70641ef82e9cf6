// The warning that the open program does not fit the machine, in views that do not show it themselves. It stays hidden once it
// was dismissed, and if the window is too low for it.
#pragma once

#include <QObject>

namespace ui::shell {

class MessageBar;
class OpenReports;
class ViewStack;
class ViewState;

class MemoryWarning : public QObject {
  Q_OBJECT

public:
  MemoryWarning(const ViewState& state, const OpenReports& reports, const ViewStack& views, MessageBar& message);
  // Other reports are open, or (`isSame`) these were read again.
  void begin(bool isSame);
  void update();

signals:
  void fullestRequested(); // the user wants to see the fullest tile

private:
  QString text() const;
  bool isSaidByView() const;

  const ViewState& m_state;
  const OpenReports& m_reports;
  const ViewStack& m_views;
  MessageBar& m_message;
  bool m_isDismissed = false;
};

} // namespace ui::shell
