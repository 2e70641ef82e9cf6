#include "simcore/ops/vision/nms.h"

#include "simcore/codelets/slice.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/loop.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/ops/sort/nonzero.h"
#include "simcore/ops/sort/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::TernaryOp;
using numerics::HostTensor;
using numerics::SuppressionParameters;

namespace {

constexpr ElementType kIndex = ElementType::Int64; // a word on the machine
constexpr double kTaken = -std::numeric_limits<double>::infinity();

// Intersection over union of two boxes, compared with the threshold; boxes in centre format are first converted to corners.
std::vector<MapStep> overlapSteps(ElementType type, bool centreFormat) {
  std::vector<BinaryOp> ops{BinaryOp::Minimum,  BinaryOp::Maximum,  BinaryOp::Subtract, // height
                            BinaryOp::Minimum,  BinaryOp::Maximum,  BinaryOp::Subtract, // width
                            BinaryOp::Multiply, BinaryOp::Subtract, BinaryOp::Subtract, // both areas
                            BinaryOp::Multiply, BinaryOp::Subtract, BinaryOp::Subtract, BinaryOp::Multiply,
                            BinaryOp::Add,      BinaryOp::Subtract, BinaryOp::Divide,   BinaryOp::Greater};
  if (centreFormat)
    for (int corner = 0; corner < 8; ++corner) {
      ops.push_back(BinaryOp::Multiply); // half of the size
      ops.push_back(BinaryOp::Add);
    }
  std::vector<MapStep> steps;
  for (const BinaryOp op : ops) steps.push_back({op, type});
  steps.push_back({BinaryOp::Equal, kIndex}); // the winner itself
  steps.push_back({BinaryOp::LogicalOr, ElementType::Bool});
  steps.push_back({TernaryOp::Select, type});
  return steps;
}

// Cycles of all rounds and of the final sort. A round has two passes over the scores for the best and its position, the writing
// of both, the look-up of its box, the overlaps, the increment of one counter, an addition to one number, and the exchanges
// between.
int64_t predictedCycles(const OpBuilder& b, ElementType type, const Shape& shape, int64_t rounds, const SuppressionParameters& p,
                        int64_t chosen) {
  const int64_t rows = shape[0] * shape[1], share = reports::ceilDiv(rows * shape[2], b.tiles());
  const auto pass = [&](std::span<const MapStep> steps) { return codelets::fusedMap(b.tile(), steps, share).cycles.value(); };
  const MapStep compare{BinaryOp::Maximum, type}, add{BinaryOp::Add, kIndex};
  const int64_t best = 2 * pass({&compare, 1}) +
                       2 * codelets::dynamicSlice1D(b.tile(), codelets::SliceDirection::Update, type, 1, 1).cycles.value(),
                winners = 2 * codelets::fusedMap(b.tile(), {&add, 1}, 1).cycles.value() +
                          planLookUp(b.machine(), type, shape[0] * shape[2], 4, rows, b.availableMemoryProportion()).cycles(),
                round = best + winners + pass(overlapSteps(type, p.centreFormat)) +
                        4 * exchangeEstimate(b.machine(), rows * elementBytes(type));
  return rounds * round + planTopK(b.machine(), kIndex, 1, rows * rounds, chosen).cycles();
}

class SuppressionLowering {
public:
  SuppressionLowering(const OpBuilder& b, const Tensor& boxes, const Tensor& scores, const SuppressionParameters& p,
                      int64_t chosen)
      : m_b(b), m_boxes(boxes), m_p(p), m_chosen(chosen), m_type(scores.elementType()), m_shape(scores.shape()),
        m_rows(m_shape[0] * m_shape[1]), m_rounds(std::min(p.maximumPerClass, m_shape[2])), m_live(live(scores)) {}

