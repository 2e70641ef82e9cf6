// Dialogs that Qt makes. File dialogs, which desktops without their own show, get our icons and a size at which no name or date is
// cut; dialogs that ask for a line of text are wide enough for a name; buttons of all dialogs lose the desktop's coloured icons, which are off the palette in a dark theme.
#pragma once

#include <QObject>

namespace ui::theme {

class Theme;

class StandardDialogs : public QObject {
  Q_OBJECT

public:
  // Acts on every dialog of the application, before it is shown.
  StandardDialogs(const Theme& theme, QObject* parent);

protected:
  bool eventFilter(QObject* object, QEvent* event) override;

private:
  const Theme& m_theme;
};

} // namespace ui::theme
