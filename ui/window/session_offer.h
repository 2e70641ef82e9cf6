// Offers to reopen the reports of the windows that ended last, each in a separate window.
#pragma once

#include <QObject>
#include <QStringList>

namespace ui::shell {

class MessageBar;
class OpenReports;
class Settings;

class SessionOffer : public QObject {
  Q_OBJECT

public:
  SessionOffer(Settings& settings, OpenReports& reports, MessageBar& message);
  // Says `before` first where it is not empty.
  void make(const QString& before);
  // Something is open here: the sessions that were offered are gone.
  void forget();

signals:
  void newWindowRequested(const QStringList& files);

private:
  Settings& m_settings;
  OpenReports& m_reports;
  MessageBar& m_message;
  QStringList m_offered; // sessions by their processes
};

} // namespace ui::shell
