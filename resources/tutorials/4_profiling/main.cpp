// Two products of matrices, the profile as text, and a report.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main() {
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device device = manager.getDevices(TargetType::IPU, 1).at(0);
  if (!device.attach()) return 1;
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);

  Sequence main;
  Tensor a = poplin::createMatMulInputLHS(graph, FLOAT, {300, 200}, {200, 400}, "a");
  Tensor b = poplin::createMatMulInputRHS(graph, FLOAT, {300, 200}, {200, 400}, "b");
  Tensor c = poplin::createMatMulInputRHS(graph, FLOAT, {300, 400}, {400, 10}, "c");
  graph.setInitialValue(a, 1.0f);
  graph.setInitialValue(b, 0.5f);
  graph.setInitialValue(c, 0.25f);
  Tensor ab = poplin::matMul(graph, a, b, main, "first");
  Tensor abc = poplin::matMul(graph, ab, c, main, "second");
  graph.createHostRead("abc", abc);

  Engine engine(graph, main);
  engine.load(device);
  engine.run(0);
  std::ostringstream text;
  engine.printProfileSummary(text, {{"showExecutionSteps", "true"}});
  std::cout << text.str();

  std::vector<float> values(3000);
  engine.readTensor("abc", values.data(), values.data() + values.size());
  return values[0] == 200 * 0.5f * 400 * 0.25f && text.str().find("Memory Usage:") != std::string::npos ? 0 : 1;
}
