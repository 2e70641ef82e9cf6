#include "analyser/insights/stage_balance.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>

namespace analyser::insights {

namespace {

constexpr double kWorthIt = 0.97; // share of the slowest stage: a smaller gain is within the error of the prediction

// "layer" and 12 for "layer12"; -1: no number at its end.
std::pair<std::string, int64_t> stemOf(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  int64_t number = -1;
  const auto read = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return {name.substr(0, digits), read.ec == std::errc() ? number : -1};
}

struct LayerOfStage {
  std::size_t stage = 0;
  double cycles = 0;
};

std::map<int64_t, LayerOfStage> repeatedLayers(const std::vector<StageWork>& stages, const std::vector<double>& scales) {
  std::map<std::string, std::map<int64_t, LayerOfStage>> byStem;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const auto& layer : stages[s].layers) {
      const auto [stem, number] = stemOf(layer.name);
      if (number < 0) continue;
      const auto [at, isNew] = byStem[stem].try_emplace(number, LayerOfStage{s, 0});
      if (!isNew && at->second.stage != s) return {}; // cut inside a layer
      at->second.cycles += double(layer.cycles.value()) * scales[s];
    }
  std::map<int64_t, LayerOfStage> most;
  for (auto& [stem, layers] : byStem)
    if (layers.size() > most.size()) most = std::move(layers);
  // The layers do equal work, so each gets the mean of its stage. The mean spreads extra cycles of a layer, e.g. of a stage's
  // first layer, which receives the inputs.
  std::vector<std::pair<double, int>> ofStage(stages.size());
  for (const auto& [number, layer] : most) ofStage[layer.stage].first += layer.cycles, ++ofStage[layer.stage].second;
  for (auto& [number, layer] : most) layer.cycles = ofStage[layer.stage].first / ofStage[layer.stage].second;
  return most;
}

} // namespace

std::string StageBalance::cut() const {
  std::string text = "layers:";
  for (std::size_t i = 0; i < layers.size(); ++i) text += (i ? "," : "") + std::to_string(layers[i]);
  return text;
}

std::optional<StageBalance> balancedStages(const std::vector<StageWork>& stages) {
  // Layers count compute cycles; the other time of a stage is distributed over its layers in proportion.
  std::vector<double> scales, fixed;
  for (const StageWork& stage : stages) {
    double sum = 0;
    for (const auto& layer : stage.layers) sum += double(layer.cycles.value());
    scales.push_back(sum > 0 ? double(stage.busy.value()) / sum : 0);
    fixed.push_back(double(stage.busy.value()));
  }
  const auto layers = repeatedLayers(stages, scales);
  if (stages.size() < 2 || layers.size() < stages.size()) return std::nullopt;
  std::vector<double> sums{0}; // cycles of the first n layers, by n
  std::size_t last = 0;
  for (const auto& [number, layer] : layers) {
    if (layer.stage < last) return std::nullopt; // the layers are not in the order of the stages
    last = layer.stage;
    fixed[layer.stage] -= layer.cycles;
    sums.push_back(sums.back() + layer.cycles);
  }
  const std::size_t count = layers.size();
  // longest[s][n]: the slowest stage of the best cut of the first n layers into the first s stages.
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> longest(stages.size() + 1, std::vector<double>(count + 1, kNever));
  std::vector<std::vector<std::size_t>> from(stages.size() + 1, std::vector<std::size_t>(count + 1));
  longest[0][0] = 0;
  for (std::size_t s = 1; s <= stages.size(); ++s)
    for (std::size_t n = s; n <= count; ++n)
      for (std::size_t before = s - 1; before < n; ++before) {
        const double most = std::max(longest[s - 1][before], std::max(0.0, fixed[s - 1]) + sums[n] - sums[before]);
        if (most < longest[s][n]) longest[s][n] = most, from[s][n] = before;
      }
  double now = 0;
  for (const StageWork& stage : stages) now = std::max(now, double(stage.busy.value()));
  StageBalance balance;
  balance.longest = now > 0 ? longest[stages.size()][count] / now : 1;
  if (balance.longest > kWorthIt) return std::nullopt;
  for (std::size_t s = stages.size(), n = count; s > 0; --s) {
    balance.layers.insert(balance.layers.begin(), int64_t(n - from[s][n]));
    n = from[s][n];
  }
  return balance;
}

} // namespace analyser::insights
