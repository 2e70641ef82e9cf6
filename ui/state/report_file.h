// A report as the window knows it: the name of its file, which may be on another computer, and its session once it is open.
#pragma once

#include <QFileInfo>

#include <memory>

namespace analyser {
class Session;
}

namespace ui::shell {

using SessionPointer = std::shared_ptr<analyser::Session>;

inline constexpr int kMostReports = 8; // open at the same time: A, B, and further ones in columns and small multiples

inline const QString kRemoteScheme = QStringLiteral("ssh://"); // ssh://[user@]host[:port]/path

inline bool isRemoteFile(const QString& file) { return file.startsWith(kRemoteScheme); }
// The absolute path; a name on another computer is unchanged.
inline QString wholeName(const QString& file) { return isRemoteFile(file) ? file : QFileInfo(file).absoluteFilePath(); }

} // namespace ui::shell
