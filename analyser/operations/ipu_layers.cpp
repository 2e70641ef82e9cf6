#include "analyser/operations/ipu_layers.h"

#include "analyser/program/model_layers.h"
#include "analyser/trace/tile_cycles.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace analyser::operations {

namespace {

constexpr double kLeastShare = 0.02; // of the IPU's cycles
constexpr std::size_t kMostNamed = 4;

struct Work {
  Cycles cycles;
  std::size_t first = 0; // node of the program that is the first for it
};

// The IPU on which the steps inside a node run, by the first that runs on one alone.
class IpuOfNodes {
public:
  IpuOfNodes(const program::Program& program, const trace::StepCosts& costs) : m_ipus(program.nodes.size()) {
    for (std::size_t n = program.nodes.size(); n-- > 0;) { // children stand behind their parent
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

// "layer" and 12 of "layer12"; nothing where no number ends the name.
std::optional<std::pair<std::string_view, int>> numbered(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  int number = 0;
  if (std::from_chars(name.data() + digits, name.data() + name.size(), number).ec != std::errc()) return {};
  return std::pair(name.substr(0, digits), number);
}

bool follows(std::string_view before, std::string_view name) {
  const auto a = numbered(before), b = numbered(name);
  return a && b && a->first == b->first && a->second + 1 == b->second;
}

} // namespace

std::map<IpuId, std::vector<std::string>> layersByIpu(Session& session, std::stop_token stop) {
  program::Program program = program::programTree(session, stop);
  program::nameLayers(session, program, stop);
  const IpuOfNodes ipus(program, trace::tileCyclesBySteps(session, stop));
  // Layers that share a function are told by its calls: its own steps have the layer for which it was made.
  std::vector<bool> isCalled(program.nodes.size()); // it or what it lies in
  for (const program::Node& node : program.nodes)
    if (const int callee = node.callee.valid() ? program.indexOf(node.callee) : -1; callee >= 0)
      isCalled[std::size_t(callee)] = true;
  std::map<IpuId, std::map<std::string, Work>> works;
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const program::Node& node = program.nodes[n];
    if (node.parent >= 0 && isCalled[std::size_t(node.parent)]) isCalled[n] = true;
    const bool isCall = node.callee.valid();
    if (node.layer.empty() || isCalled[n] || (!isCall && node.children > 0)) continue;
    const auto ipu = ipus.of(isCall ? program.indexOf(node.callee) : int(n));
    if (!ipu) continue;
    auto [work, isNew] = works[IpuId(std::size_t(*ipu))].try_emplace(node.layer);
    if (isNew) work->second.first = n;
    work->second.cycles += isCall ? node.inclusive : node.cycles;
  }
  std::map<IpuId, std::vector<std::string>> layers;
  for (const auto& [ipu, byLayer] : works) {
    Cycles all;
    std::vector<std::pair<std::size_t, std::string>> ordered;
    for (const auto& [layer, work] : byLayer) all += work.cycles;
    for (const auto& [layer, work] : byLayer)
      if (all > Cycles() && ratio(work.cycles, all) >= kLeastShare) ordered.emplace_back(work.first, layer);
    std::sort(ordered.begin(), ordered.end());
    for (auto& [first, layer] : ordered) layers[ipu].push_back(std::move(layer));
  }
  return layers;
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
