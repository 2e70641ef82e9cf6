// Ways for the user to choose reports: dialogs, files on another computer, drops, swapping and closing.
#pragma once

#include <QObject>
#include <QStringList>

namespace ui::jobs {
class JobBoard;
}
namespace ui::theme {
class Theme;
}

namespace ui::shell {

class DropSheet;
struct DropPlan;
class MessageBar;
class OpenReports;
class RemoteSheet;
class TraceSheet;
class Settings;
class ViewState;

class ReportChooser : public QObject {
  Q_OBJECT

public:
  ReportChooser(const theme::Theme& theme, jobs::JobBoard& jobs, Settings& settings, ViewState& state, OpenReports& reports,
                MessageBar& message, QWidget* window);
  void open();
  void openRemote();
  void follow();              // choose a trace that a program is writing
  void addTraces(int report); // 0 base, 1 other
  void addTracesToShown();
  void compare();
  void close(int report);
  void closeTab(int tab); // 0 base, 1 other, 2 … the further ones
  void swap() { exchange(0, 1); }
  void makeOther(int report) { exchange(1, report); } // a further report becomes B
  void runAgain(int report);                          // 0 base, 1 other
  // Tells the drop sheet the name of the first report if a second one may be dropped beside it.
  void nameOpen();

signals:
  void closed();
  void followRequested(const QString& file);
  void viewRequested(const QString& id);

private:
  QStringList ask(const QString& title);
  void exchange(int one, int other);
  void takeDrop(const DropPlan& plan);

  Settings& m_settings;
  ViewState& m_state;
  OpenReports& m_reports;
  MessageBar& m_message;
  QWidget* m_window;
  RemoteSheet* m_remote;
  TraceSheet* m_traces;
  DropSheet* m_drop;
};

} // namespace ui::shell
