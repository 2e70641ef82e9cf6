#include "simcore/codelets/roi_align.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <cmath>

namespace simcore::codelets {

using reports::ceilDiv;

VertexSpec regionBinsSpec(RegionRead read, bool takesMaximum, ElementType type) {
  VertexState state;
  state.onePtr().onePtr().onePtr().onePtr(); // map, regions, images, result
  for (int i = 0; i < 8; ++i) state.scalar(2);
  state.scalar(4); // scale
  const char* base = read == RegionRead::Elements ? "MaxRoiPool" : takesMaximum ? "RoiAlignMax" : "RoiAlign";
  return makeSpec(std::string("popnn::") + base + "<" + codeletTypeName(type) + ">", VertexKind::Multi, VertexFamily::Pooling,
                  codeBytes(CodeClass::ReduceGeneral), state);
}

// S + W x worst worker. A bin: 30, like a row of a pool, plus 12 for its edges (load two corners, scale, divide, each twice). A
// bilinear sample: 24; for each of two coordinates multiply and add, two comparisons with the map, two clamps, to integer and
// back, fraction and its complement (9), then the four products of weights and two addresses. Each of its four taps: 4 to test
// whether the row is on this tile and for the address, plus a load and a multiply and add per vector of channels. An element of a
// bin: 3 per vector, like a pool; rows on other tiles are skipped.
VertexCost regionBins(const arch::TileArchitecture& tile, RegionRead read, ElementType type, const RegionBins& work) {
  constexpr int64_t kStartOfBins = 11, kPerBin = 30 + 12, kPerSample = 24, kPerTap = 4;
  if (work.bins <= 0 || work.channels <= 0) return {Cycles(kStartOfBins), Flops(0)};
  const int64_t vectors = ceilDiv(work.channels, vectorWidth(tile, type)), samples = std::max<int64_t>(work.samples, 0);
  const double held = std::clamp(work.heldFraction, 0.0, 1.0);
  const bool bilinear = read == RegionRead::Bilinear;
  const int64_t taps = samples * (bilinear ? 4 : 1), here = int64_t(std::ceil(double(taps) * held));
  const int64_t bin =
      kPerBin + vectors + (bilinear ? samples * kPerSample + taps * kPerTap + here * 2 * vectors : here * 3 * vectors);
  const int64_t flops = work.bins * here * work.channels * (bilinear ? 2 : 1);
  return {Cycles(kStartOfBins + tile.workers * ceilDiv(work.bins, tile.workers) * bin),
          Flops(isFloatingOnDevice(type) ? flops : 0)};
}

} // namespace simcore::codelets
