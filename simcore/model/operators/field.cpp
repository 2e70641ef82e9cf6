#include "simcore/model/operators/field.h"
#include "simcore/numerics/window.h"

namespace simcore::model {

using numerics::Window;

Shape spatialOf(const Shape& shape) {
  if (shape.size() < 3) refuseNode("the input needs a rank of 3 or more, not the shape " + numerics::toString(shape));
  return {shape.begin() + 2, shape.end()};
}

std::vector<std::size_t> spatialAxes(const Call& call) {
  if (call.shape(0).size() < 3) refuseNode("global pooling needs a rank of 3 or more");
  std::vector<std::size_t> axes;
  for (std::size_t i = 2; i < call.shape(0).size(); ++i) axes.push_back(i);
  return axes;
}

Types inferGlobal(const Call& call) {
  return {{call.elementType(0), numerics::reducedShape(call.shape(0), spatialAxes(call), true)}};
}

numerics::AutoPad autoPad(const Call& call) {
  const std::string mode = call.attributes().text("auto_pad", "NOTSET");
  return chosen<numerics::AutoPad>("auto_pad", mode.empty() ? "NOTSET" : mode,
                                   {{"NOTSET", numerics::AutoPad::NotSet},
                                    {"VALID", numerics::AutoPad::Valid},
                                    {"SAME_UPPER", numerics::AutoPad::SameUpper},
                                    {"SAME_LOWER", numerics::AutoPad::SameLower}});
}

Window windowOf(const Attributes& a, const std::vector<std::int64_t>& kernel) {
  return numerics::makeWindow(kernel, a.integers("strides"), a.integers("dilations"), a.integers("pads"));
}
Window windowOf(const Attributes& a) { return windowOf(a, a.integers("kernel_shape")); }

void setWindow(Attributes& a, const Window& w) {
  std::vector<std::int64_t> pads = w.padsBefore;
  pads.insert(pads.end(), w.padsAfter.begin(), w.padsAfter.end());
  a.set("kernel_shape", w.kernel);
  a.set("strides", w.strides);
  a.set("dilations", w.dilations);
  a.set("pads", pads);
}

Tensor asImage(const Tensor& x) { return x.rank() == 3 ? x.reshape(imageShape(x.shape())) : x; }
Shape imageShape(const Shape& s) { return s.size() == 3 ? Shape{s[0], s[1], 1, s[2]} : s; }

Window imageWindow(const Window& w) {
  if (w.dimensions() != 1) return w;
  return {{1, w.kernel[0]}, {1, w.strides[0]}, {1, w.dilations[0]}, {0, w.padsBefore[0]}, {0, w.padsAfter[0]}};
}

bool isVolume(const NodeLowering& n) { return n.call().attributes().integers("kernel_shape").size() > 2; }

Window planeWindow(const Window& w) {
  const auto tail = [](const std::vector<std::int64_t>& v) { return std::vector<std::int64_t>(v.begin() + 1, v.end()); };
  return {tail(w.kernel), tail(w.strides), tail(w.dilations), tail(w.padsBefore), tail(w.padsAfter)};
}

ops::DepthWindow depthWindow(const Window& w, std::int64_t in, std::int64_t out) {
  return {in, out, w.kernel[0], w.strides[0], w.dilations[0], w.padsBefore[0], w.padsAfter[0]};
}

} // namespace simcore::model
