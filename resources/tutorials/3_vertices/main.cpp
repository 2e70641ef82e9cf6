// A vertex of our own on each of sixteen tiles.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main() {
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device device = manager.getDevices(TargetType::IPU, 1).at(0);
  if (!device.attach()) return 1;
  Graph graph(device.getTarget());
  graph.addCodelets("codelets.cpp");

  const unsigned tiles = 16, each = 100;
  Tensor in = graph.addVariable(FLOAT, {tiles, each}, "in"), out = graph.addVariable(FLOAT, {tiles, each}, "out");
  ComputeSet sums = graph.addComputeSet("sums");
  for (unsigned tile = 0; tile < tiles; ++tile) {
    graph.setTileMapping(in[tile], tile);
    graph.setTileMapping(out[tile], tile);
    VertexRef vertex = graph.addVertex(sums, "SuffixSums", {{"in", in[tile]}, {"out", out[tile]}});
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, 20 * each); // for an IPUModel; a device counts the cycles of the code
  }
  graph.setInitialValue(in, 1.0f);
  graph.createHostRead("out", out);

  Engine engine(graph, Execute(sums));
  engine.load(device);
  engine.run(0);
  std::vector<float> result(tiles * each);
  engine.readTensor("out", result.data(), result.data() + result.size());
  bool isRight = true;
  for (unsigned i = 0; i < result.size(); ++i) isRight = isRight && result[i] == float(each - i % each);
  std::cout << (isRight ? "the sums are right\n" : "the sums are wrong\n");
  return isRight ? 0 : 1;
}
