#include "tests/simcore/model/node_cases.h"

namespace tests {

void Net::observed(const std::string& type, const std::vector<std::string>& inputs, const model::Attributes& a,
                   const std::vector<std::string>& outputs) {
  model::Node node;
  node.opType = type;
  node.opset = 17;
  node.inputs = inputs;
  node.outputs = outputs;
  node.attributes = a;
  auto known = values;
  known.insert(model.graph.initialisers.begin(), model.graph.initialisers.end());
  std::vector<model::TensorType> types(outputs.size());
  std::size_t at = 0;
  const model::Tensors results = model::evaluateNode(node, known);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!outputs[i].empty()) {
      types[i] = {results[at].type(), results[at].shape()};
      ++at;
    }
  for (const std::string& name : builder.append(node, types))
    if (!name.empty()) out(name);
}

namespace {

void addNonZeros(std::vector<NodeCase>& cases) {
  for (const Shape& shape : {Shape{1}, Shape{13}, Shape{7, 5}, Shape{2, 3, 61}})
    cases.push_back({label("NonZero", shape), [shape](Net& n) {
                       HostTensor x = n.whole(shape, 0, 3);
                       x.mutableValues<std::int64_t>()[0] = 1; // something is chosen
                       n.observed("NonZero", {n.value("x", x.cast(ElementType::Float))}, {}, {"places"});
                     }});
}

void addSuppressions(std::vector<NodeCase>& cases) {
  struct Problem {
    std::int64_t batches, classes, boxes, most;
    double overlap;
    bool centre, threshold;
  };
  for (const Problem& p : {Problem{1, 1, 1, 3, 0.5, false, false}, Problem{1, 2, 13, 5, 0.3, false, true},
                           Problem{2, 3, 61, 100, 0.1, false, true}, Problem{2, 1, 29, 4, 0.4, true, false}})
    cases.push_back(
        {"NonMaxSuppression " + std::to_string(p.boxes), [p](Net& n) {
           const std::string boxes = n.real("boxes", {p.batches, p.boxes, 4}, 0.1, 1),
                             scores = n.real("scores", {p.batches, p.classes, p.boxes}, 0, 1),
                             most = n.builder.constant("most", HostTensor::scalar(p.most)),
                             overlap = n.builder.constant("overlap", HostTensor::scalar(float(p.overlap)));
           std::vector<std::string> inputs{boxes, scores, most, overlap};
           if (p.threshold) inputs.push_back(n.builder.constant("threshold", HostTensor::scalar(0.4f)));
           n.observed("NonMaxSuppression", inputs, attributes({{"center_point_box", std::int64_t(p.centre)}}), {"chosen"});
         }});
}

} // namespace

std::vector<NodeCase> selectionNodes() {
  std::vector<NodeCase> cases;
  addNonZeros(cases);
  addSuppressions(cases);
  return cases;
}

} // namespace tests
