#include "simcore/ops/sort/unique.h"

#include "simcore/codelets/slice.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/fill.h"
#include "simcore/ops/loop.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/ops/reduce/scan.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/ops/sort/sort.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using codelets::BinaryOp;
using numerics::BinaryKind;
using numerics::HostTensor;
using numerics::ScatterReduction;

namespace {

constexpr ElementType kPlace = ElementType::Int64; // a word on the machine

// Numbers are moved to given positions in one of two ways: every tile scans all positions for its own, or the positions are
// sorted, which gives each position's number. The cost of the first way grows with the number of rows, that of the second with
// the square of its logarithm.
struct UniquePlan {
  bool byUpdates = true;
  int64_t cycles = 0;
};
UniquePlan planUnique(const OpBuilder& b, ElementType type, int64_t rows, int64_t columns) {
  const arch::Machine& m = b.machine();
  codelets::LookUp all;
  all.type = kPlace;
  all.offsets = rows;
  all.inRangeFraction = 1.0 / double(std::min<int64_t>(rows, m.tilesPerIpu));
  all.rowElements = 1;
  const int64_t update = codelets::multiUpdate(m.tile, all).cycles.value() + exchangeEstimate(m, 2 * rows * elementBytes(kPlace)),
                lookUp = planLookUp(m, kPlace, rows, 1, rows, b.availableMemoryProportion()).cycles(),
                sorted = planTopK(m, kPlace, 1, rows, rows).cycles() + lookUp;
  UniquePlan plan;
  plan.byUpdates = rows == 1 || update <= sorted;
  plan.cycles =
      columns * (planTopK(m, type, 1, rows, rows).cycles() + (columns > 1 ? 2 * lookUp : 0)) + 2 * std::min(update, sorted);
  return plan;
}

class UniqueLowering {
public:
  UniqueLowering(const OpBuilder& b, const Tensor& x, const UniqueParams& p, const UniquePlan& plan)
      : m_b(b), m_x(x), m_p(p), m_plan(plan), m_rows(x.dim(0)), m_columns(x.dim(1)) {}

  UniqueResult run() {
    sort();
    mark();
    UniqueResult result;
    // Begin of each group in the sorted rows; because the sort is stable, it is the first occurrence of the row.
    if (m_p.values || m_p.first || m_p.counts) {
      const Tensor begin = beginnings();
      if (m_p.values) result.values = multiSlice(m_b, m_sorted, begin);
      if (m_p.counts) result.counts = sizes(begin);
      if (m_p.first || !m_p.sorted) result.first = multiSlice(m_b, m_order, begin);
    } else if (!m_p.sorted) { // unused groups come last
      result.first = firstOf(m_order, double(m_rows), "first");
    }
    if (m_p.inverse) result.inverse = putAt(m_group, m_order, "inverse");
    if (!m_p.sorted) inOrderOfOccurrence(result);
    result.first = m_p.first ? result.first.flatten() : Tensor();
    if (m_p.inverse) result.inverse = result.inverse.flatten();
    if (m_p.counts) result.counts = result.counts.flatten();
    return result;
  }

private:
  // A column of numbers, in the form of tables and updates.
  Tensor column(const std::string& name, int64_t n) const { return m_b.output(kPlace, {n, 1}, name, m_b.linear(n, kPlace)); }
  Tensor filled(const std::string& name, int64_t n, double value) const {
    const Tensor t = column(name, n);
    fill(m_b, t, value);
    return t;
  }
  Tensor counted(const std::string& name, int64_t n) const {
    const Tensor t = column(name, n);
    iota(m_b, t, 0);
    return t;
  }

  void sort() {
    if (m_columns == 1) {
      const TopKResult all = topK(m_b, m_x.flatten(), m_rows, 0, false);
      m_sorted = all.values.reshape({m_rows, 1});
      m_order = all.indices.reshape({m_rows, 1});
      return;
    }
    m_order = counted("order", m_rows);
    const Tensor keys = sliceable(m_b, transpose(m_b, m_x.reverse(1), {1, 0}));
    countedLoop(m_b, 0, m_columns, 1, [&](const OpBuilder& body, const Tensor& index) {
      const Tensor key = dynamicSlice(body, keys, index).reshape({m_rows, 1});
      const TopKResult best = topK(body, multiSlice(body, key, m_order).flatten(), m_rows, 0, false);
      const Tensor next = multiSlice(body, m_order, best.indices);
      body.exchange("keepOrder", {next}, {m_order},
                    body.trafficBlind(body.layoutOf(next), body.layoutOf(m_order).elementsByTile(), elementBytes(kPlace)));
      body.compute({next}, {m_order}, oneResult([](const std::vector<HostTensor>& in) { return in[0]; }));
    });
    m_sorted = multiSlice(m_b, m_x, m_order);
  }

