#include "simcore/validation/sample_vertices.h"

#include "reports/core/error.h"
#include "simcore/codelets/xoroshiro.h"
#include "simcore/samples/sample_parts.h"
#include "simcore/samples/spiking.h"
#include "simcore/samples/stencil_grid.h"
#include "simcore/validation/sample_world.h"

#include <algorithm>
#include <cmath>

namespace simcore::validation {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

constexpr int kWorkers = 6;
constexpr int64_t kChannels = 4; // of a pixel

HostTensor part(const HostTensor& all, int64_t begin, int64_t count) {
  const auto values = all.values<float>().subspan(std::size_t(begin), std::size_t(count));
  return HostTensor::vector(std::vector<float>(values.begin(), values.end()));
}

// Rows [firstRow, firstRow + rows) of a matrix, from a column on, as the vectors of a list.
std::vector<HostTensor> rowsOf(const HostTensor& matrix, int64_t firstRow, int64_t rows, int64_t firstColumn, int64_t columns) {
  std::vector<HostTensor> result;
  for (int64_t row = firstRow; row < firstRow + rows; ++row)
    result.push_back(part(matrix, row * matrix.dim(1) + firstColumn, columns));
  return result;
}

HostTensor joined(const std::vector<HostTensor>& vectors) {
  std::vector<float> all;
  for (const HostTensor& v : vectors) all.insert(all.end(), v.values<float>().begin(), v.values<float>().end());
  return HostTensor::vector(all);
}

// Vectors of zeros, for the field that the vertex writes.
std::vector<HostTensor> zerosLike(const std::vector<HostTensor>& vectors) {
  std::vector<HostTensor> result;
  for (const HostTensor& v : vectors) result.emplace_back(ElementType::Float, v.shape());
  return result;
}

SampleVertex suffixSums() { return SampleWorld("custom-vertex", {}, 4).userVertex("SumSuffix<float>", "suffix_sums.cpp"); }

SampleVertex pointers() { return SampleWorld("pointer-chase", {}).userVertex("PointerChase", "streams.cpp"); }

// The first worker's rows of a square with a border.
SampleVertex heat2d() {
  const int64_t size = 62;
  const SampleWorld world("heat", {{"size", std::to_string(size)}, {"steps", "1"}});
  SampleVertex v = world.libraryVertex("Heat2d", "heat.cpp", "HeatPairs");
  const auto block = samples::workerBlocks({size - 2, size - 2}, kWorkers, true).front();
  const auto after = rowsOf(world.values("back"), 1, block.rows, 1, block.columns);
  v.fields = {{"before", rowsOf(world.values("front"), 0, block.rows + 2, 0, block.columns + 2)}, {"after", zerosLike(after)}};
  v.state = {{"rows", double(block.rows)}, {"columns", double(block.columns)}, {"rate", 0.2}};
  v.results = {{"after", joined(after)}};
  return v;
}

SampleVertex heat3d() {
  const int64_t size = 20, inside = size - 2, deep = inside / 2, high = inside / 3; // sizes of the first worker's part
  const SampleWorld world("heat", {{"dims", "3"}, {"size", std::to_string(size)}, {"steps", "1"}});
  SampleVertex v = world.libraryVertex("Heat3d", "heat.cpp", "HeatPairs3d");
  const HostTensor front = world.values("front").reshaped({size * size, size}),
                   back = world.values("back").reshaped(front.shape());
  std::vector<HostTensor> before, after;
  for (int64_t plane = 0; plane < deep + 2; ++plane)
    for (const HostTensor& row : rowsOf(front, plane * size, high + 2, 0, size)) before.push_back(row);
  for (int64_t plane = 1; plane < deep + 1; ++plane)
    for (const HostTensor& row : rowsOf(back, plane * size + 1, high, 1, inside)) after.push_back(row);
  v.fields = {{"before", before}, {"after", zerosLike(after)}};
  v.state = {{"rows", double(deep)}, {"columns", double(high)}, {"depth", double(inside)}, {"rate", 0.1}};
  v.results = {{"after", joined(after)}};
  return v;
}

// The first worker's part of an image, with a border of one pixel.
SampleVertex blur(const std::string& type, const std::string& codelet) {
  const int64_t height = 18, width = 24;
  const SampleWorld world(
      "gaussian-blur",
      {{"width", std::to_string(width)}, {"height", std::to_string(height)}, {"type", type}, {"iterations", "1"}});
  SampleVertex v = world.libraryVertex("GaussianBlur<" + type + ">", "blur.cpp", codelet);
  const auto block = samples::workerBlocks({height, width}, kWorkers, false).front();
  const ElementType element = type == "half4" ? ElementType::Half : ElementType::Float;
  const HostTensor image = samples::uniformTensor({height, width, kChannels}, 1).cast(element).cast(ElementType::Float);
  std::vector<float> in;
  for (int64_t y = -1; y <= block.rows; ++y)
    for (int64_t x = -1; x <= block.columns; ++x)
      for (int64_t c = 0; c < kChannels; ++c) {
        const bool isInside = y >= 0 && y < height && x >= 0 && x < width;
        in.push_back(isInside ? image.values<float>()[std::size_t((y * width + x) * kChannels + c)] : 0.0f);
      }
  const auto out = rowsOf(world.values("back").cast(ElementType::Float).reshaped({height, width * kChannels}), 0, block.rows, 0,
                          block.columns * kChannels);
  v.results = {{"out", joined(out)}};
  v.fields = {{"in", {HostTensor::vector(in).cast(element)}}, {"out", {HostTensor(element, v.results["out"].shape())}}};
  v.state = {{"width", double(block.columns)}, {"height", double(block.rows)}};
  if (element == ElementType::Half) v.tolerance = 2e-3; // the sample rounds once, the code after each operation
  return v;
}

SampleVertex stream(const std::string& kernel, const std::string& via) {
  const int64_t n = 512;
  const SampleWorld world("triad", {{"n", std::to_string(n)}, {"kernel", kernel}, {"via", via}});
  const bool reads = kernel == "read";
  SampleVertex v = world.libraryVertex("Stream_" + kernel + (via == "compiled" ? "_compiled" : ""), "streams.cpp",
                                       reads ? "StreamRead" : "StreamTriad");
  v.fields = {{"b", {part(world.values("b"), 0, n)}}, {"a", {HostTensor(ElementType::Float, {reads ? 1 : n})}}};
  v.results = {{"a", part(world.values("a"), 0, reads ? 1 : n)}};
  if (reads) return v;
  v.fields.push_back({"c", {part(world.values("c"), 0, n)}});
  v.state = {{"scale", 3.0}};
  return v;
}

// The paths of the first worker, drawn from its generator, and the price from the sums of all workers.
std::vector<SampleVertex> optionPrices() {
  constexpr int kPaths = 600, kSteps = 32;
  constexpr float kRate = 0.05f, kVolatility = 0.2f;
  constexpr uint64_t kSeed = 77; // the sample uses this for seed 0
  const SampleWorld world("monte-carlo", {{"paths", std::to_string(kPaths)}, {"steps", std::to_string(kSteps)}, {"tiles", "1"}});
  SampleVertex paths = world.libraryVertex("SimulatePaths", "option_prices.cpp", "SimulatePaths");
  paths.fields = {{"sums", {HostTensor(ElementType::Float, {2})}}};
  paths.results = {{"sums", part(world.values("sums"), 0, 2)}};
  paths.state = {{"samples", kPaths / kWorkers},
                 {"steps", kSteps},
                 {"trend", kRate - 0.5f * kVolatility * kVolatility},
                 {"width", kVolatility * std::sqrt(1.0f / kSteps)},
                 {"spot", 100},
                 {"strike", 100},
                 {"discount", std::exp(-kRate)},
                 {"isCall", 1}};
  paths.tolerance = 1e-4; // the sample takes exponentials in double precision
  paths.random = [] {
    return [generator = codelets::Xoroshiro128aox::forWorker(kSeed, 0)]() mutable { return generator.next(); };
  };
  SampleVertex price = world.userVertex("PriceAndError", "option_prices.cpp");
  price.state = {{"paths", kPaths}};
  price.tolerance = 1e-4;
  return {paths, price};
}

// The four vertices of a step. Values before and after the step come from two runs, received spikes from the weights.
std::vector<SampleVertex> spikes() {
  constexpr int64_t kNeurons = 192;
  constexpr int kSteps = 20;
  const auto worldAfter = [&](int steps) {
    return SampleWorld("spiking", {{"neurons", std::to_string(kNeurons)}, {"steps", std::to_string(steps)}, {"density", "0.5"}});
  };
  const SampleWorld before = worldAfter(kSteps), after = worldAfter(kSteps + 1);
  const samples::Sample& sample = samples::findSample("spiking");
  const auto network = samples::spikingNetworkOf(
      samples::Parameters(sample.name, sample.parameters, {{"neurons", std::to_string(kNeurons)}, {"density", "0.5"}}), 0);
  const auto valuesOf = [](const SampleWorld& world, const char* name) { return world.values(name).reshaped({kNeurons}); };
  const HostTensor potential = valuesOf(before, "potential"), fired = valuesOf(before, "spikes"),
                   counts = valuesOf(before, "counts"), left = valuesOf(after, "potential"), fires = valuesOf(after, "spikes");
  HostTensor received(ElementType::Float, {kNeurons}), full = left;
  for (int64_t to = 0; to < kNeurons; ++to) {
    for (int64_t from = 0; from < kNeurons; ++from) // multiples of 1/64, so any order gives the same sum
      received.mutableValues<float>()[std::size_t(to)] +=
          fired.values<float>()[std::size_t(from)] * network.weights.values<float>()[std::size_t(from * kNeurons + to)];
    full.mutableValues<float>()[std::size_t(to)] += fires.values<float>()[std::size_t(to)]; // the value before the reset
  }
  struct Part {
    const char *step, *codelet;
    std::vector<ConnectedField> fields;
    const char* written;
    HostTensor result;
  };
  const HostTensor drive = network.drive.reshaped({kNeurons}), none(ElementType::Float, {kNeurons});
  std::vector<SampleVertex> vertices;
  for (const Part& part :
       std::vector<Part>{{"integrate",
                          "Integrate",
                          {{"potential", {potential}}, {"received", {received}}, {"drive", {drive}}},
                          "potential",
                          full},
                         {"fire", "Fire", {{"potential", {full}}, {"spikes", {none}}}, "spikes", fires},
                         {"reset", "Reset", {{"potential", {full}}, {"spikes", {fires}}}, "potential", left},
                         {"count", "Count", {{"counts", {counts}}, {"spikes", {fires}}}, "counts", valuesOf(after, "counts")}}) {
    SampleVertex v = before.libraryVertex(part.step, "spiking.cpp", part.codelet);
    v.fields = part.fields;
    v.results = {{part.written, part.result}};
    vertices.push_back(std::move(v));
  }
  return vertices;
}

SampleVertex alignments() {
  SampleVertex v = SampleWorld("x-drop", {{"pairs", "6"}, {"length", "60"}, {"tiles", "1"}}).userVertex("XDrop", "x_drop.cpp");
  v.state = {{"drop", 15}, {"window", 0}};
  v.results.erase("antidiagonals"); // memory for the vertex's own use, not a result
  return v;
}

std::vector<SampleVertex> beliefs() {
  const SampleWorld world("belief-propagation", {{"rows", "8"}, {"columns", "8"}, {"tiles", "4"}, {"rounds", "5"}}, 4);
  std::vector<SampleVertex> vertices;
  for (const char* codelet : {"UpdateBeliefs", "UpdateMessages", "Marginals"})
    vertices.push_back(world.userVertex(codelet, "beliefs.cpp"));
  return vertices;
}

// The largest difference of two results, relative to the largest expected value.
double differenceOf(const HostTensor& is, const HostTensor& shouldBe) {
  if (is.count() != shouldBe.count()) return std::numeric_limits<double>::infinity();
  double largest = 0, apart = 0;
  for (int64_t i = 0; i < is.count(); ++i) {
    largest = std::max(largest, std::abs(shouldBe.at(i)));
    const double difference = std::abs(is.at(i) - shouldBe.at(i));
    apart = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(apart, difference);
  }
  return apart == 0 ? 0 : apart / std::max(largest, 1e-30);
}

// All vectors of a field, concatenated.
HostTensor leftIn(const VertexObject& object, const ConnectedField& field) {
  if (field.vectors.size() == 1) return object.values(field.name);
  std::vector<HostTensor> vectors;
  for (std::size_t i = 0; i < field.vectors.size(); ++i) vectors.push_back(object.values(field.name, i));
  return joined(vectors);
}

void runVertex(SampleVertexResult& result, const graph::Codelet& codelet) {
  const SampleVertex& v = result.vertex;
  VertexObject object(codelet, v.fields, v.state);
  result.counted = double(object.run(v.random ? v.random() : std::function<uint64_t()>()));
  for (const ConnectedField& field : v.fields) {
    const auto wanted = v.results.find(field.name);
    if (wanted == v.results.end()) continue;
    const double difference = differenceOf(leftIn(object, field), wanted->second);
    result.difference = std::max(result.difference, difference);
    const bool isWhole = wanted->second.type() != ElementType::Float;
    if (difference > (isWhole ? 0 : v.tolerance))
      result.problem = "'" + field.name + "' has values that differ from the sample's";
  }
}

} // namespace

