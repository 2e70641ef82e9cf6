#include "analyser/host/waits.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace analyser::host {

std::optional<Waits> waitsOf(HostTimeline& timeline, std::stop_token stop) {
  const auto& runs = timeline.device().runs();
  const auto isImported = [](const Process& process) { return process.provenance == "imported"; };
  if (runs.size() < 2 || !std::all_of(timeline.processes().begin(), timeline.processes().end(), isImported)) return std::nullopt;
  Waits waits;
  std::unordered_map<uint32_t, WaitLabel> labels;
  WaitLabel nothing;
  int64_t end = runs.front().host.end; // of all runs so far, because the runs of two threads may overlap
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const trace::TickRange wait{end, runs[i].host.begin};
    end = std::max(end, runs[i].host.end);
    if (wait.empty()) continue;
    ++waits.waits;
    waits.idle += Nanoseconds(wait.size());
    int64_t covered = 0;
    std::set<uint32_t> seen; // to count a name once: the statistics have one entry per channel
    for (const auto& name : trace::statisticsByName(timeline.slices(), {runs[i].track}, wait, {}, stop)) {
      if (name.self <= 0) continue;
      WaitLabel& label = labels[name.name.value()];
      label.label = name.text, label.name = name.name;
      if (seen.insert(name.name.value()).second) ++label.count;
      label.total += Nanoseconds(name.self);
      covered += name.self;
    }
    if (covered < wait.size()) ++nothing.count, nothing.total += Nanoseconds(wait.size() - covered);
  }
  waits.span = Nanoseconds(end - runs.front().host.begin);
  for (auto& [name, label] : labels) waits.labels.push_back(std::move(label));
  if (nothing.count > 0) waits.labels.push_back(nothing);
  std::sort(waits.labels.begin(), waits.labels.end(),
            [](const WaitLabel& a, const WaitLabel& b) { return std::tie(b.total, a.label) < std::tie(a.total, b.label); });
  for (WaitLabel& label : waits.labels)
    label.share = waits.idle > Nanoseconds() ? double(label.total.value()) / double(waits.idle.value()) : 0;
  return waits;
}

Sentence wordsOf(const Waits& waits) {
  Sentence words;
  words << "The IPU waits " << Sentence::Percent{waits.share()} << " of " << waits.span;
  if (!waits.labels.empty() && waits.labels.front().label.empty())
    words << "; meanwhile the host recorded nothing for " << waits.labels.front().total;
  else if (!waits.labels.empty())
    words << "; meanwhile the host spends most time in “" << Sentence::Name{waits.labels.front().label}
          << "”: " << waits.labels.front().total;
  if (!waits.labels.empty()) words << ", " << Sentence::Percent{waits.labels.front().share} << " of this time";
  return words << ".";
}

const columns::Columns<WaitLabel>& waitColumns() {
  using columns::Kind;
  using Row = WaitLabel;
  static const columns::Columns<Row> columns = {
      {"label", "Label", Kind::Name, "",
       [](const Row& w) { return w.label.empty() ? std::string("(nothing recorded)") : w.label; }},
      {"total", "Total", Kind::Nanoseconds, "Time between the device's runs, without the slices inside it", &Row::total,
       columns::Sum::Yes},
      {"share", "Share", Kind::Percent, "Of all time between the device's runs", &Row::share, columns::Sum::Yes},
      {"waits", "Waits", Kind::Count, "Waits of the device in which it occurs", &Row::count}};
  return columns;
}

} // namespace analyser::host