  Tensor run() {
    const std::array<Tensor, 4> planes = boxesBesideScores();
    const Tensor winners = sliceableVariable(m_b, kIndex, m_rounds, m_rows, "winners"),
                 best = sliceableVariable(m_b, m_type, m_rounds, m_rows, "best");
    countedLoop(m_b, 0, m_rounds, 1, [&](const OpBuilder& in, const Tensor& round) {
      const Tensor winner = argReduce(in, m_live, 2, true, false, false);
      dynamicUpdate(in, best, reduce(in, m_live, {2}, codelets::ReduceOp::Maximum, false).flatten(), round);
      dynamicUpdate(in, winners, winner.flatten(), round);
      suppress(in, planes, winner);
    });
    return chosenOf(winners, best);
  }

private:
  HostKernel ifNumbers(HostKernel kernel) const { return m_b.withNumbers() ? std::move(kernel) : HostKernel(); }

  // The scores above the threshold; all others are marked as removed.
  Tensor live(const Tensor& scores) const {
    const double threshold = m_p.scoreThreshold ? *m_p.scoreThreshold : kTaken;
    return map(m_b, "aboveThreshold", {{BinaryOp::Greater, m_type}, {TernaryOp::Select, m_type}}, {scores}, m_type, m_shape,
               ifNumbers(oneResult([threshold](const std::vector<HostTensor>& in) {
                 HostTensor out = in[0].cast(ElementType::Float);
                 for (float& v : out.mutableValues<float>())
                   if (!(double(v) > threshold)) v = float(kTaken);
                 return out;
               })));
  }

  // Each coordinate of the boxes, repeated for every class, on the tiles of the scores.
  std::array<Tensor, 4> boxesBesideScores() const {
    const Shape perClass{m_shape[0], 1, m_shape[2]};
    std::array<Tensor, 4> planes;
    for (std::size_t i = 0; i < 4; ++i) {
      planes[i] = m_b.output(m_type, m_shape, "coordinate" + std::to_string(i), m_b.layoutOf(m_live));
      const Tensor column = m_boxes.slice(int64_t(i), int64_t(i) + 1, 2).reshape(perClass);
      mapWithOutput(m_b, "spread", {{codelets::CastTo{m_type}, m_type}}, {column}, planes[i],
                    ifNumbers(oneResult([shape = m_shape](const std::vector<HostTensor>& in) {
                      return in[0].rank() == shape.size() ? numerics::expand(in[0], shape) : in[0];
                    })));
    }
    return planes;
  }

  void suppress(const OpBuilder& in, const std::array<Tensor, 4>& planes, const Tensor& winner) const {
    const Tensor places = map(in, "boxOfWinner", {{BinaryOp::Add, kIndex}}, {winner}, kIndex, winner.shape(),
                              ifNumbers(oneResult([](const std::vector<HostTensor>& v) {
                                return numerics::binary(numerics::BinaryKind::Add, v[0], v[1]);
                              })),
                              {firstBoxes()});
    const Tensor boxes = multiSlice(in, m_boxes.reshape({m_shape[0] * m_shape[2], 4}), places.flatten());
    const Shape perRow{m_shape[0], m_shape[1], 1};
    std::vector<Tensor> operands{m_live};
    operands.insert(operands.end(), planes.begin(), planes.end());
    for (int64_t i = 0; i < 4; ++i) operands.push_back(boxes.slice(i, i + 1, 1).reshape(perRow));
    operands.push_back(winner.reshape(perRow));
    std::vector<int64_t> own(std::size_t(m_shape[2]), 0);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = int64_t(i);
    mapInPlace(in, "suppress", overlapSteps(m_type, m_p.centreFormat), operands, ifNumbers(withoutOverlap()),
               {HostTensor::vector(own)});
  }

  // For each row of scores, the index of its first box among all boxes.
  HostTensor firstBoxes() const {
    std::vector<int64_t> first;
    for (int64_t row = 0; row < m_rows; ++row) first.push_back(row / m_shape[1] * m_shape[2]);
    return HostTensor::of({m_shape[0], m_shape[1]}, first);
  }

