#include "simcore/numerics/ordered_convolution.h"

#include "reports/recording/tilescope_trace.h"
#include "simcore/numerics/processor.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifndef _OPENMP
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

namespace simcore::numerics {

namespace {

constexpr std::int64_t kLanes = 16;          // output channels of a tile
constexpr std::int64_t kChannelsOfBlock = 8; // input channels of a partial sum
constexpr std::int64_t kChannelsOfPointwiseBlock = 128;
constexpr std::int64_t kMostWeights = 24'576; // numbers of a part of the channels
constexpr std::int64_t kMostKept = 32'768;    // sums of the tiles of a piece between two parts
constexpr int kWidest = 14; // pixels of a tile that fit the 32 registers of AVX-512; AVX2 and NEON have space for 6
constexpr int kWidestOfNarrow = 6;

// The numbers in one register. The compiler would keep a longer vector in memory and split it for every sum.
template<std::size_t bytes> struct Register {
  using Vector [[gnu::vector_size(bytes)]] = float;
  using Unaligned [[gnu::vector_size(bytes), gnu::aligned(4), gnu::may_alias]] = float;
};
using WideRegister = Register<64>;
#ifdef __x86_64__
using NarrowRegister = Register<32>;
#else
using NarrowRegister = Register<16>;
#endif

// A group of one image. Pointers are to the first element of the group; strides are in elements.
struct Job {
  const float* input = nullptr;
  const float* weights = nullptr; // [output block][input block][kernel y][kernel x][channel][lane]
  const float* bias = nullptr;    // [output block][lane]
  const float* addend = nullptr;  // with the shape of the output, or null
  float* output = nullptr;
  std::int64_t channels = 0, block = 0, outputs = 0;
  std::int64_t plane = 0, row = 0; // of the input
  std::int64_t kernelRows = 0, kernelColumns = 0, tapRow = 0, tapColumn = 0;
  std::int64_t strideRows = 1, strideColumns = 1;
  std::int64_t outRows = 0, outColumns = 0;
  // Where the padded input has numbers; taps that see only zeros are skipped, which changes no sum.
  std::int64_t dilationRows = 1, dilationColumns = 1;
  std::int64_t firstRow = 0, endRow = 0, firstColumn = 0, endColumn = 0;
};

// The input channels [from, to) of a tile. Between two parts its sums are in `kept`, in the order [pixel][lane].
struct Part {
  std::int64_t from = 0, to = 0;
  float* kept = nullptr;
  bool isFirst = true, isLast = true;
};

// The taps of `count`, `dilation` apart from `at` on, that meet [first, end) with one of `extent` elements.
struct Taps {
  std::int64_t begin, end;
  Taps(std::int64_t at, std::int64_t extent, std::int64_t dilation, std::int64_t count, std::int64_t first, std::int64_t last)
      : begin(0), end(count) {
    while (begin < end && at + begin * dilation + extent <= first) ++begin;
    while (end > begin && at + (end - 1) * dilation >= last) --end;
  }
};

// `width` neighbours in a row of the output, for the 16 channels of a block.
template<class Register, int width, std::int64_t stride>
[[gnu::always_inline]] inline void tile(const Job& job, const Part& part, std::int64_t outBlock, std::int64_t y, std::int64_t x) {
  using Vector = typename Register::Vector;
  using Unaligned = typename Register::Unaligned;
  constexpr std::int64_t kOfVector = sizeof(Vector) / sizeof(float);
  constexpr int kParts = kLanes / kOfVector;
  const std::int64_t step = stride ? stride : job.strideColumns;
  const float* input = job.input + y * job.strideRows * job.row + x * step;
  const std::int64_t taps = job.kernelRows * job.kernelColumns;
  const Taps rows(y * job.strideRows, 1, job.dilationRows, job.kernelRows, job.firstRow, job.endRow);
  const Taps columns(x * step, (width - 1) * step + 1, job.dilationColumns, job.kernelColumns, job.firstColumn, job.endColumn);
  const std::int64_t plane = job.outRows * job.outColumns, at = y * job.outColumns + x, first = outBlock * kLanes;
  const std::int64_t lanes = std::min(kLanes, job.outputs - first);
  alignas(64) float outside[width][kLanes] = {}; // in the memory format of the output
  if (!part.isFirst) std::copy_n(part.kept, width * kLanes, outside[0]);
  if (part.isFirst && job.addend)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      for (int t = 0; t < width; ++t) outside[t][lane] = job.addend[(first + lane) * plane + at + t];
  Vector total[width][kParts];
  for (int t = 0; t < width; ++t)
    for (int i = 0; i < kParts; ++i) total[t][i] = *reinterpret_cast<const Unaligned*>(outside[t] + i * kOfVector);
  for (std::int64_t from = part.from; from < part.to; from += job.block) {
    const std::int64_t count = std::min(job.block, part.to - from);
    const float* ofBlock = job.weights + (outBlock * job.channels + from) * taps * kLanes;
    Vector sum[width][kParts];
    for (int t = 0; t < width; ++t)
      for (int i = 0; i < kParts; ++i) sum[t][i] = Vector{};
    for (std::int64_t ky = rows.begin; ky < rows.end; ++ky)
      for (std::int64_t kx = columns.begin; kx < columns.end; ++kx) {
        const float* p = input + from * job.plane + ky * job.tapRow + kx * job.tapColumn;
        const float* weights = ofBlock + (ky * job.kernelColumns + kx) * count * kLanes;
        for (std::int64_t c = 0; c < count; ++c, p += job.plane, weights += kLanes) {
          Vector w[kParts];
          for (int i = 0; i < kParts; ++i) w[i] = *reinterpret_cast<const Unaligned*>(weights + i * kOfVector);
          for (int t = 0; t < width; ++t)
            for (int i = 0; i < kParts; ++i) sum[t][i] += w[i] * p[t * step];
        }
      }
    for (int t = 0; t < width; ++t)
      for (int i = 0; i < kParts; ++i) total[t][i] += sum[t][i];
  }
  for (int i = 0; i < kParts; ++i) {
    if (job.bias && part.isLast)
      for (int t = 0; t < width; ++t) total[t][i] += *reinterpret_cast<const Unaligned*>(job.bias + first + i * kOfVector);
    for (int t = 0; t < width; ++t) *reinterpret_cast<Unaligned*>(outside[t] + i * kOfVector) = total[t][i];
  }
  if (!part.isLast) {
    std::copy_n(outside[0], width * kLanes, part.kept);
    return;
  }
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    for (int t = 0; t < width; ++t) job.output[(first + lane) * plane + at + t] = outside[t][lane];
}

using Tile = void (*)(const Job&, const Part&, std::int64_t outBlock, std::int64_t y, std::int64_t x);

template<int width, std::int64_t stride>
TILESCOPE_FOR("avx512f,avx512dq,avx512vl,fma")
void wideTile(const Job& job, const Part& part, std::int64_t b, std::int64_t y, std::int64_t x) {
  tile<WideRegister, width, stride>(job, part, b, y, x);
}
template<int width, std::int64_t stride>
TILESCOPE_FOR("avx2,fma")
void narrowTile(const Job& job, const Part& part, std::int64_t b, std::int64_t y, std::int64_t x) {
  tile<NarrowRegister, width, stride>(job, part, b, y, x);
}

// By width - 1.
template<std::int64_t stride, int... widths> std::array<Tile, kWidest> wideTiles(std::integer_sequence<int, widths...>) {
  return {wideTile<widths + 1, stride>...};
}
template<std::int64_t stride, int... widths> std::array<Tile, kWidest> narrowTiles(std::integer_sequence<int, widths...>) {
  return {narrowTile<widths + 1, stride>...};
}

struct Tiles {
  std::array<Tile, kWidest> ofWidth{};
  int widest = 0;
};
Tiles tilesFor(std::int64_t stride) {
  using Wide = std::make_integer_sequence<int, kWidest>;
  using Narrow = std::make_integer_sequence<int, kWidestOfNarrow>;
  if (hasWideVectors()) return {stride == 1 ? wideTiles<1>(Wide()) : wideTiles<0>(Wide()), kWidest};
  return {stride == 1 ? narrowTiles<1>(Narrow()) : narrowTiles<0>(Narrow()), kWidestOfNarrow};
}

// The width with the least work: a tile costs its width plus a constant.
int bestWidth(std::int64_t columns, int widest) {
  int best = 1;
  double least = 1e300;
  for (int width = 1; width <= widest; ++width) {
    const std::int64_t whole = columns / width, rest = columns % width;
    const double cost = double(whole) * (std::max(width, 4) + 1) + (rest ? double(std::max<std::int64_t>(rest, 4)) + 1 : 0);
    if (cost <= least) {
      least = cost;
      best = width;
    }
  }
  return best;
}

// [M, C, ky, kx] in the order in which tiles read it; lanes beyond M are zero.
std::vector<float> packedWeights(const float* weights, const Job& job) {
  const std::int64_t taps = job.kernelRows * job.kernelColumns, blocks = (job.outputs + kLanes - 1) / kLanes;
  std::vector<float> packed(std::size_t(blocks * job.channels * taps * kLanes), 0.0f);
#pragma omp parallel for
  for (std::int64_t b = 0; b < blocks; ++b) {
    float* to = packed.data() + b * job.channels * taps * kLanes;
    const std::int64_t lanes = std::min(kLanes, job.outputs - b * kLanes);
    for (std::int64_t from = 0; from < job.channels; from += job.block)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t c = from; c < std::min(from + job.block, job.channels); ++c, to += kLanes)
          for (std::int64_t lane = 0; lane < lanes; ++lane)
            to[lane] = weights[((b * kLanes + lane) * job.channels + c) * taps + tap];
  }
  return packed;
}

// The planes of a tensor with zeros around them.
std::vector<float> padded(const float* x, std::int64_t planes, const std::array<std::int64_t, 2>& size,
                          const std::array<std::int64_t, 2>& low, const std::array<std::int64_t, 2>& whole) {
  std::vector<float> result(std::size_t(planes * whole[0] * whole[1]), 0.0f);
#pragma omp parallel for
  for (std::int64_t p = 0; p < planes; ++p)
    for (std::int64_t y = 0; y < size[0]; ++y)
      std::copy_n(x + (p * size[0] + y) * size[1], size[1], result.data() + (p * whole[0] + y + low[0]) * whole[1] + low[1]);
  return result;
}

// The share of one thread in a convolution, as a slice of the host timeline. Threads other than the first get a name once.
class ThreadShare {
public:
  ThreadShare() : m_scope(channel(), "convolution") {
#ifdef _OPENMP
    static thread_local bool isNamed = false;
    if (const int number = omp_get_thread_num(); number > 0 && !isNamed && channel().isActive()) {
      tilescope_trace::nameThread("numbers " + std::to_string(number));
      isNamed = true;
    }
#endif
  }

private:
  static const tilescope_trace::Channel& channel() {
    static const tilescope_trace::Channel numbers("numbers");
    return numbers;
  }
  tilescope_trace::Scope m_scope;
};

// So many that their weights for a block of outputs stay in the cache while the tiles of a piece read them; whole partial sums.
std::int64_t channelsOfPart(const Job& job) {
  const std::int64_t fit = kMostWeights / (job.kernelRows * job.kernelColumns * kLanes) / job.block * job.block;
  const std::int64_t part = std::max(fit, job.block);
  return job.channels <= part + part / 2 ? job.channels : part;
}

void run(const Job& job, const Tiles& tiles) {
  const std::int64_t outBlocks = (job.outputs + kLanes - 1) / kLanes;
  const int width = bestWidth(job.outColumns, tiles.widest);
  const std::int64_t perRow = (job.outColumns + width - 1) / width, all = perRow * job.outRows;
  // Neighbouring tiles of one block share weights and most of their input.
  const std::int64_t part = channelsOfPart(job), ofTile = width * kLanes;
  const std::int64_t fewest = part < job.channels ? (all * ofTile + kMostKept - 1) / kMostKept : 1;
  const std::int64_t pieces = std::clamp<std::int64_t>(std::max<std::int64_t>(64 / outBlocks, fewest), 1, all);
#pragma omp parallel
  {
    const ThreadShare share;
    std::vector<float> kept(part < job.channels ? std::size_t((all / pieces + 1) * ofTile) : 0);
#pragma omp for collapse(2) schedule(dynamic) nowait
    for (std::int64_t b = 0; b < outBlocks; ++b)
      for (std::int64_t piece = 0; piece < pieces; ++piece)
        for (std::int64_t from = 0; from < job.channels; from += part) {
          const std::int64_t to = std::min(from + part, job.channels), first = all * piece / pieces;
          for (std::int64_t i = first; i < all * (piece + 1) / pieces; ++i) {
            const std::int64_t y = i / perRow, x = i % perRow * width;
            const Part ofTiles{from, to, kept.data() + (i - first) * ofTile, from == 0, to == job.channels};
            tiles.ofWidth[std::size_t(std::min<std::int64_t>(width, job.outColumns - x)) - 1](job, ofTiles, b, y, x);
          }
        }
  }
}

// One-dimensional convolutions are images of one row.
std::array<std::int64_t, 2> pair(const std::vector<std::int64_t>& values, std::int64_t standard) {
  return values.size() == 1 ? std::array<std::int64_t, 2>{standard, values[0]}
                            : std::array<std::int64_t, 2>{values[0], values[1]};
}

} // namespace

