#include "ui/views/summary/summary_texts.h"

#include "analyser/session/format.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/track_source.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <map>

namespace ui::summary {

using analyser::summary::Summary;
using theme::reportText;

namespace {
constexpr std::string_view kParameter = "parameter.", kPass = "pass.", kModel = "model.", kTag = "tag.";

std::optional<QString> nameAfter(std::string_view prefix, const std::string& key) {
  if (!key.starts_with(prefix)) return std::nullopt;
  return reportText(key.substr(prefix.size()));
}
constexpr std::string_view kMachine = "machine.", kRate = "_bytes_per_second";

// "machine.exchange_bytes_per_second"
bool isRate(const std::string& key) { return key.starts_with(kMachine) && key.ends_with(kRate); }
QString rateName(const std::string& key) {
  static const std::map<std::string, QString> kNames{{"link", QObject::tr("IPU-Link")},
                                                     {"memory", QObject::tr("Tile memory")},
                                                     {"streaming_memory", QObject::tr("Streaming memory")}};
  const std::string name = key.substr(kMachine.size(), key.size() - kMachine.size() - kRate.size());
  if (const auto known = kNames.find(name); known != kNames.end()) return known->second;
  QString title = reportText(name).replace('_', ' ');
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}
} // namespace

QString metadataTitle(const std::string& key) {
  static const std::map<std::string, QString> kTitles{
      {"command_line", QObject::tr("Command")},        {"created_utc", QObject::tr("Made")},
      {"working_directory", QObject::tr("Run in")},    {"micro_batches", QObject::tr("Micro-batches")},
      {"has_numbers", QObject::tr("Values computed")}, {"complete", QObject::tr("Complete")}};
  if (const auto known = kTitles.find(key); known != kTitles.end()) return known->second;
  if (isRate(key))
    return key == "machine.link_bytes_per_second" ? QObject::tr("%1 bandwidth to a neighbour").arg(rateName(key))
                                                  : QObject::tr("%1 bandwidth per IPU").arg(rateName(key));
  if (const auto name = nameAfter(kModel, key)) return QObject::tr("Model file: %1").arg(QString(*name).replace('_', ' '));
  if (const auto name = nameAfter("option.", key)) return QObject::tr("Option %1").arg(QString(*name).replace('-', ' '));
  if (const auto name = tagName(key)) return QObject::tr("Tag %1").arg(*name);
  QString title = reportText(key).replace('_', ' ');
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

QString firedPasses(const Summary& s) {
  QStringList fired;
  bool any = false;
  for (const auto& [key, value] : s.metadata) {
    if (!key.starts_with(kPass)) continue;
    any = true;
    if (value != "0") fired << QStringLiteral("%1 %2").arg(reportText(value), reportText(key.substr(kPass.size())));
  }
  return !fired.isEmpty() ? fired.join(QStringLiteral(", ")) : any ? QObject::tr("nothing") : QString();
}

QString metadataText(const std::string& key, const std::string& value) {
  if (key == "has_numbers" || key == "complete") return value == "1" ? QObject::tr("yes") : QObject::tr("no");
  if (key == "created_utc") return reportText(value).replace('T', ' ').replace('Z', QObject::tr(" UTC"));
  if (isRate(key))
    if (const double rate = reportText(value).toDouble(); rate > 0)
      return rate >= 1e12  ? theme::significant(rate / 1e12) + QObject::tr(" TB/s")
             : rate >= 1e9 ? theme::significant(rate / 1e9) + QObject::tr(" GB/s")
                           : theme::significant(rate / 1e6) + QObject::tr(" MB/s");
  return reportText(value);
}

std::optional<QString> parameterName(const std::string& key) { return nameAfter(kParameter, key); }
std::optional<QString> tagName(const std::string& key) { return nameAfter(kTag, key); }

bool isLeftToOthers(const std::string& key, const std::string& value) {
  constexpr std::string_view kLeft[] = {"accumulation", "heads", "hidden", "layers"};
  return value == "0" && key.starts_with(kParameter) &&
         std::find(std::begin(kLeft), std::end(kLeft), std::string_view(key).substr(kParameter.size())) != std::end(kLeft);
}

QString runTitle(const std::string& name) {
  const QString asReported = reportText(name), title = shell::sliceTitle(name);
  return title == asReported ? QObject::tr("Run %1").arg(title).trimmed() : title;
}

void removeEmpty(std::vector<shell::Fact>& facts) {
  std::erase_if(facts, [](const shell::Fact& fact) { return fact.value.trimmed().isEmpty(); });
  for (shell::Fact& fact : facts)
    if (fact.name.trimmed().isEmpty()) fact.name = QObject::tr("(no name)");
}

void boundFacts(std::vector<shell::Fact>& facts, const QString& table) {
  constexpr std::size_t kMostFacts = 200; // per card: every line is a widget
  if (facts.size() <= kMostFacts) return;
  const auto left = int64_t(facts.size() - kMostFacts);
  facts.resize(kMostFacts);
  facts.push_back({QObject::tr("and more"), QObject::tr("%1 entries are not shown").arg(theme::count(left)),
                   QObject::tr("The view Query lists all of them: SELECT * FROM %1").arg(table), false});
}

bool isOfTheRun(const std::string& key) {
  constexpr std::string_view kKeys[] = {
      "pipeline_stages", "micro_batches", "batches_per_step", "replicas",         "recomputation", "offload", "sharded_state",
      "kept_in_fp16",    "overlap_io",    "io_tiles",         "available_memory", "linear_bytes",  "plans"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}
bool isPass(const std::string& key) { return key.starts_with(kPass); }
bool isOfTheFile(const std::string& key) { return key == "provenance" || key == "page_checksums" || key == "complete"; }

namespace {
analyser::Sentence withoutStop(const analyser::Sentence& sentence) {
  analyser::Sentence open;
  for (std::size_t i = 0; i < sentence.parts().size(); ++i) {
    const auto* words = std::get_if<std::string>(&sentence.parts()[i]);
    if (i + 1 == sentence.parts().size() && words && words->ends_with('.'))
      open << words->substr(0, words->size() - 1);
    else
      open << sentence.parts()[i];
  }
  return open;
}
} // namespace

analyser::Sentence verdictWithTime(const Summary& s) {
  if (s.cycles.total <= reports::Cycles()) return s.verdict;
  // The headline shows two clauses: whether it fits and how long it runs, or by how much it does not fit.
  const int before = s.outOfMemory ? 2 : 1;
  analyser::Sentence verdict = shell::firstClauses(s.verdict, before), time;
  const analyser::Sentence rest = shell::laterClauses(s.verdict, before);
  if (s.runs.size() > 1)
    time << int64_t(s.runs.size()) << (s.outOfMemory ? " runs would take " : " runs take ");
  else
    time << (s.outOfMemory ? "would run in " : "runs in ");
  time << s.cycles.total << ", " << analyser::Sentence::Percent{ratio(s.cycles.compute, s.cycles.total)} << " of the run compute";
  verdict = withoutStop(verdict);
  (verdict << "; ").append(time);
  return rest.empty() ? verdict << "." : (verdict << "; ").append(rest);
}

QString tileTitle(const analyser::Machine& machine, reports::TileId tile) {
  const QString title = QObject::tr("Tile %1").arg(tile.value());
  return machine.ipus > 1 ? QObject::tr("%1, IPU %2").arg(title).arg(int(tile.value()) / std::max(1, machine.tilesPerIpu))
                          : title;
}

std::vector<shell::Fact> programFacts(const Summary& s, const theme::Format& f) {
  constexpr std::size_t kRuns = 4; // rows shown at most
  std::vector<shell::Fact> program{{QObject::tr("Workload"), reportText(s.identity.title), {}, false, true}};
  for (std::size_t i = 0; i < std::min(kRuns, s.runs.size()); ++i)
    program.push_back({runTitle(s.runs[i].name), f.cycles(s.runs[i].cycles.total), f.cyclesExact(s.runs[i].cycles.total), false});
  if (s.runs.size() > kRuns)
    program.push_back({QObject::tr("and more"),
                       theme::plural(int64_t(s.runs.size() - kRuns), QObject::tr("run"), QObject::tr("runs")),
                       {},
                       false});
  if (!s.precision.empty()) program.push_back({QObject::tr("Precision"), reportText(s.precision), {}, false});
  for (const auto& [key, value] : s.metadata)
    if (isOfTheRun(key)) program.push_back({metadataTitle(key), metadataText(key, value), {}, false});
  if (const QString fired = firedPasses(s); !fired.isEmpty()) program.push_back({QObject::tr("Fused"), fired, {}, false, true});
  removeEmpty(program);
  return program;
}

std::vector<shell::Fact> cutFacts(const LayersByIpu& layers) {
  constexpr std::size_t kMost = 8; // IPUs
  std::vector<shell::Fact> facts;
  if (layers.size() < 2) return facts; // layers are split over all IPUs, or there is only one
  for (const auto& [ipu, names] : layers) {
    if (facts.size() == kMost) {
      facts.push_back(
          {QObject::tr("and more"),
           QObject::tr("%1 IPUs; Operations lists each, with rows by IPU").arg(theme::count(int64_t(layers.size() - kMost))),
           {},
           false,
           true});
      break;
    }
    facts.push_back(
        {QObject::tr("On IPU %1").arg(ipu.value()), reportText(analyser::operations::layerWords(names)), {}, false, true});
  }
  removeEmpty(facts);
  return facts;
}

std::vector<shell::Fact> machineFacts(const Summary& s, const theme::Format& f) {
  const auto n = [](int64_t v) { return theme::count(v); };
  const auto& m = s.machine;
  std::vector<shell::Fact> sheet{
      {QObject::tr("Machine"), reportText(m.title.empty() ? m.name : m.title), {}, false},
      {QObject::tr("IPUs"), n(m.ipus), {}, false},
      {QObject::tr("Tiles"), QObject::tr("%1 (%2 per IPU)").arg(n(m.tiles()), n(m.tilesPerIpu)), {}, false},
      {QObject::tr("Workers per tile"), n(m.workersPerTile), {}, false},
      {QObject::tr("Memory per tile"), f.bytes(m.memoryPerTile), f.bytesExact(m.memoryPerTile), false},
      {QObject::tr("Total memory"), f.bytes(m.totalMemory()), f.bytesExact(m.totalMemory()), false},
      {QObject::tr("Clock"),
       m.clockHz > 0 ? theme::significant(double(m.clockHz) / 1e9) + QObject::tr(" GHz") : QObject::tr("unknown"),
       QObject::tr("%1 Hz").arg(n(m.clockHz)), false}};
  for (const auto& p : s.peaks) {
    QString rate = reportText(analyser::formatRate(p.peak, p.unit));
    if (m.ipus > 1) rate += p.isPerIpu ? QObject::tr(" per IPU") : QObject::tr(" for all %1 IPUs").arg(n(m.ipus));
    const QString use =
        p.shareWhileBusy ? QObject::tr("%1, %2 used while its steps run").arg(rate, theme::percent(*p.shareWhileBusy)) : rate;
    const QString whole =
        p.share ? QObject::tr("Averaged over the whole time of the runs, %1 of the peak is used").arg(theme::percent(*p.share))
                : QString();
    sheet.push_back({QObject::tr("%1, peak").arg(reportText(p.title)), use, whole, false, true});
  }
  return sheet;
}

} // namespace ui::summary
