#include "ui/window/other_places.h"

#include "ui/runs/cli_call.h"
#include "ui/state/settings.h"
#include "ui/window/manual.h"

#include <QFileInfo>
#include <QJsonObject>

namespace ui::shell {

namespace {
constexpr std::size_t kMostOfEach = 4;
constexpr qsizetype kLeastLetters = 2;
} // namespace

OtherPlaces::OtherPlaces(const Settings& settings, QObject* parent) : QObject(parent), m_settings(settings) {}

void OtherPlaces::prepare() {
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
      [](const reports::Error&) {}, this); // Home and Run say that the command line is missing
  call->endAfter(kListTime);
}

std::vector<Command> OtherPlaces::find(const QString& typed) {
  std::vector<Command> list;
  if (typed.trimmed().size() < kLeastLetters) return list;
  for (const QStringList& files : m_settings.recent()) {
    QStringList names;
    for (const QString& file : files) names.append(QFileInfo(file).fileName());
    const QString name = names.join(QStringLiteral("  ↔  "));
    if (matchScore(typed, name) < 0) continue;
    if (list.size() == kMostOfEach) break;
    list.push_back({name, tr("recent · %1").arg(QFileInfo(files.value(0)).path()), "recent", {}, [this, files] {
                      emit openRequested(files);
                    }});
  }
  const std::size_t reports = list.size();
  for (const Sample& sample : m_samples)
    if (list.size() - reports < kMostOfEach && (matchScore(typed, sample.name) >= 0 || matchScore(typed, sample.title) >= 0))
      list.push_back(
          {tr("Run %1").arg(sample.name), sample.title, "play", {}, [this, name = sample.name] { emit runRequested(name); }});
  return list;
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
