// A window that crashes leaves a log of its messages, and a note about the crash. Both are in one folder:
//   tilescope.log      messages with their times; restarted at 1 MiB, with the previous one as tilescope.log.1
//   crash-<time>.txt   the signal, the reports, the view, the last actions (crash_trail.h), and the functions that were running;
//                      the next window shows its path once
#pragma once

#include <QString>

namespace app::gui {

class CrashNote {
public:
  // Sends Qt's messages to the log (and to stderr, as before) and writes a note if a signal ends the program. If the folder
  // cannot be made, neither is written. One object at a time.
  explicit CrashNote(const QString& folder);
  ~CrashNote(); // ends the log and the notes
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

  // ~/.local/share/tilescope/log, or the desktop's equivalent.
  static QString standardFolder();

  // The path of the newest note that no window has shown yet; empty if there is none. Marks the note as shown, so that it is
  // returned only once.
  QString takeLast() const;

private:
  QString m_folder;
};

// A sentence for the next window: the time of the crash, and the path of the note.
QString crashText(const QString& note);

} // namespace app::gui
