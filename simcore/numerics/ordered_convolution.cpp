#include "simcore/numerics/ordered_convolution.h"

#include "reports/recording/tilescope_trace.h"
#include "simcore/numerics/processor.h"

#include <algorithm>
#include <array>
#include <memory>
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

constexpr std::int64_t kLanes = 16;          // output channels of a block
constexpr std::int64_t kChannelsOfBlock = 8; // input channels per partial sum
constexpr std::int64_t kChannelsOfPointwiseBlock = 128;
constexpr std::int64_t kMostWeights = 24'576; // per part of the input channels
constexpr std::int64_t kMostKept = 32'768;    // sums per piece of tiles, kept from one part of the channels to the next
// With AVX-512 a tile has 14 pixels of two blocks of output channels: 28 sums, so each input is loaded once for two products.
// AVX2 and NEON have registers for 6 pixels of one block.
constexpr int kWidest = 14;
constexpr int kWidestOfNarrow = 6;
constexpr std::int64_t kColumnsOfStrip = 4 * kWidest;

// A vector of one register. The compiler would keep longer vectors in memory and split them for every sum.
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

// One group of one image. Pointers point to the group's first element; strides are in elements.
struct Job {
  const float* input = nullptr;
  const float* weights = nullptr; // [output block][input block][kernel y][kernel x][channel][lane]
  const float* bias = nullptr;    // [output block][lane]
  const float* addend = nullptr;  // has the shape of the output, or null
  float* output = nullptr;
  std::int64_t channels = 0, block = 0, outputs = 0;
  std::int64_t plane = 0, row = 0; // strides of the input: from channel to channel, from row to row
  std::int64_t origin = 0;         // distance in elements from the corner of the padding to the first stored element
  std::int64_t kernelRows = 0, kernelColumns = 0, tapRow = 0, tapColumn = 0;
  std::int64_t strideRows = 1, strideColumns = 1;
  std::int64_t outRows = 0, outColumns = 0;
  std::int64_t outPlane = 0; // less than rows times columns if the last row is shorter
  std::int64_t dilationRows = 1, dilationColumns = 1;
  // The range of the padded input that has values. Taps that only read zeros are skipped, which does not change the sums.
  std::int64_t firstRow = 0, endRow = 0, firstColumn = 0, endColumn = 0;
};

// A part [from, to) of the input channels of a tile. `kept` holds the tile's sums between two parts, in the order [pixel][lane].
struct Part {
  std::int64_t from = 0, to = 0;
  float* kept = nullptr;
  bool isFirst = true, isLast = true;
};

// The taps [begin, end) that overlap the elements [first, last). Tap i covers `extent` elements from at + i * dilation on.
struct Taps {
  std::int64_t begin, end;
  Taps(std::int64_t at, std::int64_t extent, std::int64_t dilation, std::int64_t count, std::int64_t first, std::int64_t last)
      : begin(0), end(count) {
    while (begin < end && at + begin * dilation + extent <= first) ++begin;
    while (end > begin && at + (end - 1) * dilation >= last) --end;
  }
};

