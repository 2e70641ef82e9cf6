// Splits command lines into words and joins words, as analyser/session/shell_line.h, for Qt's strings.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace ui::shell {

// Splits as a POSIX shell does: quotes ' and ", backslashes. nullopt if a quote is not closed.
std::optional<QStringList> splitShellWords(const QString& line);
// One line that a POSIX shell and splitShellWords() split into the same words, for terminals and for fields of words.
QString shellLine(const QStringList& words);

// Whether an option of `tilescope-cli run` has no value; all other options are followed by a value.
bool isRunFlag(const QString& option);
// Options of `tilescope-cli run` that name a file or folder to write.
const QStringList& runOutputs();
inline bool isRunOutput(const QString& option) { return runOutputs().contains(option); }

} // namespace ui::shell