  // Operands: scores, four coordinates of boxes, four of winners, winners, own indices; all broadcast to the scores.
  HostKernel withoutOverlap() const {
    return oneResult([p = m_p](const std::vector<HostTensor>& in) {
      HostTensor out = in[0].cast(ElementType::Float);
      const Shape& shape = out.shape();
      std::array<HostTensor, 8> corners;
      for (std::size_t i = 0; i < 8; ++i) corners[i] = numerics::expand(in[i + 1].cast(ElementType::Float), shape);
      const HostTensor winner = numerics::expand(in[9], shape), own = numerics::expand(in[10], shape);
      auto values = out.mutableValues<float>();
      for (std::size_t e = 0; e < values.size(); ++e) {
        std::array<float, 4> a, b;
        for (std::size_t i = 0; i < 4; ++i) {
          a[i] = corners[i].values<float>()[e];
          b[i] = corners[i + 4].values<float>()[e];
        }
        if (own.integerAt(int64_t(e)) == winner.integerAt(int64_t(e)) ||
            double(numerics::boxOverlap(a.data(), b.data(), p.centreFormat)) > p.overlapThreshold)
          values[e] = float(kTaken);
      }
      return out;
    });
  }

  // [iterations, rows] of winners to rows of (batch, class, box), class by class and best first.
  Tensor chosenOf(const Tensor& winners, const Tensor& best) const {
    const auto byRow = [&](const Tensor& t) { return t.dimShuffle({1, 0}).reshape({m_rows * m_rounds}); };
    const Tensor isChosen = map(m_b, "isChosen", {{BinaryOp::Greater, m_type}}, {byRow(best)}, ElementType::Bool,
                                {m_rows * m_rounds}, ifNumbers(oneResult([](const std::vector<HostTensor>& in) {
                                  HostTensor out(ElementType::Bool, in[0].shape());
                                  for (int64_t i = 0; i < out.count(); ++i)
                                    out.mutableValues<bool>()[std::size_t(i)] = in[0].at(i) > kTaken;
                                  return out;
                                })));
    const Tensor places = placesOfNonZero(m_b, isChosen, m_chosen);
    const Tensor box = multiSlice(m_b, byRow(winners).reshape({m_rows * m_rounds, 1}), places);
    const Tensor row = digitOf(m_b, places, m_rounds, 0);
    const Tensor batch = digitOf(m_b, row, m_shape[1], 0), classes = digitOf(m_b, row, 1, m_shape[1]);
    return graph::concat({batch.reshape({m_chosen, 1}), classes.reshape({m_chosen, 1}), box}, 1);
  }

  const OpBuilder& m_b;
  Tensor m_boxes;
  SuppressionParameters m_p;
  int64_t m_chosen;
  ElementType m_type;
  Shape m_shape; // batches, classes, boxes
  int64_t m_rows, m_rounds;
  Tensor m_live;
};

} // namespace

Tensor nonMaxSuppression(const OpBuilder& builder, const Tensor& boxes, const Tensor& scores, const SuppressionParameters& p,
                         int64_t chosen) {
  const OpBuilder b = builder.within("nonMaxSuppression", "nonMaxSuppression");
  const int64_t rounds = std::min(p.maximumPerClass, scores.dim(2));
  b.recordPlan("best of every class, then its overlaps",
               fmt::format("{} rounds over {} classes of {} boxes", rounds, scores.dim(0) * scores.dim(1), scores.dim(2)),
               {{"rounds", rounds}, {"classes", scores.dim(0) * scores.dim(1)}, {"boxes", scores.dim(2)}, {"chosen", chosen}},
               {predictedCycles(b, scores.elementType(), scores.shape(), rounds, p, chosen)});
  return SuppressionLowering(b, boxes, scores, p, chosen).run();
}

} // namespace simcore::ops
