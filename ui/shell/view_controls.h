// How the controls of a view stand, as text by their accessible names: choices, filters, typed texts, sliders, what its menu has switched
// on, hidden entries of legends, the open tab, the order of tables, folded bands, the positions that a plot with an overview shows, and the
// selected slice of a timeline. One reading and one setting for all views, so that a link and a bookmark bring back what a view showed
// without its help.
#pragma once

#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

class QAction;
class QWidget;

namespace ui::shell {

// A property of actions that are a wish of the user in every report: links leave them alone.
inline constexpr const char* kWish = "wish";

// A property of forms that say what is run: a link is a stranger's and never fills them, and what a form holds is no part of a link.
inline constexpr const char* kUnlinked = "unlinked";

// A property of actions that links name one by one, with "on" or "off": a link that does not name one leaves it alone.
inline constexpr const char* kLinked = "linked";

// Key of the selected slice. Links have it; the settings that are remembered for each view leave it out.
inline const QString kSelectedSlice = QStringLiteral("Slice");
// Key of what menus have switched on, and whether a key is one of open tabs.
inline const QString kSwitchedOn = QStringLiteral("Switched on");
bool isOfTabs(const QString& key);

// What the menu of a view offers, in its order; headings and what is not possible now are left out.
QList<QAction*> menuActionsOf(const QWidget& view);
// Empty fields and untouched legends are left out.
QMap<QString, QString> controlsOf(const QWidget& view);
// Names that the view does not have, and values that a control does not offer, are left out. Call when the view is loaded.
// What the controls tell meanwhile was not done by the user: isRestoring().
void setControls(QWidget& view, const QMap<QString, QString>& controls);

// A text that is longer when written into a link stays out of it: a link is pasted into mails, and kept for each report.
inline constexpr int kMostLinkedText = 60'000;   // bytes; a link has 100,000 characters at most
QStringList tooLongForLink(const QWidget& view); // the names of such texts

// The positions of its plots, the order of its tables, folded bands and the selected slice. Call once the view has done what setControls()
// asked for: a plot of another number of positions shows all.
void setPositions(QWidget& view, const QMap<QString, QString>& controls);

bool isRestoring(const QWidget& view);

} // namespace ui::shell