// Computes `width` adjacent outputs of a row, for the 16 channels of each of `blocks` blocks.
template<class Register, int width, std::int64_t stride, int blocks>
[[gnu::always_inline]] inline void tile(const Job& job, const Part& part, std::int64_t outBlock, std::int64_t y, std::int64_t x) {
  using Vector = typename Register::Vector;
  using Unaligned = typename Register::Unaligned;
  constexpr std::int64_t kOfVector = sizeof(Vector) / sizeof(float);
  constexpr int kOfBlock = kLanes / kOfVector, kParts = blocks * kOfBlock;
  const std::int64_t step = stride ? stride : job.strideColumns;
  const std::int64_t corner = y * job.strideRows * job.row + x * step - job.origin;
  const std::int64_t taps = job.kernelRows * job.kernelColumns;
  const Taps rows(y * job.strideRows, 1, job.dilationRows, job.kernelRows, job.firstRow, job.endRow);
  const Taps columns(x * step, (width - 1) * step + 1, job.dilationColumns, job.kernelColumns, job.firstColumn, job.endColumn);
  const std::int64_t plane = job.outPlane, at = y * job.outColumns + x, first = outBlock * kLanes;
  const std::int64_t lanes = std::min(blocks * kLanes, job.outputs - first);
  Vector total[width][kParts] = {};
  if (!part.isFirst || job.addend) {
    alignas(64) float outside[width][blocks * kLanes] = {};
    if (part.isFirst)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        for (int t = 0; t < width; ++t) outside[t][lane] = job.addend[(first + lane) * plane + at + t];
    const float* source = part.isFirst ? outside[0] : part.kept;
    for (int t = 0; t < width; ++t)
      for (int i = 0; i < kParts; ++i)
        total[t][i] = *reinterpret_cast<const Unaligned*>(source + t * blocks * kLanes + i * kOfVector);
  }
  for (std::int64_t from = part.from; from < part.to; from += job.block) {
    const std::int64_t count = std::min(job.block, part.to - from);
    const float* ofBlock = job.weights + (outBlock * job.channels + from) * taps * kLanes;
    const std::int64_t nextBlock = job.channels * taps * kLanes;
    Vector sum[width][kParts];
    for (int t = 0; t < width; ++t)
      for (int i = 0; i < kParts; ++i) sum[t][i] = Vector{};
    for (std::int64_t ky = rows.begin; ky < rows.end; ++ky)
      for (std::int64_t kx = columns.begin; kx < columns.end; ++kx) {
        const float* p = job.input + (corner + from * job.plane + ky * job.tapRow + kx * job.tapColumn);
        const float* weights = ofBlock + (ky * job.kernelColumns + kx) * count * kLanes;
        for (std::int64_t c = 0; c < count; ++c, p += job.plane, weights += kLanes) {
          for (int i = 0; i < blocks; ++i) __builtin_prefetch(weights + i * nextBlock + 8 * kLanes);
          __builtin_prefetch(p + 4 * job.plane);
          Vector w[kParts];
          for (int i = 0; i < kParts; ++i)
            w[i] = *reinterpret_cast<const Unaligned*>(weights + i / kOfBlock * nextBlock + i % kOfBlock * kOfVector);
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
  }
  alignas(64) float outside[width][blocks * kLanes];
  float* target = part.isLast ? outside[0] : part.kept;
  for (int t = 0; t < width; ++t)
    for (int i = 0; i < kParts; ++i) *reinterpret_cast<Unaligned*>(target + t * blocks * kLanes + i * kOfVector) = total[t][i];
  if (!part.isLast) return;
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    for (int t = 0; t < width; ++t) job.output[(first + lane) * plane + at + t] = outside[t][lane];
}

using Tile = void (*)(const Job&, const Part&, std::int64_t outBlock, std::int64_t y, std::int64_t x);

template<int width, std::int64_t stride, int blocks>
TILESCOPE_FOR("avx512f,avx512dq,avx512vl,fma")
void wideTile(const Job& job, const Part& part, std::int64_t b, std::int64_t y, std::int64_t x) {
  tile<WideRegister, width, stride, blocks>(job, part, b, y, x);
}
template<int width, std::int64_t stride>
TILESCOPE_FOR("avx2,fma")
void narrowTile(const Job& job, const Part& part, std::int64_t b, std::int64_t y, std::int64_t x) {
  tile<NarrowRegister, width, stride, 1>(job, part, b, y, x);
}

// Functions by width - 1.
using OfWidth = std::array<Tile, kWidest>;
template<std::int64_t stride, int blocks, int... widths> OfWidth wideTiles(std::integer_sequence<int, widths...>) {
  return {wideTile<widths + 1, stride, blocks>...};
}
template<std::int64_t stride, int... widths> OfWidth narrowTiles(std::integer_sequence<int, widths...>) {
  return {narrowTile<widths + 1, stride>...};
}

struct Tiles {
  OfWidth ofBlock{}, ofBlocks{}; // for one block of output channels; for `blocks` blocks
  int widest = 0, blocks = 1;
};
Tiles tilesFor(std::int64_t stride) {
  using Wide = std::make_integer_sequence<int, kWidest>;
  using Narrow = std::make_integer_sequence<int, kWidestOfNarrow>;
  if (hasWideVectors())
    return stride == 1 ? Tiles{wideTiles<1, 1>(Wide()), wideTiles<1, 2>(Wide()), kWidest, 2}
                       : Tiles{wideTiles<0, 1>(Wide()), wideTiles<0, 2>(Wide()), kWidest, 2};
  const OfWidth narrow = stride == 1 ? narrowTiles<1>(Narrow()) : narrowTiles<0>(Narrow());
  return {narrow, narrow, kWidestOfNarrow, 1};
}

// The tile width with the least work: a tile costs its width plus a constant.
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

using Numbers = std::unique_ptr<float[]>; // in contrast to a vector, not set to zero first

// [M, C, ky, kx] in the order in which tiles read it; lanes beyond M are zero.
Numbers packedWeights(const float* weights, const Job& job) {
  const std::int64_t taps = job.kernelRows * job.kernelColumns, blocks = (job.outputs + kLanes - 1) / kLanes;
  Numbers packed = std::make_unique_for_overwrite<float[]>(std::size_t(blocks * job.channels * taps * kLanes));
#pragma omp parallel for
  for (std::int64_t b = 0; b < blocks; ++b) {
    float* to = packed.get() + b * job.channels * taps * kLanes;
    const std::int64_t lanes = std::min(kLanes, job.outputs - b * kLanes);
    for (std::int64_t from = 0; from < job.channels; from += job.block)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t c = from; c < std::min(from + job.block, job.channels); ++c, to += kLanes) {
          for (std::int64_t lane = 0; lane < lanes; ++lane)
            to[lane] = weights[((b * kLanes + lane) * job.channels + c) * taps + tap];
          std::fill(to + lanes, to + kLanes, 0.0f);
        }
  }
  return packed;
}

// An image as [row][channel][column], so that a tile's channels are adjacent, with zeros before and after each row.
Numbers padded(const float* x, std::int64_t channels, std::int64_t rows, std::int64_t columns, std::int64_t before,
               std::int64_t after) {
  const std::int64_t whole = before + columns + after;
  Numbers result = std::make_unique_for_overwrite<float[]>(std::size_t(rows * channels * whole));
#pragma omp parallel for
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t c = 0; c < channels; ++c) {
      float* to = std::fill_n(result.get() + (y * channels + c) * whole, before, 0.0f);
      std::fill_n(std::copy_n(x + (c * rows + y) * columns, columns, to), after, 0.0f);
    }
  return result;
}

