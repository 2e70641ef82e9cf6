#include "simcore/placement/written_cut.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/outline.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

namespace simcore::model {

namespace {

constexpr const char* kLayers = "layers:";
constexpr LeastLayers kLeast{2, 2}; // below the defaults, so that repeated layers of small networks are found
constexpr int kMostIpus = 4096;
constexpr double kMostLayers = 100'000;

Error wrong(const std::string& text, const std::string& message, const std::string& advice = {}) {
  return Error(ErrorCode::InvalidInput, message, reports::option("shard") + " " + text, advice);
}

// Removes "@3" from the end of a word and returns 3; -1 if there is no such end.
int takeIpu(std::string& word) {
  const std::size_t at = word.rfind('@');
  if (at == std::string::npos || at + 1 == word.size()) return -1;
  int ipu = 0;
  const char *begin = word.data() + at + 1, *end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(begin, end, ipu);
  if (error != std::errc() || stop != end || ipu < 0 || ipu >= kMostIpus) return -1; // part of a name
  word.resize(at);
  return ipu;
}

std::int64_t halfLayers(const std::string& word, const std::string& text) {
  double layers = -1;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), layers);
  const bool isCount = error == std::errc() && stop == word.data() + word.size() && layers >= 0 && layers <= kMostLayers;
  if (!isCount || layers * 2 != std::floor(layers * 2))
    throw wrong(text, "'" + word + "' is not a number of layers",
                "give whole or half layers for every part, e.g. layers:3,7,7,7,0@0");
  return std::int64_t(layers * 2);
}

// Gives each part without an IPU the first IPU without a part, and checks all parts.
void placeParts(std::vector<WrittenCut::Part>& parts, const std::string& text) {
  std::set<int> used;
  for (WrittenCut::Part& part : parts) {
    if (part.ipu < 0)
      for (part.ipu = 0; used.count(part.ipu);) ++part.ipu;
    used.insert(part.ipu);
  }
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].ipu == parts[i - 1].ipu)
      throw wrong(text,
                  "parts " + std::to_string(i - 1) + " and " + std::to_string(i) + " follow each other on IPU " +
                      std::to_string(parts[i].ipu),
                  "make one part of them");
}

// Bytes that the first `at` nodes of a layer pass to the rest of the layer, or out of it.
std::int64_t bytesPassing(const Model& model, const Layer& layer, std::size_t at) {
  std::set<std::string> given(layer.inputs.begin(), layer.inputs.end()), passing;
  for (std::size_t i = 0; i < at; ++i)
    for (const std::string& name : model.graph.nodes[layer.nodes[i]].outputs) given.insert(name);
  for (std::size_t i = at; i < layer.nodes.size(); ++i)
    for (const std::string& name : namesReadBy(model.graph.nodes[layer.nodes[i]]))
      if (given.count(name) && !model.graph.initialisers.count(name)) passing.insert(name);
  for (const std::string& name : layer.outputs)
    if (given.count(name)) passing.insert(name);
  std::int64_t bytes = 0;
  for (const std::string& name : passing) {
    const auto type = model.graph.types.find(name);
    if (type != model.graph.types.end())
      bytes += numerics::elementCount(type->second.shape) * std::int64_t(numerics::deviceSize(type->second.type));
  }
  return bytes;
}

// The number of nodes in the first half of a layer: it ends where the fewest bytes pass, and of several such positions at the one
// nearest to the middle.
std::size_t middleOf(const Model& model, const Layer& layer, const std::string& text) {
  const std::size_t nodes = layer.nodes.size();
  if (nodes < 2) throw wrong(text, "a layer of one node cannot be halved");
  std::size_t best = 1;
  std::pair<std::int64_t, std::int64_t> least{INT64_MAX, INT64_MAX};
  for (std::size_t at = 1; at < nodes; ++at) {
    const std::int64_t aside = std::abs(2 * std::int64_t(at) - std::int64_t(nodes));
    if (const std::pair cost{bytesPassing(model, layer, at), aside}; cost < least) {
      least = cost;
      best = at;
    }
  }
  return best;
}

