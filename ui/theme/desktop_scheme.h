// Whether the desktop is dark, as its portal says and as it changes: the interface org.freedesktop.portal.Settings,
// key color-scheme of org.freedesktop.appearance (0 no preference, 1 dark, 2 light). Qt asks for it from 6.5 on.
#pragma once

#include <QDBusConnection>
#include <QDBusVariant>
#include <QObject>

#include <functional>
#include <optional>

namespace ui::theme {

// Calls `changed` later, from the event loop: with the current scheme and at each change, with nullopt for "no preference".
// Without a portal it is never called.
class DesktopScheme : public QObject {
  Q_OBJECT

public:
  using Changed = std::function<void(std::optional<bool> dark)>;
  DesktopScheme(QDBusConnection bus, Changed changed, QObject* parent = nullptr);
  // The session's bus. If there is none, a closed connection: this program must not start a bus.
  static QDBusConnection sessionBus();

private slots:
  void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
  void take(const QVariant& value);

  Changed m_changed;
};

} // namespace ui::theme
