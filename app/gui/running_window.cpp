#include "app/gui/running_window.h"

#include "ui/state/view_link.h"

#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalServer>
#include <QLocalSocket>
#include <QLockFile>
#include <QStandardPaths>

#include <unistd.h>

namespace app::gui {

namespace {

constexpr qint64 kMostBytes = 1 << 20; // of a request
constexpr int kStaleLockMs = 10'000;   // milliseconds; a start takes less time
const QByteArray kTaken = "taken\n";

// A request is one line.
QByteArray lineOf(const Destination& d) {
  const QJsonObject object{{QStringLiteral("reports"), QJsonArray::fromStringList(d.reports)},
                           {QStringLiteral("view"), d.view},
                           {QStringLiteral("at"), d.at},
                           {QStringLiteral("asked"), d.isAsked}};
  return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

// Another program may write anything: only a valid request is accepted.
std::optional<Destination> destinationFrom(const QByteArray& line) {
  const QJsonDocument document = QJsonDocument::fromJson(line);
  if (!document.isObject()) return std::nullopt;
  Destination d;
  for (const QJsonValue& report : document[QStringLiteral("reports")].toArray())
    if (report.isString()) d.reports << report.toString();
  d.view = document[QStringLiteral("view")].toString();
  d.at = document[QStringLiteral("at")].toString();
  d.isAsked = document[QStringLiteral("asked")].toBool();
  if (d.reports.size() > ui::shell::kMostReports || (!d.at.isEmpty() && !ui::shell::parseLink(d.at))) return std::nullopt;
  return d;
}

bool isOurs(const QString& socket) {
  const QFileInfo info(socket);
  return !info.exists() || info.ownerId() == ::getuid();
}

} // namespace

RunningWindow::RunningWindow(const QString& socket) : m_socket(socket) {}

RunningWindow::~RunningWindow() = default;

QString RunningWindow::standardSocket() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
  // An invisible window must not take reports from others.
  const QString platform = QGuiApplication::platformName();
  if (folder.isEmpty() || platform == QStringLiteral("offscreen") || platform == QStringLiteral("minimal")) return {};
  // A session on another display has a separate window.
  const QByteArray display = platform.toUtf8() + '\n' + qgetenv("WAYLAND_DISPLAY") + '\n' + qgetenv("DISPLAY");
  const QByteArray key = QCryptographicHash::hash(display, QCryptographicHash::Sha1).toHex().left(12);
  return folder + QStringLiteral("/tilescope-") + QString::fromLatin1(key);
}

RunningWindow::Start RunningWindow::begin(const Destination& destination, int patienceMs) {
  if (m_socket.isEmpty() || !isOurs(m_socket)) return Start::First;
  // The lock ensures that, of two simultaneous starts, one listens before the other connects.
  QLockFile lock(m_socket + QStringLiteral(".lock"));
  lock.setStaleLockTime(kStaleLockMs);
  if (!lock.tryLock(patienceMs)) return lock.error() == QLockFile::LockFailedError ? Start::NoAnswer : Start::First;
  const Start start = handOver(destination, patienceMs);
  if (start == Start::First) listen();
  return start;
}

bool RunningWindow::listenIfFree(int patienceMs) {
  if (m_socket.isEmpty() || !isOurs(m_socket)) return false;
  QLockFile lock(m_socket + QStringLiteral(".lock"));
  lock.setStaleLockTime(kStaleLockMs);
  if (!lock.tryLock(patienceMs)) return false;
  QLocalSocket socket;
  socket.connectToServer(m_socket);
  if (socket.waitForConnected(patienceMs)) return false;
  const auto error = socket.error();
  if (error != QLocalSocket::ServerNotFoundError && error != QLocalSocket::ConnectionRefusedError) return false;
  listen();
  return true;
}

RunningWindow::Start RunningWindow::handOver(const Destination& destination, int patienceMs) const {
  const QDeadlineTimer end(patienceMs);
  QLocalSocket socket;
  socket.connectToServer(m_socket);
  if (!socket.waitForConnected(patienceMs)) {
    const auto error = socket.error(); // refused: the window's process has ended
    return error == QLocalSocket::ServerNotFoundError || error == QLocalSocket::ConnectionRefusedError ? Start::First
                                                                                                       : Start::NoAnswer;
  }
  socket.write(lineOf(destination));
  QByteArray answer;
  while (!answer.endsWith('\n') && !end.hasExpired()) {
    if (socket.bytesToWrite() > 0) socket.waitForBytesWritten(int(end.remainingTime()));
    if (!socket.waitForReadyRead(int(end.remainingTime()))) break;
    answer += socket.readAll();
  }
  return answer == kTaken ? Start::HandedOver : Start::NoAnswer;
}

void RunningWindow::listen() {
  m_server = new QLocalServer(this);
  m_server->setSocketOptions(QLocalServer::UserAccessOption);
  QLocalServer::removeServer(m_socket);
  if (!m_server->listen(m_socket))
    qWarning("Other starts will open windows of their own: %s", qPrintable(m_server->errorString()));
  connect(m_server, &QLocalServer::newConnection, this, [this] {
    while (QLocalSocket* client = m_server->nextPendingConnection()) serve(*client);
  });
}

void RunningWindow::serve(QLocalSocket& client) {
  connect(&client, &QLocalSocket::disconnected, &client, &QObject::deleteLater);
  const auto read = [this, &client] {
    if (client.bytesAvailable() > kMostBytes) return client.abort();
    if (!client.canReadLine()) return;
    const auto destination = destinationFrom(client.readLine(kMostBytes));
    if (!destination) return client.abort();
    client.write(kTaken);
    client.flush();
    client.disconnectFromServer();
    emit requested(*destination);
  };
  connect(&client, &QLocalSocket::readyRead, this, read);
  if (client.bytesAvailable() > 0) read();
}

} // namespace app::gui
