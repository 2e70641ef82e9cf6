// The question where to save something. It begins in the folder where the user saved last.
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace ui::theme {

// Empty if the user cancelled. `proposed` is the name of a file; its own folder counts until the user has chosen one.
QString saveFileName(QWidget* parent, const QString& title, const QString& proposed, const QString& filter);

// For the owner of the settings: the folder of an earlier session, and the function to call with each new folder.
void keepSaveFolder(const QString& folder, std::function<void(const QString&)> changed);

} // namespace ui::theme
