#include "app/gui/crash_note.h"

#include "app/gui/crash_trail.h"
#include "reports/core/sanitizers.h"
#include "ui/theme/whole_file.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace app::gui {

namespace {

constexpr qint64 kMostLog = 1 << 20; // bytes of the log
constexpr int kMostFrames = 64;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr auto kNamed = "seen-"; // prefix of a note that a window has shown

std::mutex logLock;
std::FILE* logFile = nullptr;
QtMessageHandler formerHandler = nullptr;

// Made before a crash, including the start time, because the handler must not allocate.
std::array<char, 4096> notePath{};
std::array<char, 256> noteHead{};

void logMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  static constexpr const char* kKinds[] = {"debug", "warning", "critical", "fatal", "info"};
  {
    const std::lock_guard lock(logLock);
    if (logFile) {
      const QByteArray line = QStringLiteral("%1 %2 %3\n")
                                  .arg(QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs), kKinds[int(type)], text)
                                  .toUtf8();
      std::fwrite(line.constData(), 1, std::size_t(line.size()), logFile);
      std::fflush(logFile);
    }
  }
  if (formerHandler && type != QtInfoMsg) formerHandler(type, context, text); // information is only written to the log
}

void put(int file, const char* text) {
  // If this fails, the note is missing: the handler can do nothing else.
  [[maybe_unused]] const ssize_t written = ::write(file, text, std::strlen(text));
}

const char* signalName(int number) {
  switch (number) {
  case SIGSEGV: return "SIGSEGV: an address that is not the program's";
  case SIGBUS: return "SIGBUS: a part of a file that is gone, or a wrong address";
  case SIGFPE: return "SIGFPE: a division by zero";
  case SIGILL: return "SIGILL: an instruction that this machine does not have";
  default: return "SIGABRT: the program gave up";
  }
}

void writeNote(int number) {
  const int file = ::open(notePath.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) {
    put(file, noteHead.data());
    put(file, "ended by ");
    put(file, signalName(number));
    put(file, "\n");
    writeTrail(file);
    put(file, "in\n");
    void* frames[kMostFrames];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, kMostFrames), file);
    ::close(file);
  }
  ::raise(number);
}

// On its own stack, because the program's stack may have overflowed. Sanitizers write better notes themselves.
void catchSignals() {
#if !TILESCOPE_ADDRESS_SANITIZER && !TILESCOPE_THREAD_SANITIZER && !TILESCOPE_MEMORY_SANITIZER
  static std::array<char, 65536> ownStack;
  stack_t stack{};
  stack.ss_sp = ownStack.data();
  stack.ss_size = ownStack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = writeNote;
  action.sa_flags = int(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int number : kSignals) ::sigaction(number, &action, nullptr);
#endif
}

void rotate(const QString& path) {
  if (QFileInfo(path).size() < kMostLog) return;
  QFile::remove(path + QStringLiteral(".1"));
  QFile::rename(path, path + QStringLiteral(".1"));
}

// Replaces "build/bin/tilescope(_ZN2ui4plot…+0x1c) [0x…]" by the function's name in the source. Runs in the next window, because
// the signal handler must not do this.
void nameFunctions(const QString& note) {
  QFile file(note);
  if (!file.open(QFile::ReadOnly)) return;
  const QString text = QString::fromUtf8(file.read(kMostLog));
  file.close();
  static const QRegularExpression kMangled(QStringLiteral("\\((_Z[A-Za-z0-9_.]+)"));
  QString named;
  qsizetype done = 0;
  for (auto at = kMangled.globalMatch(text); at.hasNext();) {
    const auto match = at.next();
    int status = 0;
    char* plain = abi::__cxa_demangle(match.captured(1).toLatin1().constData(), nullptr, nullptr, &status);
    named += text.mid(done, match.capturedStart(1) - done) + (plain ? QString::fromUtf8(plain) : match.captured(1));
    done = match.capturedEnd(1);
    std::free(plain);
  }
  if (done > 0 && file.open(QFile::WriteOnly | QFile::Truncate)) file.write((named + text.mid(done)).toUtf8());
}

} // namespace

QString CrashNote::standardFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/tilescope/log");
}

CrashNote::CrashNote(const QString& folder) : m_folder(folder) {
  if (!ui::theme::makePrivateFolder(folder)) return;
  const QString log = folder + QStringLiteral("/tilescope.log");
  rotate(log);
  logFile = std::fopen(QFile::encodeName(log).constData(), "ae");
  if (logFile) ::fchmod(::fileno(logFile), 0600); // the log names reports and folders of the user
  formerHandler = qInstallMessageHandler(logMessage);
  const QString now = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const QByteArray path = QFile::encodeName(QStringLiteral("%1/crash-%2-%3.txt").arg(folder, now).arg(::getpid()));
  if (std::size_t(path.size()) >= notePath.size()) return;
  std::memcpy(notePath.data(), path.constData(), std::size_t(path.size()) + 1);
  std::snprintf(noteHead.data(), noteHead.size(), "Tilescope %s, started %s UTC, process %d\n", TILESCOPE_VERSION,
                qPrintable(now), int(::getpid()));
  void* frame[1];
  ::backtrace(frame, 1); // the first call loads libraries, which the handler must not do
  catchSignals();
}

CrashNote::~CrashNote() {
  for (const int number : kSignals) std::signal(number, SIG_DFL);
  qInstallMessageHandler(formerHandler);
  formerHandler = nullptr;
  const std::lock_guard lock(logLock);
  if (logFile) std::fclose(logFile);
  logFile = nullptr;
}

QString CrashNote::takeLast() const {
  const QDir folder(m_folder);
  QString newest;
  for (const QString& name : folder.entryList({QStringLiteral("crash-*.txt")}, QDir::Files, QDir::Name)) {
    const QString seen = kNamed + name;
    QFile::remove(folder.filePath(seen));
    if (QFile::rename(folder.filePath(name), folder.filePath(seen))) newest = folder.filePath(seen);
  }
  if (!newest.isEmpty()) nameFunctions(newest);
  return newest;
}

QString crashText(const QString& note) {
  return QObject::tr("Tilescope crashed on %1. %2 says where; please send it with a description of what you did.")
      .arg(QFileInfo(note).lastModified().toString(QStringLiteral("yyyy-MM-dd HH:mm")), QDir::toNativeSeparators(note));
}

} // namespace app::gui
