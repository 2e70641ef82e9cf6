// "Try": repeats the run of the open report with one change, from the view that shows the cost. The run goes through the queue of
// Run and is then compared with the report.
#pragma once

#include <QToolButton>

namespace analyser {
class Session;
}
namespace analyser::trials {
enum class Goal;
}
namespace ui::theme {
class Theme;
}

namespace ui::shell {

class View;
class ViewState;

class TryButton : public QToolButton {
  Q_OBJECT

public:
  TryButton(const theme::Theme& theme, ViewState& state, View& view, analyser::trials::Goal goal);
  // The report that is shown; null: none. Without a command line to repeat, the button is disabled and its tooltip says why.
  void setSession(std::shared_ptr<const analyser::Session> session);

private:
  void fill();
  const theme::Theme& m_theme;
  ViewState& m_state;
  View& m_view;
  const analyser::trials::Goal m_goal;
  std::shared_ptr<const analyser::Session> m_session;
};

} // namespace ui::shell
