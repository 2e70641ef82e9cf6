#include "analyser/operations/ipu_layers.h"

#include "analyser/program/model_layers.h"
#include "analyser/trace/tile_cycles.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

namespace analyser::operations {

namespace {

constexpr double kLeastShare = 0.02; // of the IPU's cycles
constexpr std::size_t kMostNamed = 4;

struct Work {
  Cycles cycles;
  std::size_t first = 0; // its first node in the program
};

// The IPU that runs the steps inside a node: the IPU of the first step that runs on one IPU only.
class IpuOfNodes {
public:
  IpuOfNodes(const program::Program& program, const trace::StepCosts& costs) : m_ipus(program.nodes.size()) {
    for (std::size_t n = program.nodes.size(); n-- > 0;) { // children come after their parent
      const program::Node& node = program.nodes[n];
      if (const auto cost = costs.find(int64_t(node.id.value())); cost != costs.end() && cost->second.ipu)
        m_ipus[n] = cost->second.ipu;
      if (node.parent >= 0 && m_ipus[n]) m_ipus[std::size_t(node.parent)] = m_ipus[n];
    }
  }
  std::optional<int64_t> of(int node) const { return node < 0 ? std::nullopt : m_ipus[std::size_t(node)]; }

private:
  std::vector<std::optional<int64_t>> m_ipus;
};

// By node: whether it is in a function that several layers call. The function's own steps belong to the layer it was made for;
// its calls belong to the layers they run for.
std::vector<bool> insideSharedFunctions(const program::Program& program) {
  std::map<int, std::set<std::string>> layersOfCalls; // by function
  for (const program::Node& node : program.nodes)
    if (node.callee.valid() && !node.layer.empty()) layersOfCalls[program.indexOf(node.callee)].insert(node.layer);
  std::vector<bool> isShared(program.nodes.size());
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const auto calls = layersOfCalls.find(int(n));
    const int parent = program.nodes[n].parent;
    isShared[n] = (parent >= 0 && isShared[std::size_t(parent)]) || (calls != layersOfCalls.end() && calls->second.size() > 1);
  }
  return isShared;
}

// "layer" and 12 for "layer12"; nothing if the name does not end with a number.
std::optional<std::pair<std::string_view, int>> numbered(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  int number = 0;
  if (std::from_chars(name.data() + digits, name.data() + name.size(), number).ec != std::errc()) return {};
  return std::pair(name.substr(0, digits), number);
}

bool follows(std::string_view before, std::string_view name) {
  const auto a = numbered(before), b = numbered(name);
  return a && b && a->first == b->first && a->second == b->second - 1; // cannot overflow at the largest number
}

} // namespace

std::map<IpuId, std::vector<std::string>> layersByIpu(Session& session, std::stop_token stop) {
  program::ProgramOnce program(session, stop);
  return layersByIpu(session, trace::tileCyclesBySteps(session, stop), program, stop);
}

std::map<IpuId, std::vector<LayerWork>> layerWorkByIpu(Session& session, const trace::StepCosts& costs,
                                                       program::ProgramOnce& once, std::stop_token stop) {
  program::Program& program = once.get();
  program::nameLayers(session, program, stop);
  const IpuOfNodes ipus(program, costs);
  const std::vector<bool> isShared = insideSharedFunctions(program);
  std::map<IpuId, std::map<std::string, Work>> works;
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const program::Node& node = program.nodes[n];
    const int callee = node.callee.valid() ? program.indexOf(node.callee) : -1;
    const bool callsShared = callee >= 0 && isShared[std::size_t(callee)]; // other calls: their steps count
    // Stashes and host feeds are not layers.
    if (node.layer.empty() || isShared[n] || (!callsShared && node.activity != reports::Activity::Compute)) continue;
    const auto ipu = ipus.of(callsShared ? callee : int(n));
    if (!ipu) continue;
    auto [work, isNew] = works[IpuId(std::size_t(*ipu))].try_emplace(node.layer);
    if (isNew) work->second.first = n;
    work->second.cycles += callsShared ? node.inclusive : node.cycles;
  }
  std::map<IpuId, std::vector<LayerWork>> layers;
  for (const auto& [ipu, byLayer] : works) {
    std::vector<std::pair<std::size_t, LayerWork>> ordered;
    for (const auto& [layer, work] : byLayer) ordered.push_back({work.first, {layer, work.cycles}});
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [first, layer] : ordered) layers[ipu].push_back(std::move(layer));
  }
  return layers;
}

std::map<IpuId, std::vector<std::string>> layersByIpu(Session& session, const trace::StepCosts& costs, program::ProgramOnce& once,
                                                      std::stop_token stop) {
  std::map<IpuId, std::vector<std::string>> names;
  for (const auto& [ipu, layers] : layerWorkByIpu(session, costs, once, stop)) {
    Cycles all;
    for (const LayerWork& layer : layers) all += layer.cycles;
    for (const LayerWork& layer : layers)
      if (all > Cycles() && ratio(layer.cycles, all) >= kLeastShare) names[ipu].push_back(layer.name);
  }
  return names;
}

std::string layerWords(const std::vector<std::string>& layers) {
  std::vector<std::string> words;
  for (std::size_t i = 0, next = 0; i < layers.size(); i = next) {
    for (next = i + 1; next < layers.size() && follows(layers[next - 1], layers[next]);) ++next;
    if (next - i > 2)
      words.push_back(layers[i] + " to " + layers[next - 1]);
    else
      words.insert(words.end(), layers.begin() + std::ptrdiff_t(i), layers.begin() + std::ptrdiff_t(next));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kMostNamed); ++i) text += (i ? ", " : "") + words[i];
  if (words.size() > kMostNamed) text += " and " + std::to_string(words.size() - kMostNamed) + " more";
  return text;
}

} // namespace analyser::operations
