// A matrix times a vector: one vertex for each row. Usage: tutorial [ROWS COLUMNS]
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poputil/TileMapping.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char** argv) {
  const unsigned rows = argc > 1 ? unsigned(std::atoi(argv[1])) : 2000, columns = argc > 2 ? unsigned(std::atoi(argv[2])) : 500;
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device device = manager.getDevices(TargetType::IPU, 1).at(0);
  if (!device.attach()) return 1;
  Graph graph(device.getTarget());
  graph.addCodelets("codelets.cpp");
  const unsigned tiles = graph.getTarget().getNumTiles();

  Tensor matrix = graph.addVariable(FLOAT, {rows, columns}, "matrix"), vector = graph.addVariable(FLOAT, {columns}, "vector"),
         result = graph.addVariable(FLOAT, {rows}, "result");
  poputil::mapTensorLinearly(graph, vector);
  ComputeSet product = graph.addComputeSet("product");
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned tile = unsigned((unsigned long)(row)*tiles / rows);
    graph.setTileMapping(matrix[row], tile);
    graph.setTileMapping(result[row], tile);
    VertexRef vertex =
        graph.addVertex(product, "RowTimesVector", {{"row", matrix[row]}, {"vector", vector}, {"result", result[row]}});
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, 20 + 6 * columns);
  }
  Sequence main = Execute(product);
  Tensor cycles = cycleCount(graph, main, 0);
  graph.createHostWrite("matrix", matrix);
  graph.createHostWrite("vector", vector);
  graph.createHostRead("result", result);
  graph.createHostRead("cycles", cycles);

  std::vector<float> m(rows * columns), v(columns), r(rows);
  for (unsigned i = 0; i < m.size(); ++i) m[i] = float(i % 7);
  for (unsigned i = 0; i < columns; ++i) v[i] = float(i % 5);
  Engine engine(graph, main);
  engine.load(device);
  engine.writeTensor("matrix", m.data(), m.data() + m.size());
  engine.writeTensor("vector", v.data(), v.data() + v.size());
  engine.run(0);
  engine.readTensor("result", r.data(), r.data() + r.size());
  unsigned counted[2] = {0, 0};
  engine.readTensor("cycles", counted, counted + 2);

  bool isRight = true;
  for (unsigned row = 0; row < rows; ++row) {
    float sum = 0; // in the vertex's order: the same float
    for (unsigned i = 0; i < columns; ++i) sum += m[row * columns + i] * v[i];
    isRight = isRight && sum == r[row];
  }
  std::cout << counted[0] << " cycles, " << (isRight ? "the product is right\n" : "the product is wrong\n");
  return isRight ? 0 : 1;
}