// The plane as one row, cut into strips: [strip][channel][column].
Numbers inStrips(const float* x, std::int64_t channels, std::int64_t plane) {
  const std::int64_t strips = (plane + kColumnsOfStrip - 1) / kColumnsOfStrip;
  Numbers result = std::make_unique_for_overwrite<float[]>(std::size_t(strips * channels * kColumnsOfStrip));
#pragma omp parallel for
  for (std::int64_t s = 0; s < strips; ++s)
    for (std::int64_t c = 0; c < channels; ++c)
      std::copy_n(x + c * plane + s * kColumnsOfStrip, std::min(kColumnsOfStrip, plane - s * kColumnsOfStrip),
                  result.get() + (s * channels + c) * kColumnsOfStrip);
  return result;
}

// A thread's part of a convolution, as a slice of the host timeline. Threads other than the first are named once.
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

// Number of input channels per part: their weights for a tile's outputs must stay in the cache while the tiles of a piece read
// them. A multiple of the block of a partial sum.
std::int64_t channelsOfPart(const Job& job, int blocks) {
  const std::int64_t fit = kMostWeights / (job.kernelRows * job.kernelColumns * kLanes * blocks) / job.block * job.block;
  const std::int64_t part = std::max(fit, job.block);
  return job.channels <= part + part / 2 ? job.channels : part;
}

