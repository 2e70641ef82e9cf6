// "Try": the run of the open report again with one thing changed, from the view that shows what it costs. The run goes through the
// queue of Run and is compared with the report when it is done.
#pragma once

#include <QToolButton>

namespace analyser {
class Session;
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
  TryButton(const theme::Theme& theme, ViewState& state, View& view);
  // The report that is shown; null: none. Without a command line to repeat the button is disabled and says why.
  void setSession(std::shared_ptr<const analyser::Session> session);

private:
  void fill();
  const theme::Theme& m_theme;
  ViewState& m_state;
  View& m_view;
  std::shared_ptr<const analyser::Session> m_session;
};

} // namespace ui::shell
