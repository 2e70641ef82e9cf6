#include "simcore/ops/conv/conv_cells.h"

#include "simcore/numerics/convolution.h"
#include "simcore/ops/cells/cellwise.h"

#include <algorithm>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;

namespace {

// Values of a box that may extend beyond the tensor: zero there.
HostTensor takePadded(const HostTensor& tensor, const Box& box) {
  Box inside = box, at = box;
  Shape shape;
  for (std::size_t d = 0; d < box.dims.size(); ++d) {
    inside.dims[d] = box.dims[d].clippedTo({0, tensor.dim(d)});
    at.dims[d] = {inside.dims[d].begin - box.dims[d].begin, inside.dims[d].end - box.dims[d].begin};
    shape.push_back(box.dims[d].size());
  }
  HostTensor part(tensor.type(), shape);
  if (inside.volume() > 0) putBox(part, at, takeBox(tensor, inside));
  return part;
}

class CellConvolution {
public:
  CellConvolution(const ConvParams& slice, const ConvForm& form) : m_p(slice), m_form(form) {}

  // Adds one cell's products to `out` [N, G*Cout, oh, ow] of the slice.
  void add(const ConvCell& c, const HostTensor& x, const HostTensor& weights, HostTensor& out) const {
    if (c.batch.empty() || c.groups.empty() || c.rows.empty() || c.columns.empty() || c.outs.empty() || c.ins.empty() ||
        c.kernel[0].empty() || c.kernel[1].empty())
      return;
    const int64_t join = m_form.combineGroups, groups = c.groups.size() * join, firstGroup = c.groups.begin * join;
    Box patch;
    patch.dims = {c.batch,
                  {firstGroup * m_p.inChannels, (firstGroup + groups) * m_p.inChannels},
                  field(0, c.rows, c.kernel[0]),
                  field(1, c.columns, c.kernel[1])};
    const HostTensor in = takePadded(x, patch);
    const HostTensor w = maskedWeights(c, weights, firstGroup, groups);
    numerics::Window window;
    for (std::size_t d = 0; d < 2; ++d) {
      window.kernel.push_back(c.kernel[d].size());
      window.strides.push_back(m_p.stride[d]);
      window.dilations.push_back(m_p.dilation[d]);
      window.padsBefore.push_back(0);
      window.padsAfter.push_back(0);
    }
    Box to;
    to.dims = {c.batch, {firstGroup * m_p.outChannels, (firstGroup + groups) * m_p.outChannels}, c.rows, c.columns};
    addBox(out, to, numerics::convolution(in, w, nullptr, window, groups));
  }

private:
  reports::Range<int64_t> field(std::size_t d, const ConvCell::Span& outs, const ConvCell::Span& taps) const {
    const int64_t origin = -m_p.padLow[d], begin = taps.begin * m_p.dilation[d], end = (taps.end - 1) * m_p.dilation[d];
    return {outs.begin * m_p.stride[d] + origin + begin, (outs.end - 1) * m_p.stride[d] + origin + end + 1};
  }

  // Weights of the cell's groups; weights of other channels (and, if taps became channels, of other taps) are zero.
  HostTensor maskedWeights(const ConvCell& c, const HostTensor& weights, int64_t firstGroup, int64_t groups) const {
    const int64_t taps = c.kernel[0].size() * c.kernel[1].size();
    Box rows;
    rows.dims = {
        {firstGroup * m_p.outChannels, (firstGroup + groups) * m_p.outChannels}, {0, m_p.inChannels}, c.kernel[0], c.kernel[1]};
    HostTensor w = takeBox(weights, rows);
    auto values = w.mutableValues<float>();
    std::size_t at = 0;
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t o = 0; o < m_p.outChannels; ++o)
        for (int64_t i = 0; i < m_p.inChannels; ++i)
          for (int64_t t = 0; t < taps; ++t, ++at) {
            const int64_t out = g % m_form.combineGroups * m_p.outChannels + o,
                          joinedIn = g % m_form.combineGroups * m_p.inChannels + i;
            const int64_t in = m_form.expansion > 1 ? joinedIn * taps + t : joinedIn;
            if (!c.outs.contains(out) || !c.ins.contains(in)) values[at] = 0;
          }
    return w;
  }

  const ConvParams& m_p;
  const ConvForm& m_form;
};

} // namespace

HostKernel cellwiseConvolution(const ConvParams& whole, const ConvPlan& plan, const ConvForm& form, std::vector<ConvCell> cells) {
  return [=, cells = std::move(cells)](const std::vector<HostTensor>& inputs) {
    const ConvParams p = slicedParams(whole, plan);
    const CellConvolution convolution(p, form);
    const HostTensor x = inputs[0].cast(ElementType::Float), weights = inputs[1].cast(ElementType::Float);
    HostTensor out(ElementType::Float, {whole.batch, whole.groups * whole.outChannels, whole.out(0), whole.out(1)});
    for (int64_t g = 0; g < plan.groupSerial; ++g)
      for (int64_t o = 0; o < plan.outSerial; ++o)
        for (int64_t i = 0; i < plan.inSerial; ++i) {
          // The channels of the slice in each of its groups, without channels beyond the end.
          const int64_t groupBegin = g * p.groups, groupEnd = std::min(whole.groups, groupBegin + p.groups);
          HostTensor sx(ElementType::Float, {p.batch, p.groups * p.inChannels, p.in[0], p.in[1]}),
              sw(ElementType::Float, {p.groups * p.outChannels, p.inChannels, p.kernel[0], p.kernel[1]});
          HostTensor sy(ElementType::Float, {p.batch, p.groups * p.outChannels, p.out(0), p.out(1)});
          const int64_t inBegin = i * p.inChannels, ins = std::min(p.inChannels, whole.inChannels - inBegin),
                        outBegin = o * p.outChannels, outs = std::min(p.outChannels, whole.outChannels - outBegin);
          if (ins <= 0 || outs <= 0) continue;
          auto box4 = [](int64_t a, int64_t an, int64_t b, int64_t bn, int64_t cn, int64_t dn) {
            Box box;
            box.dims = {{a, a + an}, {b, b + bn}, {0, cn}, {0, dn}};
            return box;
          };
          for (int64_t k = groupBegin; k < groupEnd; ++k) {
            const int64_t local = k - groupBegin;
            putBox(sx, box4(0, p.batch, local * p.inChannels, ins, p.in[0], p.in[1]),
                   takeBox(x, box4(0, p.batch, k * whole.inChannels + inBegin, ins, p.in[0], p.in[1])));
            putBox(sw, box4(local * p.outChannels, outs, 0, ins, p.kernel[0], p.kernel[1]),
                   takeBox(weights, box4(k * whole.outChannels + outBegin, outs, inBegin, ins, p.kernel[0], p.kernel[1])));
          }
          for (const ConvCell& c : cells) convolution.add(c, sx, sw, sy);
          for (int64_t k = groupBegin; k < groupEnd; ++k)
            addBox(out, box4(0, p.batch, k * whole.outChannels + outBegin, outs, p.out(0), p.out(1)),
                   takeBox(sy, box4(0, p.batch, (k - groupBegin) * p.outChannels, outs, p.out(0), p.out(1))));
        }
    return std::vector<HostTensor>{out};
  };
}

} // namespace simcore::ops
