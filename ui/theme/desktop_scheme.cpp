#include "ui/theme/desktop_scheme.h"

#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>

namespace ui::theme {

namespace {
const QString kService = QStringLiteral("org.freedesktop.portal.Desktop"),
              kPath = QStringLiteral("/org/freedesktop/portal/desktop"),
              kInterface = QStringLiteral("org.freedesktop.portal.Settings"),
              kGroup = QStringLiteral("org.freedesktop.appearance"), kKey = QStringLiteral("color-scheme");
} // namespace

DesktopScheme::DesktopScheme(QDBusConnection bus, Changed changed, QObject* parent)
    : QObject(parent), m_changed(std::move(changed)) {
  if (!bus.isConnected()) return;
  qDBusRegisterMetaType<QDBusVariant>(); // else connect() does not find a slot with a QDBusVariant
  // Listens to every sender: a connection to a named sender would block until the bus answers.
  bus.connect({}, kPath, kInterface, QStringLiteral("SettingChanged"), this,
              SLOT(settingChanged(QString, QString, QDBusVariant)));
  QDBusMessage read = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
  read << kGroup << kKey;
  auto* const answer = new QDBusPendingCallWatcher(bus.asyncCall(read), this);
  connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
    const QDBusPendingReply<QDBusVariant> reply = *answer;
    if (reply.isValid()) take(reply.value().variant());
    answer->deleteLater();
  });
}

QDBusConnection DesktopScheme::sessionBus() {
  const bool isThere = qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
                       QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
  return isThere ? QDBusConnection::sessionBus() : QDBusConnection(QStringLiteral("none"));
}

void DesktopScheme::settingChanged(const QString& group, const QString& key, const QDBusVariant& value) {
  if (group == kGroup && key == kKey) take(value.variant());
}

void DesktopScheme::take(const QVariant& value) {
  QVariant inner = value;
  // The method Read returns a variant inside a variant.
  while (inner.userType() == qMetaTypeId<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant();
  bool isNumber = false;
  const uint scheme = inner.toUInt(&isNumber);
  if (!isNumber) return;
  m_changed(scheme == 1 ? std::optional(true) : scheme == 2 ? std::optional(false) : std::nullopt);
}

} // namespace ui::theme
