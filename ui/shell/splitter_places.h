// The splitters of a view stand where the user last left them, also after a restart. One that was never moved keeps to the view's
// own rules.
#pragma once

#include <QString>

class QWidget;

namespace ui::shell {

class Settings;

// For a view that is built and not yet shown; `view` is its name in the settings.
void keepSplitters(QWidget& widget, const QString& view, Settings& settings);

} // namespace ui::shell
