// What the program was at when it ends by a signal: the reports, the view, and the last things that were done. They are kept as plain
// letters in a fixed place, so that a signal handler may write them. Letters that are typed into a field are not kept.
#pragma once

#include <QObject>

namespace app::gui {

// Sees clicks, keys and shortcuts of the whole application while it lives.
class CrashTrail : public QObject {
  Q_OBJECT

public:
  explicit CrashTrail(QObject& application);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

void trailReports(const QStringList& files);
void trailView(const QString& view);
void trailAction(const QString& action);

// Only calls what a signal handler may call.
void writeTrail(int file);

} // namespace app::gui
