// The window follows the desktop's scheme as its portal tells it: a bus of the test's own, with a portal of its own.
#include "ui/theme/desktop_scheme.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using ui::theme::DesktopScheme;
using ui::theme::Scheme;
using ui::theme::Theme;

namespace {
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop"),
              kInterface = QStringLiteral("org.freedesktop.portal.Settings"),
              kGroup = QStringLiteral("org.freedesktop.appearance"), kKey = QStringLiteral("color-scheme");

class Portal : public QDBusVirtualObject {
public:
  uint scheme = 0;
  QString introspect(const QString&) const override { return {}; }
  bool handleMessage(const QDBusMessage& asked, const QDBusConnection& bus) override {
    if (asked.member() != QStringLiteral("Read") || asked.arguments() != QVariantList{kGroup, kKey}) return false;
    bus.send(asked.createReply(QVariant::fromValue(QDBusVariant(QVariant::fromValue(QDBusVariant(scheme))))));
    return true;
  }
};
} // namespace

class DesktopSchemeTest : public QObject {
  Q_OBJECT

  QProcess m_daemon;
  QString m_address;

private slots:
  void initTestCase() {
    if (QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty()) QSKIP("dbus-daemon is not installed");
    m_daemon.start(QStringLiteral("dbus-daemon"), {"--session", "--nofork", "--print-address"});
    QVERIFY(m_daemon.waitForStarted() && m_daemon.waitForReadyRead());
    m_address = QString::fromUtf8(m_daemon.readLine()).trimmed();
  }
  void cleanupTestCase() {
    m_daemon.kill();
    m_daemon.waitForFinished();
  }

  void theWindowFollowsThePortal() {
    QDBusConnection desktop = QDBusConnection::connectToBus(m_address, QStringLiteral("desktop"));
    QDBusConnection window = QDBusConnection::connectToBus(m_address, QStringLiteral("window"));
    QVERIFY(desktop.isConnected() && window.isConnected());
    Portal portal;
    portal.scheme = 1;
    QVERIFY(desktop.registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
    QVERIFY(desktop.registerVirtualObject(kPath, &portal));

    Theme theme;
    int changes = 0, told = 0;
    connect(&theme, &Theme::changed, this, [&] { ++changes; });
    const bool byPalette = theme.isDark();
    const DesktopScheme scheme(window, [&](std::optional<bool> dark) {
      ++told;
      theme.setDesktopDark(dark);
    });
    QTRY_VERIFY(theme.isDark());
    const auto say = [&](const QString& group, uint value) {
      QDBusMessage signal = QDBusMessage::createSignal(kPath, kInterface, QStringLiteral("SettingChanged"));
      signal << group << kKey << QVariant::fromValue(QDBusVariant(value));
      desktop.send(signal);
    };
    say(kGroup, 2);
    QTRY_VERIFY(!theme.isDark());
    say(QStringLiteral("org.gnome.desktop.interface"), 1); // the same key elsewhere is another setting
    say(kGroup, 0);                                        // no preference: as the palette says
    say(kGroup, 1);
    QTRY_VERIFY(theme.isDark());
    QCOMPARE(changes, byPalette ? 2 : 3);

    theme.setScheme(Scheme::Light); // what the user chose wins
    changes = told = 0;
    say(kGroup, 2);
    say(kGroup, 1);
    QTRY_COMPARE(told, 2);
    QVERIFY(!theme.isDark());
    QCOMPARE(changes, 0);
  }

  void withoutABusNothingIsAsked() {
    const DesktopScheme scheme(QDBusConnection(QStringLiteral("none")), [](std::optional<bool>) { QFAIL("no portal"); });
    QCoreApplication::processEvents();
  }
};

TILESCOPE_TEST(DesktopSchemeTest)
#include "desktop_scheme_test.moc"
