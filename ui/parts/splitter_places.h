// Keeps the splitters of a view where the user last left them, also after a restart. A splitter that was never moved follows the view's
// own rules.
#pragma once

#include <QString>

class QSplitter;
class QWidget;

namespace ui::shell {

class Settings;

// Call for a view that is built and not yet shown; `view` is its name in the settings.
void keepSplitters(QWidget& widget, const QString& view, Settings& settings);
// Whether the user moved the splitter: a view that fits its splitter to the content then leaves it alone.
bool isPlacedByHand(const QSplitter& splitter);
// Puts the splitters of a view back to their sizes before any was moved. The settings keep their values under kSplitterSettings.
void resetSplitters(QWidget& widget);
inline const QString kSplitterSettings = QStringLiteral("splitters");

} // namespace ui::shell
