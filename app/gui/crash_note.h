// A window that crashes leaves a log of its messages, and a note that says where it crashed. Both are in one folder:
//   tilescope.log         messages with their times; begins anew, and keeps the last one as tilescope.log.1, at 1 MiB
//   crash-<time>.txt      the signal, the reports, the view, what was done last (crash_trail.h), and the functions that were running;
//                         the next window shows its path once
#pragma once

#include <QString>

namespace app::gui {

class CrashNote {
public:
  // Sends Qt's messages to the log (and to stderr, as before) and writes a note when a signal ends the program. If the folder
  // cannot be made, neither is written. One object at a time.
  explicit CrashNote(const QString& folder);
  ~CrashNote(); // ends both
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

  // ~/.local/share/tilescope/log, or as the desktop says.
  static QString standardFolder();

  // The newest note that no window has shown yet; empty if there is none. Marks it as shown: the next call does not return it.
  QString takeLast() const;

private:
  QString m_folder;
};

// A sentence for the next window: when it was, and where the note is.
QString crashText(const QString& note);

} // namespace app::gui
