// The reports, the view and the last actions, for the note of a crash. They are plain characters at fixed addresses, so that a
// signal handler can write them. Typed letters are not kept.
#pragma once

#include <QObject>

#include <utility>

class QKeyEvent;

namespace app::gui {

// Records clicks, keys and shortcuts of the whole application while it exists.
class CrashTrail : public QObject {
  Q_OBJECT

public:
  explicit CrashTrail(QObject& application);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void keepKey(const QKeyEvent& key, const QString& where);
  std::pair<quint64, int> m_lastPress; // its time and key
};

void trailReports(const QStringList& files);
void trailView(const QString& view);
void trailAction(const QString& action);

// Calls only functions that a signal handler may call.
void writeTrail(int file);

} // namespace app::gui
