#include "analyser/html/page_json.h"
#include "analyser/insights/insights.h"
#include "reports/core/option.h"

#include <nlohmann/json.hpp>

namespace analyser::html {

namespace {

std::string savingOf(const insights::Insight& i) {
  if (!i.savesMemory()) return formatCycles(i.cycles);
  return formatBytes(i.bytes) + (i.onOneTile ? " per tile" : "");
}

PageJson figuresOf(const summary::Summary& s, const std::vector<summary::PeakUse>& peaks) {
  PageJson figures = PageJson::array();
  const auto add = [&](const char* title, const std::string& value) { figures.push_back({title, value}); };
  if (s.machine.tiles() > 0) {
    add("Machine", printable(s.machine.title));
    add("IPUs", formatCount(s.machine.ipus));
    add("Tiles", formatCount(s.machine.tiles()));
    add("Clock", formatRate(double(s.machine.clockHz), "Hz"));
    add("Memory in use", formatBytes(s.memory.total) + " of " + formatBytes(s.memory.available));
    add("Fullest tile, with gaps",
        formatBytes(s.memory.fullest.withGaps) + " on tile " + std::to_string(s.memory.fullest.tile.value()));
  }
  if (s.memory.hasLiveness) {
    add("Always live", formatBytes(s.memory.alwaysLive));
    if (s.memory.peakStep >= 0) add("Not always live, at the peak", formatBytes(s.memory.peakNotAlwaysLive));
  }
  if (s.cycles.total > Cycles()) {
    add("Cycles of all runs", formatCycles(s.cycles.total));
    add("Time", formatSeconds(s.seconds));
    add("FLOPs", formatSi(double(s.flops.value()), ""));
    if (s.peakFraction > 0) add("Of the peak rate", formatPercent(s.peakFraction));
  }
  if (s.machine.tiles() == 0) return figures; // a trace of a host
  for (const summary::PeakUse& p : peaks)
    add((p.title + " (peak)").c_str(),
        formatRate(p.peak, p.unit) + (p.share ? ", " + formatPercent(*p.share) + " of it used" : std::string()) +
            (p.shareWhileBusy ? ", " + formatPercent(*p.shareWhileBusy) + " while its steps run" : std::string()));
  add("Vertices", formatCount(s.graph.vertices));
  add("Compute sets", formatCount(s.graph.computeSets));
  if (s.graph.knowsVariables) add("Variables", formatCount(s.graph.variables));
  add("Exchanges", formatCount(s.graph.exchanges));
  add("Program steps", formatCount(s.graph.programSteps));
  return figures;
}

PageJson cyclesOf(const summary::CycleTotals& c) {
  using reports::Activity;
  PageJson parts = PageJson::array();
  for (const auto& [title, activity, cycles] : {std::tuple{"Compute", Activity::Compute, c.compute},
                                                {"Exchange", Activity::InternalExchange, c.exchange},
                                                {"Sync", Activity::Sync, c.sync},
                                                {"Host", Activity::HostStream, c.host},
                                                {"Idle", Activity::Idle, c.idle}})
    if (cycles > Cycles())
      parts.push_back({{"name", title}, {"paint", paint(activityColour(activity))}, {"value", cycles.value()}});
  return parts;
}

} // namespace

PageJson summaryPart(const PagePart& page, PageJson& verdicts) {
  const summary::Summary s = summary::summarise(page.session, page.stop);
  verdicts = PageJson::array({s.verdict.text(), s.timeVerdict});
  if (const Sentence waste = summary::wasteVerdict(s); !waste.empty()) verdicts.push_back(waste.text() + ".");
  PageJson json = {{"figures", figuresOf(s, s.peaks)}, {"cycles", cyclesOf(s.cycles)}};
  json["fits"] = s.fits();
  json["waste"] = PageJson::array();
  for (int kind = 0; kind < trace::kTileTimes; ++kind)
    if (const int64_t cycles = s.tileCycles.parts[std::size_t(kind)]; cycles > 0)
      json["waste"].push_back({trace::tileTimeTitle(trace::TileTime(kind)), cycles});
  json["facts"] = PageJson::array();
  for (const auto& [key, value] : s.metadata) json["facts"].push_back({printable(key), printable(value)});
  for (const auto& option : s.options)
    if (!option.isDefault) json["facts"].push_back({printable(option.key), printable(option.value)});
  for (const summary::Issue& issue : s.issues)
    json["facts"].push_back({printable(issue.severity + ", " + issue.place), printable(issue.message)});
  return json;
}

PageJson insightsPart(const PagePart& page, PageJson& verdicts) {
  const insights::Insights all = insights::insights(page.session, page.stop);
  if (page.session.machine().tiles() > 0) verdicts.push_back(all.verdict.text());
  PageJson list = PageJson::array();
  for (const insights::Insight& i : all.list) {
    std::vector<std::string> tried;
    for (const std::string& advice : i.advice) tried.push_back(reports::withOptionNames(advice));
    list.push_back({{"title", i.title},
                    {"what", i.what.text()},
                    {"saves", savingOf(i)},
                    {"share", i.share},
                    {"confidence", insights::confidenceName(i.confidence)},
                    {"try", tried}});
  }
  return list;
}

} // namespace analyser::html
