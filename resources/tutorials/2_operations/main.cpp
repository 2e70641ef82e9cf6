// Operations of the library: sums, expressions, reductions, and where their results lie.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

int main() {
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device device = manager.getDevices(TargetType::IPU, 1).at(0);
  if (!device.attach()) return 1;
  Graph graph(device.getTarget());
  popops::addCodelets(graph);

  // 64 x 1024 numbers in equal shares over all tiles.
  Tensor a = graph.addVariable(FLOAT, {64, 1024}, "a"), b = graph.addVariable(FLOAT, {64, 1024}, "b");
  poputil::mapTensorLinearly(graph, a);
  poputil::mapTensorLinearly(graph, b);
  graph.setInitialValue(a, 3.0f);
  graph.setInitialValue(b, 0.5f);

  Sequence main;
  // Three operations, each with a vertex of its own …
  Tensor sum = popops::add(graph, a, b, main, "sum");
  Tensor square = popops::square(graph, sum, main, "square");
  Tensor apart = popops::sub(graph, square, a, main, "difference");
  // … and the same as one expression, which is one vertex.
  Tensor fused = popops::map(graph, pe::Square(pe::_1 + pe::_2) - pe::_1, {a, b}, main, "fused");
  Tensor total = popops::reduce(graph, fused, FLOAT, {0, 1}, popops::Operation::ADD, main, "total");
  Tensor distance = popops::reduce(graph, popops::sub(graph, apart, fused, main, "check"), FLOAT, {0, 1},
                                   popops::Operation::SQUARE_ADD, main, "distance");
  graph.createHostRead("total", total);
  graph.createHostRead("distance", distance);

  Engine engine(graph, main);
  engine.load(device);
  engine.run(0);
  float values[2] = {0, -1};
  engine.readTensor("total", &values[0], &values[1]);
  engine.readTensor("distance", &values[1], &values[1] + 1);
  std::cout << "total: " << values[0] << ", distance: " << values[1] << '\n';
  return values[0] == 64 * 1024 * 9.25f && values[1] == 0 ? 0 : 1; // (3 + 0.5)^2 - 3
}
