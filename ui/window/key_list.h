// The page of the preferences that gives commands other keys: a field for each command. A key in use is rejected with the reason;
// an empty field removes the key.
#pragma once

#include <QWidget>

class QKeySequenceEdit;
class QLabel;

namespace ui::shell {

struct WindowAction;
class WindowActions;

class KeyList : public QWidget {
  Q_OBJECT

public:
  explicit KeyList(WindowActions& actions);

private:
  void take(const WindowAction& action, QKeySequenceEdit& field);
  void showKeys();

  WindowActions& m_actions;
  std::vector<std::pair<QString, QKeySequenceEdit*>> m_fields; // by the action's id
  QLabel* m_refusal;
};

} // namespace ui::shell
