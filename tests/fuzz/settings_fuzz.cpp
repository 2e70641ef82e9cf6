// The files that the window reads at its start and keeps beside reports: settings, links (also of `--at`), lists of bookmarks, past runs.
// The first byte says which: S, L, B or H. Any bytes give defaults, a value or an Error; what was read and written is read again as the
// same.
#include "reports/core/error.h"
#include "tests/fuzz/scratch_file.h"
#include "ui/runs/run_history.h"
#include "ui/state/bookmarks.h"
#include "ui/state/settings.h"
#include "ui/state/view_link.h"

#include <QFile>

#include <cstdlib>

using namespace ui::shell;

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void readSettings(const fuzz::ScratchFolder& folder, std::span<const uint8_t> bytes) {
  const QString file = QString::fromStdString(folder.write("settings.ini", bytes).string());
  QList<QStringList> recent;
  {
    Settings settings(file);
    require(settings.scheme() <= ui::theme::Scheme(2) && settings.units().memory <= ui::theme::MemoryUnit(2));
    require(settings.recentCount() >= 1 && settings.recentCount() <= Settings::kMostRecent);
    settings.pointSize(), settings.railFolded(), settings.geometry(), settings.endedSessions(), settings.remembersPlaces();
    settings.value("run/machine").toString();
    for (const QStringList& files : settings.recent()) require(!files.isEmpty());
    settings.addRecent({"/reports/new.tsr"});
    recent = settings.recent();
    require(!recent.isEmpty() && recent.size() <= Settings::kMostRecent && recent[0] == QStringList("/reports/new.tsr"));
  }
  require(Settings(file).recent() == recent);
  QFile::remove(file);
}

void readLink(std::span<const uint8_t> bytes) {
  const auto link = parseLink(QString::fromUtf8(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())));
  if (!link) return;
  linkTitle(*link);
  if (const QString text = linkText(*link); text.size() < 90'000) { // parseLink refuses longer ones
    const auto again = parseLink(text);
    require(again && again->place == link->place && linkText(*again) == text);
  }
}

void readList(const fuzz::ScratchFolder& folder, std::span<const uint8_t> bytes) {
  const QString file = QString::fromStdString(folder.write("bookmarks.json", bytes).string());
  const auto bookmarks = readBookmarks(file);
  if (bookmarks.empty()) return;
  writeBookmarks(file, bookmarks);
  require(readBookmarks(file).size() <= bookmarks.size());
}

bool isSame(const ui::shell::PastRun& a, const ui::shell::PastRun& b) {
  return a.title == b.title && a.commandLine == b.commandLine && a.report == b.report && a.message == b.message &&
         a.startedUtc == b.startedUtc && a.outcome == b.outcome && a.seconds == b.seconds && a.name == b.name &&
         a.note == b.note && a.result == b.result;
}

void readHistory(const fuzz::ScratchFolder& folder, std::span<const uint8_t> bytes) {
  const QString file = QString::fromStdString(folder.write("history.json", bytes).string());
  ui::shell::RunHistory history(file);
  ui::shell::PastRun run;
  run.title = "resnet50";
  run.outcome = ui::shell::Outcome::Finished;
  history.add(run);
  const auto& written = history.runs();
  const ui::shell::RunHistory again(file);
  require(!again.runs().empty() && again.runs().size() <= written.size());
  for (std::size_t i = 0; i < again.runs().size(); ++i) // the newest are kept
    require(isSame(again.runs()[again.runs().size() - 1 - i], written[written.size() - 1 - i]));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  if (size == 0) return 0;
  const std::span rest(bytes + 1, size - 1);
  try {
    if (bytes[0] == 'S') readSettings(folder, rest);
    if (bytes[0] == 'L') readLink(rest);
    if (bytes[0] == 'B') readList(folder, rest);
    if (bytes[0] == 'H') readHistory(folder, rest);
  } catch (const reports::Error& error) {
    require(error.code() != reports::ErrorCode::Internal);
  }
  return 0;
}
