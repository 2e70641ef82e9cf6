#include "ui/window/sample_lessons.h"

#include "analyser/session/repeat.h"
#include "analyser/session/session.h"
#include "ui/runs/cli_call.h"
#include "ui/runs/field_names.h"

#include <QJsonObject>

#include <array>
#include <utility>

namespace ui::shell {

namespace {

// Leaves out steps without a valid location, and reports from locations: a step never leads to another report.
Lesson lessonFrom(const QJsonObject& sample) {
  Lesson lesson{sample.value("name").toString(), sample.value("title").toString(), {}};
  for (const QJsonValue value : sample.value("lesson").toArray()) {
    const QJsonObject step = value.toObject();
    std::optional<ViewLink> place = parseLink(step.value("place").toString());
    if (!place || place->place.view.isEmpty()) continue;
    place->reports.clear(), place->ids.clear();
    lesson.steps.push_back({withFieldNames(step.value("text").toString()), std::move(*place)});
  }
  return lesson;
}

analyser::Repeat repeatOf(const analyser::Session& report) {
  return analyser::repeatOf(report.metadata("command_line"), report.metadata("workload"));
}

// Options that do not change the default run, with the value for which this holds; an empty value stands for any.
constexpr std::array<std::pair<const char*, const char*>, 5> kSameRun{
    {{"--machine", "gc200"}, {"--ipus", ""}, {"--precision", "fp32"}, {"--iterations", "1"}, {"--seed", ""}}};

} // namespace

void SampleLessons::prepare() {
  if (std::exchange(m_isAsked, true)) return;
  auto* call = new CliCall(
      {"samples", "--json"},
      [this](const QJsonDocument& answer) {
        for (const QJsonValue value : answer.array())
          if (Lesson lesson = lessonFrom(value.toObject()); !lesson.steps.empty()) m_lessons[lesson.sample] = std::move(lesson);
        emit changed();
      },
      [](const reports::Error&) {}, this); // Home and Run report that the command line is missing
  call->endAfter(kListTime);
}

const Lesson* SampleLessons::find(const QString& sample) const {
  const auto found = m_lessons.find(sample);
  return found == m_lessons.end() ? nullptr : &*found;
}

QString sampleOf(const analyser::Session& report) {
  const std::string graph = repeatOf(report).graph, name = report.metadata("workload");
  if (graph.empty() || graph.ends_with(".onnx") || graph.find_first_of("/\\:.") != std::string::npos) return {};
  return QString::fromStdString(name);
}

bool hasOwnSettings(const analyser::Session& report) {
  const analyser::Repeat repeat = repeatOf(report);
  if (!repeat.reading.empty()) return true;
  for (auto word = repeat.options.begin(); word != repeat.options.end(); ++word) {
    if (*word == "--no-numbers") continue;
    const auto same = std::find_if(kSameRun.begin(), kSameRun.end(), [&](const auto& option) { return *word == option.first; });
    if (same == kSameRun.end() || ++word == repeat.options.end()) return true;
    if (*same->second && *word != same->second) return true;
  }
  return false;
}

} // namespace ui::shell
