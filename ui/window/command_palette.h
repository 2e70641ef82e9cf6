// Ctrl+K: type a few letters of a view, a command or anything the report names; Enter goes there. A child of the window, not
// a dialog. Commands are found by the beginnings of their words; names in the report are for the caller to find.
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

struct Command {
  QString title, detail, icon, keys;
  std::function<void()> run;
  QString words = {}; // synonyms, e.g. "export html"
};

// How well `text` matches the typed words; higher is better, -1: it does not match. Each typed word must begin a word of the
// text, or be inside a word if it has three letters or more. Beginnings count more, and words in the order of the text.
int matchScore(const QString& typed, const QString& text);

class CommandPalette : public QFrame {
  Q_OBJECT

public:
  CommandPalette(const theme::Theme& theme, QWidget* window);
  // `find` is called at every key for further matches of the typed words; it may be empty.
  using Find = std::function<std::vector<Command>(const QString& typed)>;
  void open(std::vector<Command> commands, Find find = {});
  // Searches again after `find` has learnt more results.
  void refresh();
  void setReading(bool reading);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void refill(const QString& typed);
  void fillList();
  void runCurrent();
  const theme::Theme& m_theme;
  std::vector<Command> m_commands;
  std::vector<Command> m_shown; // in the order of the list
  Find m_find;
  bool m_reading = false;
  QLineEdit* m_input;
  QListWidget* m_list;
  QLabel* m_note;
};

} // namespace ui::shell
