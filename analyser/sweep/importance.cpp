#include "analyser/sweep/importance.h"

#include <algorithm>

namespace analyser::sweep {

std::vector<Importance> importanceOf(const SweepTable& table, const Figure& figure) {
  struct Value {
    std::string word;
    double sum = 0;
    int64_t runs = 0;
  };
  std::vector<std::pair<const Point*, double>> runs;
  double sum = 0;
  for (const Point& p : table.points)
    if (const auto value = p.record && p.record->state == State::Done ? figure(p) : std::nullopt) {
      runs.emplace_back(&p, *value);
      sum += *value;
    }
  if (runs.size() < 2) return {};
  const double mean = sum / double(runs.size());
  double variance = 0;
  for (const auto& [point, value] : runs) variance += (value - mean) * (value - mean);
  std::vector<Importance> all;
  for (const std::string& name : table.parameters) {
    std::vector<Value> values;
    for (const auto& [point, figureOfRun] : runs)
      for (const auto& [own, word] : point->configuration.values) {
        if (own != name) continue;
        auto known = std::find_if(values.begin(), values.end(), [&w = word](const Value& v) { return v.word == w; });
        if (known == values.end()) known = values.insert(values.end(), {word, 0, 0});
        known->sum += figureOfRun, ++known->runs;
      }
    Importance importance{name, 0, {}};
    double between = 0;
    for (const Value& v : values) {
      const double own = v.sum / double(v.runs);
      between += double(v.runs) * (own - mean) * (own - mean);
      importance.means.emplace_back(v.word, own);
    }
    if (variance > 0) importance.share = std::clamp(between / variance, 0.0, 1.0);
    all.push_back(std::move(importance));
  }
  std::stable_sort(all.begin(), all.end(), [](const Importance& a, const Importance& b) { return a.share > b.share; });
  return all;
}

} // namespace analyser::sweep
