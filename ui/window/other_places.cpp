#include "ui/window/other_places.h"

#include "ui/runs/cli_call.h"
#include "ui/state/settings.h"
#include "ui/window/manual.h"

#include <QFileInfo>
#include <QJsonObject>
#include <QRegularExpression>

namespace ui::shell {

namespace {
constexpr std::size_t kMostOfEach = 4;
constexpr qsizetype kLeastLetters = 2;
} // namespace

OtherPlaces::OtherPlaces(const Settings& settings, QObject* parent) : QObject(parent), m_settings(settings) {}

void OtherPlaces::prepare() {
  const QDateTime written = QFileInfo(runsFolder() + QStringLiteral("/history.json")).lastModified();
  if (!written.isValid() || written != m_historyChanged) { // reads only a changed file, because it can be large
    const RunHistory history;
    m_runs.assign(history.runs().rbegin(), history.runs().rend());
    m_historyChanged = written;
  }
  if (std::exchange(m_asked, true)) return;
  auto* call = new CliCall(
      {"samples", "--json"},
      [this](const QJsonDocument& answer) {
        for (const QJsonValue value : answer.array()) {
          const QJsonObject sample = value.toObject();
          m_samples.push_back({sample.value("name").toString(), sample.value("title").toString()});
        }
        emit changed();
      },
      [](const reports::Error&) {}, this); // Home and Run report that the command line is missing
  call->endAfter(kListTime);
}

std::vector<Command> OtherPlaces::find(const QString& typed) {
  std::vector<Command> list;
  if (typed.trimmed().size() < kLeastLetters) return list;
  QStringList listed;
  for (const QStringList& files : m_settings.recent()) {
    QStringList names;
    for (const QString& file : files) names.append(QFileInfo(file).fileName());
    const QString name = names.join(QStringLiteral("  ↔  "));
    if (matchScore(typed, name) < 0) continue;
    if (list.size() == kMostOfEach) break;
    if (files.size() == 1) listed.append(files);
    list.push_back({name, tr("recent · %1").arg(QFileInfo(files.value(0)).path()), "recent", {}, [this, files] {
                      emit openRequested(files);
                    }});
  }
  addRuns(list, typed, listed);
  const std::size_t others = list.size();
  for (const Sample& sample : m_samples)
    if (list.size() - others < kMostOfEach && (matchScore(typed, sample.name) >= 0 || matchScore(typed, sample.title) >= 0))
      list.push_back(
          {tr("Run %1").arg(sample.name), sample.title, "play", {}, [this, name = sample.name] { emit runRequested(name); }});
  return list;
}

// A run without a report has nothing to open.
void OtherPlaces::addRuns(std::vector<Command>& list, const QString& typed, const QStringList& listed) {
  const std::size_t before = list.size();
  for (const PastRun& run : m_runs) {
    if (list.size() - before == kMostOfEach) break;
    if (listed.contains(run.report)) continue;
    if (matchScore(typed, QStringList{run.shownName(), run.tags, run.note}.join(' ')) < 0 || !QFileInfo(run.report).isFile())
      continue;
    const QString more =
        QStringList{run.tags, run.note}.filter(QRegularExpression(QStringLiteral("."))).join(QStringLiteral(" · "));
    list.push_back(
        {run.shownName(), more.isEmpty() ? tr("run") : tr("run · %1").arg(more), "recent", {}, [this, report = run.report] {
           emit openRequested({report});
         }});
  }
}

std::vector<Command> OtherPlaces::findHelp(const QString& typed) {
  std::vector<Command> list;
  if (typed.trimmed().size() <= kLeastLetters) return list;
  const auto& chapters = manualChapters();
  for (const int chapter : searchManual(typed)) {
    if (list.size() == kMostOfEach) break;
    list.push_back(
        {chapters[std::size_t(chapter)].title, tr("manual"), "help", {}, [this, chapter] { emit chapterRequested(chapter); }});
  }
  return list;
}

} // namespace ui::shell
