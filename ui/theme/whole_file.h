// Files that are written whole or stay unchanged.
#pragma once

#include <QByteArray>
#include <QString>

#include <stop_token>

namespace ui::theme {

// Empty if the file was written; otherwise the reason. A full disk leaves the old file.
QString writeWhole(const QString& file, const QByteArray& bytes);

// Copies a file. Empty if the copy was written; otherwise the reason. An old file of the name `to` stays if the copy fails or is
// stopped.
QString copyWhole(const QString& from, const QString& to, const std::stop_token& stop = {});

// Makes a folder of the program and its parents, accessible only to the user. False if it cannot be made.
bool makePrivateFolder(const QString& folder);

} // namespace ui::theme
