// Files that are written whole or stay as they were.
#pragma once

#include <QByteArray>
#include <QString>

namespace ui::theme {

// Empty if it was written; otherwise why not. A full disk leaves the old file.
QString writeWhole(const QString& file, const QByteArray& bytes);

// Makes a folder of the program's own, with those above it, for the user alone. False if it cannot be made.
bool makePrivateFolder(const QString& folder);

} // namespace ui::theme
