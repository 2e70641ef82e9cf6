// Files that are written whole or stay as they were.
#pragma once

#include <QByteArray>
#include <QString>

namespace ui::theme {

// Empty if it was written; otherwise why not. A full disk leaves the old file.
QString writeWhole(const QString& file, const QByteArray& bytes);

} // namespace ui::theme
