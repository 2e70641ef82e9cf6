// Files that are written whole or stay unchanged.
#pragma once

#include <QByteArray>
#include <QString>

namespace ui::theme {

// Empty if the file was written; otherwise the reason. A full disk leaves the old file.
QString writeWhole(const QString& file, const QByteArray& bytes);

// Makes a folder of the program and its parents, accessible only to the user. False if it cannot be made.
bool makePrivateFolder(const QString& folder);

} // namespace ui::theme
