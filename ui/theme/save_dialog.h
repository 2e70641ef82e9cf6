// The dialog that asks for a file to save. It begins in the folder of the last save.
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace ui::theme {

// Empty if the user cancelled. `proposed` is the name of a file; its own folder is used until the user has chosen one.
QString saveFileName(QWidget* parent, const QString& title, const QString& proposed, const QString& filter);

// For the owner of the settings: the folder from an earlier session, and the function that is called with each new folder.
void keepSaveFolder(const QString& folder, std::function<void(const QString&)> changed);

} // namespace ui::theme
