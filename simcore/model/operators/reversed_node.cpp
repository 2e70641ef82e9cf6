#include "simcore/model/operators/reversed_node.h"

namespace simcore::model {

void giveReversed(const GradientCall& c, const char* gradientOperator) {
  if (!c.wants(0)) return;
  Attributes a = c.call().attributes();
  a.set("forward", c.node().opType);
  a.set("forward_opset", std::int64_t(c.node().opset));
  a.set("shape", c.call().shape(0));
  std::vector<std::string> inputs = c.node().inputs;
  inputs[0] = c.gradient();
  c.give(0, c.graph().addOwn(gradientOperator, inputs, a));
}

Node forwardNode(const Call& gradient) {
  Node forward;
  forward.opType = gradient.attributes().text("forward", "");
  forward.name = gradient.node().name;
  forward.opset = int(gradient.attributes().requiredInteger("forward_opset"));
  forward.attributes = gradient.attributes();
  for (const char* own : {"forward", "forward_opset", "shape", "value"}) forward.attributes.all().erase(own);
  return forward;
}

} // namespace simcore::model
