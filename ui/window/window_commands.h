// The commands of a window in families, with their names, keys and conditions. Each family gets the objects that its commands act
// on.
#pragma once

#include "ui/parts/view.h"

#include <QMainWindow>

namespace ui::shell {

class LessonStrip;
class LinkTrail;
class NavRail;
class OpenReports;
class ReportBookmarks;
class ReportChooser;
class ViewStack;
class WindowActions;
class WindowSheets;

inline const QString kViewAction = QStringLiteral("view/"); // before the view's id

void addViewCommands(WindowActions& actions, const ViewList& views, const std::function<void(const QString& id)>& show);
void addOpenCommands(WindowActions& actions, OpenReports& reports, ReportChooser& chooser);
void addSaveCommands(WindowActions& actions, const OpenReports& reports, const ViewStack& views, LinkTrail& links,
                     ReportBookmarks& bookmarks, const std::function<void()>& savePage);
void addPageCommands(WindowActions& actions, const ViewStack& views);
void addCompareCommands(WindowActions& actions, const OpenReports& reports, ReportChooser& chooser, ViewState& state,
                        const std::function<void()>& showFullest);
void addLessonCommands(WindowActions& actions, LessonStrip& lesson);
void addUnitCommands(WindowActions& actions, ViewState& state);
void addLookCommands(WindowActions& actions, theme::Theme& theme, Settings& settings, NavRail& rail, ViewStack& views,
                     QMainWindow& window);
void addWayCommands(WindowActions& actions, ViewState& state, const ViewStack& views, LinkTrail& links, WindowSheets& sheets);

// Switches to the other scheme, also for the next start.
void toggleTheme(theme::Theme& theme, Settings& settings);

} // namespace ui::shell
