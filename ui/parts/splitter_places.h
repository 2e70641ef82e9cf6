// Keeps the splitters of a view where the user last left them, also after a restart. A splitter that was never moved follows the view's
// own rules.
#pragma once

#include <QString>

class QSplitter;
class QWidget;

namespace ui::shell {

class Settings;

// For a view that is built and not yet shown; `view` is its name in the settings.
void keepSplitters(QWidget& widget, const QString& view, Settings& settings);
// Whether the user moved the splitter: a view that fits its splitter to the content then leaves it.
bool isPlacedByHand(const QSplitter& splitter);
// Puts the splitters of a view where they were before any was moved. The settings keep what they have under kSplitterSettings.
void resetSplitters(QWidget& widget);
inline const QString kSplitterSettings = QStringLiteral("splitters");

} // namespace ui::shell