std::vector<int> partsByLayers(const Model& model, const WrittenCut& cut) {
  std::vector<std::size_t> all(model.graph.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  RepeatedLayers layers;
  for (RepeatedLayers& run : repeatedLayers(model.graph, all, kLeast))
    if (run.end - run.begin > layers.end - layers.begin) layers = std::move(run);
  std::int64_t wanted = 0;
  bool halves = false;
  for (const WrittenCut::Part& part : cut.parts) {
    wanted += part.halfLayers;
    halves = halves || wanted % 2;
  }
  const std::int64_t known = 2 * std::int64_t(layers.layers.size());
  const auto inLayers = [](std::int64_t half) {
    return half % 2 ? std::to_string(half / 2) + ".5 layers" : reports::counted(half / 2, "layer");
  };
  if (known == 0) throw wrong(cut.text, "the model has no layers that repeat", "name the first node of every part but the first");
  if (wanted != known)
    throw wrong(cut.text, "the parts have " + inLayers(wanted) + " together, the model has " + inLayers(known) + " that repeat");
  const std::size_t period = layers.layers[0].nodes.size(), half = halves ? middleOf(model, layers.layers[0], cut.text) : 0;
  std::vector<int> partOf(all.size());
  std::int64_t before = 0;
  std::size_t begin = 0;
  for (std::size_t p = 0; p < cut.parts.size(); ++p) {
    before += cut.parts[p].halfLayers;
    const bool isLast = p + 1 == cut.parts.size();
    const std::size_t end = isLast ? all.size() : layers.begin + std::size_t(before / 2) * period + (before % 2 ? half : 0);
    if (begin == end)
      throw wrong(cut.text, "part " + std::to_string(p) + " has no nodes",
                  "only the first and the last part may have no layers, if the model has nodes before or after its layers");
    std::fill(partOf.begin() + std::ptrdiff_t(begin), partOf.begin() + std::ptrdiff_t(end), int(p));
    begin = end;
  }
  return partOf;
}

} // namespace

int WrittenCut::ipus() const {
  int last = 0;
  for (const Part& part : parts) last = std::max(last, part.ipu);
  return last + 1;
}

bool isWrittenCut(const std::string& shard) { return shard != "auto" && shard != "none"; }

WrittenCut readCut(const std::string& shard) {
  WrittenCut cut;
  cut.text = shard;
  cut.countsLayers = shard.starts_with(kLayers);
  if (!cut.countsLayers) cut.parts.push_back({}); // the part at the begin of the model
  std::istringstream words(cut.countsLayers ? shard.substr(std::string(kLayers).size()) : shard);
  bool isFirst = true;
  for (std::string word; std::getline(words, word, ',');) {
    WrittenCut::Part part;
    part.ipu = takeIpu(word);
    if (!cut.countsLayers && word.empty() && part.ipu >= 0 && std::exchange(isFirst, false)) {
      cut.parts[0].ipu = part.ipu; // "@1,NAME": the IPU of the model's first part
      continue;
    }
    isFirst = false;
    if (cut.countsLayers)
      part.halfLayers = halfLayers(word, shard);
    else
      part.firstNode = word;
    cut.parts.push_back(std::move(part));
  }
  if (cut.parts.empty()) throw wrong(shard, "the cut lists no layers", "e.g. layers:3,7,7,7,0@0");
  placeParts(cut.parts, shard);
  return cut;
}

Sharding cutAt(const Model& model, const WrittenCut& cut) {
  Sharding sharding;
  if (cut.countsLayers) {
    sharding.stageOfNode = partsByLayers(model, cut);
  } else {
    std::vector<std::string> names;
    for (std::size_t p = 1; p < cut.parts.size(); ++p) names.push_back(cut.parts[p].firstNode);
    sharding.stageOfNode = shardAt(model, names).ipuOfNode;
  }
  for (const int part : sharding.stageOfNode) sharding.ipuOfNode.push_back(cut.parts[std::size_t(part)].ipu);
  return sharding;
}

} // namespace simcore::model
