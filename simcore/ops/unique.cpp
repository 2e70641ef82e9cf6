#include "simcore/ops/unique.h"

#include "simcore/numerics/elementwise.h"
#include "simcore/ops/elementwise.h"
#include "simcore/ops/fill.h"
#include "simcore/ops/loop.h"
#include "simcore/ops/movement.h"
#include "simcore/ops/reduce.h"
#include "simcore/ops/scan.h"
#include "simcore/ops/slices.h"
#include "simcore/ops/sort.h"

namespace simcore::ops {

using codelets::BinaryOp;
using numerics::BinaryKind;
using numerics::HostTensor;
using numerics::ScatterReduction;

namespace {

constexpr ElementType kPlace = ElementType::Int64; // a word on the machine

class UniqueLowering {
public:
  UniqueLowering(const OpBuilder& b, const Tensor& x, const UniqueParams& p)
      : m_b(b), m_x(x), m_p(p), m_rows(x.dim(0)), m_columns(x.dim(1)) {}

  UniqueResult run() {
    sort();
    const Tensor group = groups();
    UniqueResult result;
    if (m_p.values || m_p.counts) {
      // Where in the sorted rows a group begins.
      const Tensor begin = leastOf(counted("places", m_rows), group, "begin");
      if (m_p.values) result.values = multiSlice(m_b, m_sorted, begin);
      if (m_p.counts) result.counts = sizes(begin);
    }
    if (m_p.first || !m_p.sorted) result.first = leastOf(m_order, group, "first");
    if (m_p.inverse) result.inverse = multiUpdate(m_b, filled("inverse", m_rows, 0), m_order, group, ScatterReduction::None);
    if (!m_p.sorted) inOrderOfOccurrence(result);
    result.first = m_p.first ? result.first.flatten() : Tensor();
    if (m_p.inverse) result.inverse = result.inverse.flatten();
    if (m_p.counts) result.counts = result.counts.flatten();
    return result;
  }

private:
  // Columns of numbers, as tables and updates are.
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

  // The number of each sorted row's group, as updates [rows, 1].
  Tensor groups() const {
    const Tensor zero = filled("firstGroup", 1, 0);
    if (m_rows == 1) return zero;
    HostKernel kernel;
    if (m_b.withNumbers())
      kernel = oneResult([](const std::vector<HostTensor>& in) {
        return numerics::unary(numerics::UnaryKind::Not, numerics::binary(BinaryKind::Equal, in[0], in[1])).cast(kPlace);
      });
    const ElementType type = m_x.elementType();
    Tensor differs =
        map(m_b, "differsFromBefore", {{BinaryOp::NotEqual, type}, {codelets::CastTo{kPlace}, ElementType::Bool}},
            {m_sorted.slice(1, m_rows), m_sorted.slice(0, m_rows - 1)}, kPlace, {m_rows - 1, m_columns}, std::move(kernel));
    if (m_columns > 1) differs = reduce(m_b, differs, {1}, codelets::ReduceOp::Maximum, false);
    const Tensor sums = cumulativeSum(m_b, differs.reshape({m_rows - 1}), 0, false, false);
    return graph::concat(zero, sums.reshape({m_rows - 1, 1}));
  }

  // Of the groups: the smallest of their rows' values.
  Tensor leastOf(const Tensor& values, const Tensor& group, const std::string& name) const {
    return multiUpdate(m_b, filled(name, m_p.distinct, double(m_rows)), group, values, ScatterReduction::Min);
  }

  // Of the groups: the distance to the next beginning.
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
    const Tensor rank =
        multiUpdate(m_b, filled("rank", m_p.distinct, 0), order, counted("ranks", m_p.distinct), ScatterReduction::None);
    result.inverse = multiSlice(m_b, rank, result.inverse);
  }

  const OpBuilder& m_b;
  const Tensor m_x;
  const UniqueParams m_p;
  const int64_t m_rows, m_columns;
  Tensor m_sorted, m_order; // the rows in order; [rows, 1]: where they were
};

} // namespace

UniqueResult unique(const OpBuilder& builder, const Tensor& x, const UniqueParams& params) {
  const OpBuilder b = builder.within("unique", "unique");
  return UniqueLowering(b, b.local(x), params).run();
}

} // namespace simcore::ops
