// The sheets over a window that show its commands: the palette, the keys, the manual, the preferences.
#pragma once

#include "ui/window/command_palette.h"

#include <QObject>

namespace ui::shell {

class Finder;
class HelpSheet;
class LinkTrail;
class Manual;
class OpenReports;
class OtherPlaces;
class Settings;
class ViewStack;
class ViewState;
class WindowActions;

class WindowSheets : public QObject {
  Q_OBJECT

public:
  // All of them must outlive the sheets.
  struct Parts {
    theme::Theme& theme;
    Settings& settings;
    ViewState& state;
    WindowActions& actions;
    const ViewStack& views;
    Finder& finder;
    LinkTrail& links;
    OpenReports& reports;
  };
  WindowSheets(const Parts& parts, QWidget* window);
  void showPalette();
  void showKeys();
  void showManual();                  // opens the chapter of the shown view
  void showHelp(const QString& link); // "host-waits.md#2-record-the-host"
  OtherPlaces& otherPlaces() { return *m_other; }
  void showPreferences();

private:
  std::vector<Command> commands() const;
  std::vector<Command> find(const QString& typed);

  void showChapter(int chapter);

  Parts m_parts;
  QWidget* m_window;
  OtherPlaces* m_other;
  CommandPalette* m_palette;
  HelpSheet* m_help;
  Manual* m_manual = nullptr; // created at first use
};

} // namespace ui::shell
