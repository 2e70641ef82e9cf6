// Preferences (Ctrl+comma): settings that a user chooses once. Every choice takes effect immediately; there is nothing to confirm.
#pragma once

#include <QDialog>

class QFormLayout;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class Settings;
class ViewState;
class WindowActions;

class Preferences : public QDialog {
  Q_OBJECT

public:
  Preferences(theme::Theme& theme, Settings& settings, ViewState& state, WindowActions& actions, QWidget* window);

private:
  void addLook(QFormLayout& form);
  void addUnits(QFormLayout& form);
  void addFiles(QFormLayout& form);

  theme::Theme& m_theme;
  Settings& m_settings;
  ViewState& m_state;
};

} // namespace ui::shell