void run(const Job& job, const Tiles& tiles) {
  const std::int64_t outBlocks = (job.outputs + kLanes - 1) / kLanes, groups = (outBlocks + tiles.blocks - 1) / tiles.blocks;
  const int width = bestWidth(job.outColumns, tiles.widest);
  const std::int64_t perRow = (job.outColumns + width - 1) / width, all = perRow * job.outRows;
  // Adjacent tiles of one block share weights and most of their input.
  const std::int64_t part = channelsOfPart(job, tiles.blocks), ofTile = width * kLanes * tiles.blocks;
  const std::int64_t fewest = part < job.channels ? (all * ofTile + kMostKept - 1) / kMostKept : 1;
  const std::int64_t pieces = std::clamp<std::int64_t>(std::max<std::int64_t>(64 / groups, fewest), 1, all);
#pragma omp parallel
  {
    const ThreadShare share;
    std::vector<float> kept(part < job.channels ? std::size_t((all / pieces + 1) * ofTile) : 0);
#pragma omp for collapse(2) schedule(dynamic) nowait
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t piece = 0; piece < pieces; ++piece)
        for (std::int64_t from = 0; from < job.channels; from += part) {
          const std::int64_t b = group * tiles.blocks;
          const OfWidth& ofWidth = b + tiles.blocks <= outBlocks ? tiles.ofBlocks : tiles.ofBlock;
          const std::int64_t to = std::min(from + part, job.channels), first = all * piece / pieces;
          for (std::int64_t i = first; i < all * (piece + 1) / pieces; ++i) {
            const std::int64_t y = i / perRow, x = i % perRow * width;
            const std::int64_t columns = std::min(job.outColumns - x, job.outPlane - y * job.outColumns - x);
            const Part ofTiles{from, to, kept.data() + (i - first) * ofTile, from == 0, to == job.channels};
            if (columns > 0) ofWidth[std::size_t(std::min<std::int64_t>(width, columns)) - 1](job, ofTiles, b, y, x);
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
  job.strideRows = stride[0];
  job.strideColumns = stride[1];
  job.outRows = out[0];
  job.outColumns = out[1];
  job.outPlane = out[0] * out[1];
  job.dilationRows = dilation[0], job.dilationColumns = dilation[1];
  job.firstRow = low[0], job.endRow = low[0] + size[0];
  job.firstColumn = low[1], job.endColumn = low[1] + size[1];
  const bool hasPads = whole != size;
  const Tiles tiles = tilesFor(stride[1]);
  bool hasStrips = false;
  if (pointwise && !hasPads && stride[0] == 1 && stride[1] == 1) { // the plane can be one long row
    hasStrips = job.outPlane > 2 * kColumnsOfStrip && job.outputs > kLanes;
    job.outColumns = hasStrips ? kColumnsOfStrip : job.outPlane;
    job.outRows = (job.outPlane + job.outColumns - 1) / job.outColumns;
    job.endRow = job.outRows;
    job.row = job.plane;
    job.endColumn = job.plane;
  }
  // Rows of zeros are never read; a column of zeros is read only if a tile also reaches the image.
  const std::int64_t reach = (tiles.widest - 1) * stride[1];
  const std::int64_t before = std::min(low[1], reach), after = std::min(high[1], reach);
  if (hasPads || hasStrips) {
    job.plane = hasPads ? before + size[1] + after : kColumnsOfStrip;
    job.row = job.channels * job.plane;
    job.origin = low[0] * job.row + low[1] - before;
  }
  job.tapRow = dilation[0] * job.row;
  job.tapColumn = dilation[1];
  float* target = result.mutableValues<float>().data();
  const std::int64_t inPlane = size[0] * size[1];
  Numbers ordered;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Numbers packed =
        packedWeights(weights.values<float>().data() + g * job.outputs * job.channels * kernel[0] * kernel[1], job);
    job.weights = packed.get();
    std::vector<float> biases(std::size_t((job.outputs + kLanes - 1) / kLanes * kLanes), 0.0f);
    if (bias) std::copy_n(bias->values<float>().data() + g * job.outputs, job.outputs, biases.data());
    job.bias = bias ? biases.data() : nullptr;
    for (std::int64_t n = 0; n < x.dim(0); ++n) {
      const std::int64_t first = (n * result.dim(1) + g * job.outputs) * job.outPlane;
      job.input = x.values<float>().data() + (n * x.dim(1) + g * job.channels) * inPlane;
      if (hasPads) ordered = padded(job.input, job.channels, size[0], size[1], before, after);
      if (hasStrips) ordered = inStrips(job.input, job.channels, inPlane);
      if (hasPads || hasStrips) job.input = ordered.get();
      job.output = target + first;
      job.addend = addend ? addend->values<float>().data() + first : nullptr;
      run(job, tiles);
    }
  }
}

} // namespace simcore::numerics