std::vector<SampleVertex> sampleVertices() {
  std::vector<SampleVertex> all{
      suffixSums(), heat2d(), heat3d(), blur("float", "BlurFloats"), blur("float2", "BlurPairs"), blur("half4", "BlurHalves")};
  for (SampleVertex& v : optionPrices()) all.push_back(std::move(v));
  all.push_back(pointers());
  for (const char* via : {"assembly", "compiled"}) all.push_back(stream("triad", via));
  all.push_back(stream("read", "compiled"));
  for (SampleVertex& v : spikes()) all.push_back(std::move(v));
  all.push_back(alignments());
  for (SampleVertex& v : beliefs()) all.push_back(std::move(v));
  return all;
}

std::vector<SampleVertexResult> runSampleVertices(std::vector<SampleVertex> vertices, const CompileCodelets& compile) {
  std::map<std::string, std::vector<graph::Codelet>> libraries; // by source
  std::vector<SampleVertexResult> results;
  for (SampleVertex& v : vertices) {
    SampleVertexResult result{std::move(v), std::nullopt, 0, {}};
    const std::string& source = result.vertex.source;
    if (!libraries.contains(source)) libraries[source] = compile(source, sourceOfCodelet(source));
    try {
      const auto& library = libraries[source];
      const auto found = std::find_if(library.begin(), library.end(),
                                      [&](const auto& codelet) { return codelet.name == result.vertex.codelet; });
      if (found == library.end())
        throw reports::Error(reports::ErrorCode::InvalidInput, "the source has no such codelet", result.vertex.codelet);
      runVertex(result, *found);
    } catch (const reports::Error& error) {
      result.problem = error.what();
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::string fieldsText(const SampleVertex& vertex) {
  std::string text;
  for (const ConnectedField& field : vertex.fields) {
    const std::size_t vectors = field.vectors.size();
    text += (text.empty() ? "" : ", ") + field.name + "[" + (vectors > 1 ? std::to_string(vectors) + " x " : "") +
            (vectors ? std::to_string(field.vectors[0].count()) : "0") + "]";
  }
  return text;
}

} // namespace simcore::validation
