// A matrix times a vector, with the columns cut as well: each tile needs a part of the vector, and a second step adds the parts of a row.
// Usage: tutorial [ROWS COLUMNS]
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

unsigned ceilOf(unsigned a, unsigned b) { return (a + b - 1) / b; }

// Cycles of the slowest tile if every row is cut into `cuts` parts: exchange, products, exchange of the parts, sums.
unsigned cost(const Target& target, unsigned rows, unsigned columns, unsigned cuts) {
  const unsigned tiles = target.getNumTiles(), workers = target.getNumWorkerContexts(), bytes = target.getExchangeBytesPerCycle();
  const unsigned vertices = ceilOf(rows * cuts, tiles), part = ceilOf(columns, cuts);
  const unsigned products = ceilOf(vertices, workers) * workers * (part + 10);
  const unsigned sums = cuts == 1 ? 0 : ceilOf(ceilOf(rows, tiles), workers) * workers * (cuts + 10);
  const unsigned exchanges = (part * 4 + (cuts == 1 ? 0 : ceilOf(rows, tiles) * cuts * 4)) / bytes;
  return products + sums + exchanges;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned rows = argc > 1 ? unsigned(std::atoi(argv[1])) : 2000, columns = argc > 2 ? unsigned(std::atoi(argv[2])) : 500;
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device device = manager.getDevices(TargetType::IPU, 1).at(0);
  if (!device.attach()) return 1;
  Graph graph(device.getTarget());
  graph.addCodelets("codelets.cpp");
  const unsigned tiles = graph.getTarget().getNumTiles();

  unsigned cuts = 1;
  for (unsigned n = 2; n <= std::min(columns, 64u); ++n)
    if (cost(graph.getTarget(), rows, columns, n) < cost(graph.getTarget(), rows, columns, cuts)) cuts = n;
  std::cout << "each row in " << cuts << " parts\n";

  Tensor matrix = graph.addVariable(FLOAT, {rows, columns}, "matrix"), vector = graph.addVariable(FLOAT, {columns}, "vector"),
         parts = graph.addVariable(FLOAT, {rows, cuts}, "parts"), result = graph.addVariable(FLOAT, {rows}, "result");
  poputil::mapTensorLinearly(graph, vector);
  poputil::mapTensorLinearly(graph, result);
  ComputeSet products = graph.addComputeSet("products"), sums = graph.addComputeSet("sums");
  const Graph::TileToTensorMapping places = graph.getTileMapping(result);
  for (unsigned cut = 0; cut < cuts; ++cut) {
    const unsigned begin = unsigned((unsigned long)(columns)*cut / cuts),
                   end = unsigned((unsigned long)(columns) * (cut + 1) / cuts);
    for (unsigned row = 0; row < rows; ++row) {
      // Tiles have parts of neighbouring rows with the same columns, so that they need one part of the vector.
      const unsigned tile = unsigned(((unsigned long)(cut)*rows + row) * tiles / (rows * cuts));
      Tensor part = matrix[row].slice(begin, end);
      graph.setTileMapping(part, tile);
      graph.setTileMapping(parts[row][cut], tile);
      VertexRef vertex = graph.addVertex(products, "PartTimesVector",
                                         {{"row", part}, {"vector", vector.slice(begin, end)}, {"result", parts[row][cut]}});
      graph.setTileMapping(vertex, tile);
      graph.setPerfEstimate(vertex, 20 + 6 * (end - begin));
    }
  }
  for (unsigned tile = 0; tile < places.size(); ++tile)
    for (const Interval& interval : places[tile])
      for (std::size_t row = interval.begin(); row < interval.end(); ++row) {
        VertexRef vertex = graph.addVertex(sums, "SumOfParts", {{"parts", parts[row]}, {"result", result[row]}});
        graph.setTileMapping(vertex, tile);
        graph.setPerfEstimate(vertex, 20 + 6 * cuts);
      }
  Sequence main{Execute(products), Execute(sums)};
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
    double sum = 0; // of small whole numbers: exact in any order
    for (unsigned i = 0; i < columns; ++i) sum += double(m[row * columns + i] * v[i]);
    isRight = isRight && sum == double(r[row]);
  }
  std::cout << counted[0] << " cycles, " << (isRight ? "the product is right\n" : "the product is wrong\n");
  return isRight ? 0 : 1;
}
