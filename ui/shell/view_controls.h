// How the controls of a view stand, as text by their accessible names: choices, filters, hidden entries of legends, the open tab.
// One reading and one setting for all views, so that a link and a bookmark bring back what a view showed without its help.
#pragma once

#include <QMap>
#include <QString>

class QWidget;

namespace ui::shell {

// Empty fields and untouched legends are left out.
QMap<QString, QString> controlsOf(const QWidget& view);
// Names that the view does not have, and values that a control does not offer, are left out. Call when the view is loaded.
void setControls(QWidget& view, const QMap<QString, QString>& controls);

} // namespace ui::shell
