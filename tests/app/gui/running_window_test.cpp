// A second start meets a running window, a socket without a listener, a window that hangs, and invalid data.
#include "app/gui/running_window.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <future>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using app::gui::Destination;
using app::gui::RunningWindow;
using Start = RunningWindow::Start;

namespace {

constexpr int kPatienceMs = 5000, kLittlePatienceMs = 300;

// A socket like Qt's, as a killed or hanging process leaves it: connections are never accepted.
class DeafSocket {
public:
  explicit DeafSocket(const QString& path) : m_file(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray name = QFile::encodeName(path);
    memcpy(address.sun_path, name.constData(), std::min(sizeof address.sun_path - 1, std::size_t(name.size())));
    m_ok = ::bind(m_file, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::listen(m_file, 8) == 0;
  }
  ~DeafSocket() { close(); }
  bool ok() const { return m_ok; }
  void close() {
    if (m_file >= 0) ::close(m_file);
    m_file = -1;
  }

private:
  int m_file;
  bool m_ok = false;
};

} // namespace

class RunningWindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  int m_sockets = 0;
  QString newSocket() { return m_folder.filePath(QString::number(++m_sockets)); }
  // Acts as a second process while this one processes its events.
  static Start second(const QString& socket, const Destination& destination) {
    auto start = std::async(std::launch::async, [&] { return RunningWindow(socket).begin(destination, kPatienceMs); });
    while (start.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) QCoreApplication::processEvents();
    QCoreApplication::processEvents();
    return start.get();
  }

private slots:
  void aSecondStartIsHandedOver() {
    const QString socket = newSocket();
    RunningWindow window(socket);
    QSignalSpy asked(&window, &RunningWindow::requested);
    QCOMPARE(window.begin({}, kPatienceMs), Start::First);
    QVERIFY(!(QFileInfo(socket).permissions() & (QFile::ReadOther | QFile::WriteOther | QFile::ReadGroup | QFile::WriteGroup)));
    const Destination to{{"/reports/ä b.tsr", "ssh://host/c.tsr"}, "memory", "tilescope:?view=trace&tiles=3"};
    QCOMPARE(second(socket, to), Start::HandedOver);
    QCOMPARE(second(socket, {}), Start::HandedOver);
    QTRY_COMPARE(asked.count(), 2);
    QCOMPARE(asked[0][0].value<Destination>(), to);
    QCOMPARE(asked[1][0].value<Destination>(), Destination());
  }

  // A start with --size or --follow has a window of its own, which takes later reports if no other does.
  void aWindowOfItsOwnListensIfNobodyDoes() {
    const QString socket = newSocket();
    RunningWindow first(socket);
    QSignalSpy asked(&first, &RunningWindow::requested);
    QVERIFY(first.listenIfFree(kPatienceMs));
    auto other = std::async(std::launch::async, [&] { return RunningWindow(socket).listenIfFree(kPatienceMs); });
    while (other.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) QCoreApplication::processEvents();
    QVERIFY(!other.get());
    QCOMPARE(asked.count(), 0); // it was only looked for
    QCOMPARE(second(socket, {{"/a.tsr"}, {}, {}}), Start::HandedOver);
    QTRY_COMPARE(asked.count(), 1);
  }

  void aSocketOfADeadProcessIsReplaced() {
    const QString socket = newSocket();
    DeafSocket dead(socket);
    QVERIFY(dead.ok());
    dead.close();
    QVERIFY(QFileInfo::exists(socket));
    RunningWindow window(socket);
    QSignalSpy asked(&window, &RunningWindow::requested);
    QCOMPARE(window.begin({}, kPatienceMs), Start::First);
    QCOMPARE(second(socket, {{"/a.tsr"}, {}, {}}), Start::HandedOver);
    QTRY_COMPARE(asked.count(), 1);
  }

  void aWindowThatHangsIsNotWaitedForAndKeepsItsSocket() {
    const QString socket = newSocket();
    const DeafSocket deaf(socket);
    QVERIFY(deaf.ok());
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(RunningWindow(socket).begin({{"/a.tsr"}, {}, {}}, kLittlePatienceMs), Start::NoAnswer);
    QVERIFY2(timer.elapsed() < kPatienceMs, qPrintable(QString::number(timer.elapsed())));
    QLocalSocket again;
    again.connectToServer(socket);
    QVERIFY(again.waitForConnected(kPatienceMs));
  }

  void nonsenseIsRefusedAndTheWindowServesOn() {
    const QString socket = newSocket();
    RunningWindow window(socket);
    QSignalSpy asked(&window, &RunningWindow::requested);
    QCOMPARE(window.begin({}, kPatienceMs), Start::First);
    for (const QByteArray& line :
         {QByteArray("hello\n"), QByteArray("[1]\n"), QByteArray("{\"at\":\"no link\"}\n"),
          QByteArray("{\"reports\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}\n"), QByteArray(3 << 20, 'x')}) {
      QLocalSocket client;
      client.connectToServer(socket);
      QVERIFY(client.waitForConnected(kPatienceMs));
      client.write(line);
      QTRY_COMPARE(client.state(), QLocalSocket::UnconnectedState);
      QVERIFY(client.readAll().isEmpty());
    }
    QCOMPARE(asked.count(), 0);
    QCOMPARE(second(socket, {{"/a.tsr"}, {}, {}}), Start::HandedOver);
  }

  void withoutAFolderOrADisplayEveryWindowIsAlone() {
    QCOMPARE(RunningWindow::standardSocket(), QString()); // tests have no display
    QCOMPARE(RunningWindow(QString()).begin({}), Start::First);
    QCOMPARE(RunningWindow(m_folder.filePath("not/there")).begin({}, kLittlePatienceMs), Start::First);
  }

  void namesAreWholeForAnotherFolder() {
    const Destination whole =
        app::gui::wholeDestination({{"a.tsr", "ssh://host/c.tsr"}, "memory", "tilescope:?report=b.tsr&view=trace"});
    QCOMPARE(whole.reports, QStringList({QDir::current().absoluteFilePath("a.tsr"), "ssh://host/c.tsr"}));
    QVERIFY2(whole.at.contains(QDir::currentPath()), qPrintable(whole.at));
  }
};

TILESCOPE_TEST(RunningWindowTest)
#include "running_window_test.moc"
