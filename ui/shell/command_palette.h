// Ctrl+K: type a few letters of a view or a command, Enter runs it. A child of the window, not a dialog.
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

struct Command {
  QString title, detail, icon, keys;
  std::function<void()> run;
};

// How well `text` fits what was typed: higher is better, -1 is no match. Letters must appear in order; beginnings of
// words count most.
int matchScore(const QString& typed, const QString& text);

class CommandPalette : public QFrame {
  Q_OBJECT

public:
  CommandPalette(const theme::Theme& theme, QWidget* window);
  void open(std::vector<Command> commands);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void refill(const QString& typed);
  void runCurrent();
  const theme::Theme& m_theme;
  std::vector<Command> m_commands;
  std::vector<int> m_shown;
  QLineEdit* m_input;
  QListWidget* m_list;
};

} // namespace ui::shell
