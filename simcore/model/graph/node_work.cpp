#include "simcore/model/graph/node_work.h"

#include "reports/core/error.h"
#include "reports/core/within.h"
#include "simcore/numerics/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>

namespace simcore::model {

double elementsOf(const Shape& shape, std::size_t first) {
  double product = 1;
  for (std::size_t i = first; i < shape.size(); ++i) product *= double(shape[i]);
  return product;
}

double elementsRead(const Call& call) {
  double sum = 0;
  for (std::size_t i = 0; i < call.inputCount(); ++i)
    if (call.has(i)) sum += elementsOf(call.shape(i));
  return sum;
}

namespace {

bool hasSubgraph(const Node& node) {
  for (const auto& [name, value] : node.attributes.all())
    if (std::holds_alternative<std::shared_ptr<const Graph>>(value)) return true;
  return false;
}

double outputElements(const Operator& op, const Call& call) {
  const Types types = op.infer(call);
  return types.empty() ? 0 : elementsOf(types[0].shape);
}

// Multiply-adds; the weights are [out, in / groups, …].
double convolution(const Operator& op, const Call& call) {
  const std::size_t weights = call.node().opType == "QLinearConv" ? 3 : 1;
  return outputElements(op, call) * elementsOf(call.shape(weights), 1);
}
double transposedConvolution(const Operator&, const Call& call) {
  return elementsOf(call.shape(0)) * elementsOf(call.shape(1), 1);
}

double product(const Operator& op, const Call& call) {
  const Shape& a = call.shape(0);
  return a.empty() ? 0 : outputElements(op, call) * double(a.back());
}
double gemm(const Operator& op, const Call& call) {
  const Shape& a = call.shape(0);
  if (a.size() != 2) return 0;
  return outputElements(op, call) * double(a[call.attributes().integer("transA", 0) ? 0 : 1]);
}

double pooling(const Operator& op, const Call& call) {
  double window = 1;
  for (const std::int64_t size : call.attributes().integers("kernel_shape")) window *= double(std::max<std::int64_t>(0, size));
  return outputElements(op, call) * window * 0x1p4; // comparisons and conditional sums
}

// One multiply-add per combination of the labels' values.
double einsum(const Operator&, const Call& call) {
  const std::string equation = call.attributes().text("equation", "");
  std::map<char, double> sizes;
  std::size_t input = 0, dimension = 0;
  double rest = 1; // dimensions from "..." on
  for (const char c : equation.substr(0, equation.find('-'))) {
    if (c == ',') {
      ++input, dimension = 0;
    } else if (std::isalpha(static_cast<unsigned char>(c)) && input < call.inputCount() && dimension < call.shape(input).size()) {
      sizes[c] = std::max(sizes[c], double(call.shape(input)[dimension++]));
    } else if (c == '.' && input < call.inputCount()) {
      rest = std::max(rest, elementsOf(call.shape(input)));
      break;
    }
  }
  double work = rest;
  for (const auto& [label, size] : sizes) work *= std::max(1.0, size);
  return work;
}

double determinant(const Operator&, const Call& call) {
  const Shape& shape = call.shape(0);
  return shape.empty() ? 0 : elementsOf(shape) * double(shape.back());
}

// A comparison of a sort or of two boxes takes as long as this many multiply-adds.
constexpr double kComparison = 0x1p8;

// Comparisons per class: each box above the threshold with the boxes chosen before it.
double suppression(const Operator&, const Call& call) {
  const Shape &boxes = call.shape(0), &scores = call.shape(1);
  if (boxes.size() != 3 || scores.size() != 3) return 0;
  const double most = call.isKnown(2) && call.value(2).count() == 1 ? std::max(0.0, call.value(2).at(0)) : double(boxes[1]);
  if (!call.isKnown(1) || !call.isKnown(4) || call.value(4).count() != 1)
    return elementsOf(scores) * std::min(most, double(boxes[1])) * kComparison;
  double pairs = 0;
  const auto values = call.value(1).values<float>();
  const auto threshold = float(call.value(4).at(0));
  for (std::size_t row = 0; row + std::size_t(boxes[1]) <= values.size() && boxes[1] > 0; row += std::size_t(boxes[1])) {
    const auto begin = values.begin() + std::ptrdiff_t(row);
    const auto high = double(std::count_if(begin, begin + boxes[1], [&](float v) { return v > threshold; }));
    pairs += high * std::min(most, high);
  }
  return pairs * kComparison;
}

// Work of sorting columns of `size` elements (`all` in total) to get the first `kept` of each.
double sorting(double all, double size, double kept) {
  return size < 2 ? 0 : all * std::log2(std::min(size, std::max(2.0, kept) + 1)) * kComparison;
}
double topOf(const Operator&, const Call& call) {
  const Shape& shape = call.shape(0);
  if (shape.empty()) return 0;
  const std::size_t axis = numerics::normaliseAxis(call.attributes().integer("axis", -1), shape.size());
  const auto size = double(shape[axis]);
  const double kept = call.isKnown(1) && call.value(1).count() == 1 ? std::max(0.0, call.value(1).at(0))
                                                                    : double(call.attributes().integer("k", shape[axis]));
  return sorting(elementsOf(shape), size, std::min(size, kept));
}
// Rows are compared as a whole. The sort moves row numbers, so the compared rows are far apart in memory.
double distinct(const Operator&, const Call& call) {
  const Shape& shape = call.shape(0);
  const bool flat = !call.attributes().has("axis") || shape.empty();
  const double all = elementsOf(shape);
  const double rows = flat ? all : double(shape[numerics::normaliseAxis(call.attributes().integer("axis", 0), shape.size())]);
  return 2 * sorting(all, rows, rows);
}

// Both products of each step. The factor 4: products with single vectors are slower than products of matrices.
double recurrence(const Operator&, const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() != 3) return 0;
  return 4 * double(x[0]) * double(x[1]) * (elementsOf(call.shape(1)) + elementsOf(call.shape(2)));
}

// A fast Fourier transform of any length.
double transform(const Operator& op, const Call& call) {
  const Shape& shape = call.shape(0);
  double longest = 2;
  for (const std::int64_t size : shape) longest = std::max(longest, double(size));
  return (elementsOf(shape) + outputElements(op, call)) * std::log2(longest) * kComparison;
}

// At most four neighbours along each of two dimensions.
double resizing(const Operator& op, const Call& call) {
  const std::string mode = call.attributes().text("mode", "nearest");
  return outputElements(op, call) * (mode == "cubic" ? 0x1p10 : mode == "linear" ? 0x1p9 : 0x1p7);
}

constexpr double kSample = 0x1p9; // work per sample of a region: four taps, 12 ns
double regions(const Operator& op, const Call& call) {
  double samples = double(std::max<std::int64_t>(0, call.attributes().integer("sampling_ratio", 0)));
  const Shape& x = call.shape(0);
  if (samples == 0 && x.size() == 4) // a region then has as many samples as pixels per output
    samples =
        double(std::max(x[2], x[3])) / double(std::max<std::int64_t>(1, std::min(call.attributes().integer("output_height", 1),
                                                                                 call.attributes().integer("output_width", 1))));
  samples = std::max(1.0, samples);
  return outputElements(op, call) * samples * samples * kSample;
}
// The maximum over a region, which may be the whole image.
double regionMaxima(const Operator&, const Call& call) {
  const Shape &x = call.shape(0), &regions = call.shape(1);
  return x.empty() || regions.empty() ? 0 : double(regions[0]) * elementsOf(x, 1) * 0x1p6;
}

// Two cosines per element take as long as this many multiply-adds.
constexpr double kCosines = 0x1p11;
double cosineWindow(const Operator& op, const Call& call) { return outputElements(op, call) * kCosines; }

// At most sixteen neighbours per point, and their positions.
double samples(const Operator& op, const Call& call) { return outputElements(op, call) * 0x1p10; }
// A running sum adds its elements one after the other.
double sums(const Operator& op, const Call& call) { return outputElements(op, call) * 0x1p9; }

// Sums over windows of channels.
double responseNorm(const Operator&, const Call& call) {
  const Shape& shape = call.shape(0);
  if (shape.size() < 2) return 0;
  return elementsOf(shape) *
         double(std::clamp<std::int64_t>(call.attributes().integer("size", 1), 1, std::max<std::int64_t>(1, shape[1])));
}

// Random numbers or look-ups, one element after the other.
double oneByOne(const Operator& op, const Call& call) { return outputElements(op, call) * 0x1p8; }
double searches(const Operator&, const Call& call) { return elementsOf(call.shape(0)) * 0x1p7; }

using Work = double (*)(const Operator&, const Call&);
const std::map<std::string_view, Work>& works() {
  using Names = std::vector<std::string_view>;
  static const auto all = [] {
    std::map<std::string_view, Work> map;
    for (const auto& [work, names] : {std::pair<Work, Names>{convolution, {"Conv", "FusedConv", "ConvInteger", "QLinearConv"}},
                                      {transposedConvolution, {"ConvTranspose"}},
                                      {product, {"MatMul", "MatMulInteger", "QLinearMatMul"}},
                                      {gemm, {"Gemm"}},
                                      {pooling, {"MaxPool", "AveragePool", "LpPool"}},
                                      {einsum, {"Einsum"}},
                                      {determinant, {"Det"}},
                                      {suppression, {"NonMaxSuppression"}},
                                      {regions, {"RoiAlign"}},
                                      {regionMaxima, {"MaxRoiPool"}},
                                      {cosineWindow, {"HannWindow", "HammingWindow", "BlackmanWindow"}},
                                      {responseNorm, {"LRN"}},
                                      {samples, {"GridSample", "GridSampleGrad"}},
                                      {resizing, {"Resize", "Upsample"}},
                                      {sums, {"CumSum"}},
                                      {topOf, {"TopK"}},
                                      {distinct, {"Unique"}},
                                      {searches, {"NonZero", "Compress"}},
                                      {recurrence, {"RNN", "GRU", "LSTM"}},
                                      {transform, {"DFT", "STFT"}},
                                      {oneByOne,
                                       {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
                                        "GatherElements", "ScatterElements"}}})
      for (const std::string_view type : names) map.emplace(type, work);
    return map;
  }();
  return all;
}

} // namespace