bool hasOrderedConvolution(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups) {
  for (const auto& pads : {window.padsBefore, window.padsAfter})
    if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad < 0; })) return false;
  if ((x.size() != 3 && x.size() != 4) || weights[0] / groups < (groups > 1 ? kChannelsOfBlock : 1)) return false;
  return elementCount(x) > 0 && elementCount(weights) > 0 && hasFusedMultiplyAdd();
}

void orderedConvolution(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const HostTensor* addend,
                        const Window& w, std::int64_t groups, HostTensor& result) {
  const auto size = pair({x.shape().begin() + 2, x.shape().end()}, 1), kernel = pair(w.kernel, 1), stride = pair(w.strides, 1),
             dilation = pair(w.dilations, 1), low = pair(w.padsBefore, 0), high = pair(w.padsAfter, 0),
             out = pair({result.shape().begin() + 2, result.shape().end()}, 1);
  const std::array<std::int64_t, 2> whole{size[0] + low[0] + high[0], size[1] + low[1] + high[1]};
  Job job;
  job.channels = weights.dim(1);
  job.outputs = weights.dim(0) / groups;
  const bool pointwise = kernel[0] * kernel[1] == 1;
  job.block = job.channels < kChannelsOfBlock ? 1 : pointwise ? kChannelsOfPointwiseBlock : kChannelsOfBlock;
  job.row = whole[1];
  job.plane = whole[0] * whole[1];
  job.kernelRows = kernel[0];
  job.kernelColumns = kernel[1];
  job.tapRow = dilation[0] * job.row;
  job.tapColumn = dilation[1];
  job.strideRows = stride[0];
  job.strideColumns = stride[1];
  job.outRows = out[0];
  job.outColumns = out[1];
  job.dilationRows = dilation[0], job.dilationColumns = dilation[1];
  job.firstRow = low[0], job.endRow = low[0] + size[0];
  job.firstColumn = low[1], job.endColumn = low[1] + size[1];
  const bool hasPads = whole != size;
  if (pointwise && !hasPads && stride[0] == 1 && stride[1] == 1) { // rows need no ends
    job.outColumns *= std::exchange(job.outRows, 1);
    job.row = job.plane;
    job.endColumn = job.plane;
  }
  const std::vector<float> surrounded =
      hasPads ? padded(x.values<float>().data(), x.dim(0) * x.dim(1), size, low, whole) : std::vector<float>();
  const float* source = hasPads ? surrounded.data() : x.values<float>().data();
  const Tiles tiles = tilesFor(stride[1]);
  float* target = result.mutableValues<float>().data();
  const std::int64_t outPlane = out[0] * out[1];
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::vector<float> packed =
        packedWeights(weights.values<float>().data() + g * job.outputs * job.channels * kernel[0] * kernel[1], job);
    job.weights = packed.data();
    std::vector<float> biases(std::size_t((job.outputs + kLanes - 1) / kLanes * kLanes), 0.0f);
    if (bias) std::copy_n(bias->values<float>().data() + g * job.outputs, job.outputs, biases.data());
    job.bias = bias ? biases.data() : nullptr;
    for (std::int64_t n = 0; n < x.dim(0); ++n) {
      const std::int64_t first = (n * result.dim(1) + g * job.outputs) * outPlane;
      job.input = source + (n * x.dim(1) + g * job.channels) * job.plane;
      job.output = target + first;
      job.addend = addend ? addend->values<float>().data() + first : nullptr;
      run(job, tiles);
    }
  }
}

} // namespace simcore::numerics
