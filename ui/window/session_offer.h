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
  // Offers the sessions. `before` is a message in front of the offer, or shown alone if there is nothing to offer; may be empty.
  void make(const QString& before);
  // Drops the offered sessions. Call when something is open in this window.
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