  // The number of each sorted row's group, and whether a row after the first begins a group.
  void mark() {
    const Tensor zero = filled("firstGroup", 1, 0);
    m_group = zero;
    if (m_rows == 1) return;
    HostKernel kernel;
    if (m_b.withNumbers())
      kernel = oneResult([](const std::vector<HostTensor>& in) {
        return numerics::unary(numerics::UnaryKind::Not, numerics::binary(BinaryKind::Equal, in[0], in[1])).cast(kPlace);
      });
    const ElementType type = m_x.elementType();
    m_begins =
        map(m_b, "differsFromBefore", {{BinaryOp::NotEqual, type}, {codelets::CastTo{kPlace}, ElementType::Bool}},
            {m_sorted.slice(1, m_rows), m_sorted.slice(0, m_rows - 1)}, kPlace, {m_rows - 1, m_columns}, std::move(kernel));
    if (m_columns > 1) m_begins = reduce(m_b, m_begins, {1}, codelets::ReduceOp::Maximum, false);
    const Tensor sums = cumulativeSum(m_b, m_begins.reshape({m_rows - 1}), 0, false, false);
    m_group = graph::concat(zero, sums.reshape({m_rows - 1, 1}));
  }

  // For each group, the element of `values` for its first row: updates run in reverse order, so that the first row's value wins.
  Tensor firstOf(const Tensor& values, double ofNone, const std::string& name) const {
    return multiUpdate(m_b, filled(name, m_p.distinct, ofNone), m_group.reverse(0), values.reverse(0), ScatterReduction::None);
  }

  Tensor beginnings() const {
    const Tensor places = counted("places", m_rows);
    if (m_plan.byUpdates) return firstOf(places, 0, "begin");
    HostKernel kernel;
    if (m_b.withNumbers())
      kernel = oneResult([rows = m_rows](const std::vector<HostTensor>& in) {
        HostTensor out(kPlace, in[0].shape());
        const auto to = out.mutableValues<int64_t>();
        for (int64_t i = 0; i < out.count(); ++i) to[std::size_t(i)] = in[1].integerAt(i) ? in[0].integerAt(i) : rows;
        return out;
      });
    const Tensor later = places.slice(1, m_rows).flatten();
    const Tensor keys = map(m_b, "placesThatBegin", {{codelets::TernaryOp::Select, kPlace}}, {later, m_begins.flatten()}, kPlace,
                            later.shape(), std::move(kernel));
    return topK(m_b, graph::concat(places.slice(0, 1).flatten(), keys), m_p.distinct, 0, false).values.reshape({m_p.distinct, 1});
  }

  // Moves values[i] to position at[i]; each position occurs once.
  Tensor putAt(const Tensor& values, const Tensor& at, const std::string& name) const {
    const int64_t n = at.numElements();
    if (m_plan.byUpdates) return multiUpdate(m_b, filled(name, n, 0), at, values, ScatterReduction::None);
    return multiSlice(m_b, values, topK(m_b, at.flatten(), n, 0, false).indices);
  }

  // Size of each group: the distance to the begin of the next group.
  Tensor sizes(const Tensor& begin) const {
    const Tensor end = filled("end", 1, double(m_rows)),
                 next = m_p.distinct > 1 ? graph::concat(begin.slice(1, m_p.distinct), end) : end;
    return binary(m_b, BinaryOp::Subtract, next, begin);
  }

  void inOrderOfOccurrence(UniqueResult& result) const {
    const Tensor order = topK(m_b, result.first.flatten(), m_p.distinct, 0, false).indices;
    for (Tensor* t : {&result.values, &result.first, &result.counts})
      if (t->valid()) *t = multiSlice(m_b, *t, order);
    if (!m_p.inverse) return;
    result.inverse = multiSlice(m_b, putAt(counted("ranks", m_p.distinct), order, "rank"), result.inverse);
  }

  const OpBuilder& m_b;
  const Tensor m_x;
  const UniqueParams m_p;
  const UniquePlan m_plan;
  const int64_t m_rows, m_columns;
  Tensor m_sorted, m_order; // the sorted rows; [rows, 1]: their original indices
  Tensor m_begins, m_group;
};

} // namespace

UniqueResult unique(const OpBuilder& builder, const Tensor& x, const UniqueParams& params) {
  const OpBuilder b = builder.within("unique", "unique");
  const int64_t rows = x.dim(0), columns = x.dim(1);
  const UniquePlan plan = planUnique(b, x.elementType(), rows, columns);
  b.recordPlan(plan.byUpdates ? "sort, places by updates" : "sort, places by sorts",
               fmt::format("{} rows of {}, {} of them different", rows, columns, params.distinct),
               {{"rows", rows}, {"columns", columns}, {"distinct", params.distinct}}, {plan.cycles});
  return UniqueLowering(b, b.local(x), params, plan).run();
}

} // namespace simcore::ops