double workBeyondElements(const Operator& op, const Call& call) {
  const auto work = works().find(call.node().opType);
  if (work == works().end()) return 0;
  try {
    return work->second(op, call);
  } catch (const reports::Error&) { // the operator reports the error itself
    return 0;
  } catch (const std::out_of_range&) {
    return 0;
  }
}

double hostWork(const Operator& op, const Call& call) {
  double moved = elementsRead(call);
  try {
    if (!op.has(kTypedByNumbers) && !hasSubgraph(call.node()))
      for (const TensorType& type : op.infer(call)) moved += elementsOf(type.shape);
  } catch (const reports::Error&) { // the operator reports the error itself
  } catch (const std::out_of_range&) {
  }
  return workBeyondElements(op, call) + kWorkOfAnElement * moved;
}

void requireAffordable(const Node& node, double before, double work, double most, const char* advice) {
  if (before + work <= most) return;
  const bool isAlone = work > most;
  throw reports::Error(reports::ErrorCode::InvalidInput,
                       fmt::format("the numbers {} this {} take {:.1e} multiply-adds on this computer; the limit is {:.1e}",
                                   isAlone ? "of" : "up to", node.opType, isAlone ? work : before + work, most),
                       {}, advice);
}

void requireRoom(const Operator& op, const Call& call) {
  if (op.has(kTypedByNumbers) || hasSubgraph(call.node())) return;
  double bytes = 0;
  try {
    for (const TensorType& type : op.infer(call)) bytes += elementsOf(type.shape) * double(numerics::hostSize(type.type));
  } catch (const reports::Error&) { // the kernel has more information, or reports the error
    return;
  } catch (const std::out_of_range&) {
    return;
  }
  if (const std::int64_t free = numerics::freeHostMemory(); bytes > double(free))
    throw reports::Error(reports::ErrorCode::OutOfMemory,
                         fmt::format("the numbers of this {} take {:.1e} bytes on this computer; {:.1e} bytes are free",
                                     call.node().opType, bytes, double(free)),
                         {}, "make it smaller, or compute no numbers");
}

} // namespace simcore::model
