// Command lines as words, and back: analyser/session/shell_line.h for Qt's strings.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace ui::shell {

// As a POSIX shell splits it: quotes ' and ", backslashes. nullopt if a quote does not end.
std::optional<QStringList> splitShellWords(const QString& line);
// One line that a POSIX shell and splitShellWords() read as the same words, for terminals and for fields that take words.
QString shellLine(const QStringList& words);

// Whether an option of `tilescope-cli run` has no value; all other options are followed by their value.
bool isRunFlag(const QString& option);
// Options of it that name a file or folder to write.
const QStringList& runOutputs();
inline bool isRunOutput(const QString& option) { return runOutputs().contains(option); }

} // namespace ui::shell
