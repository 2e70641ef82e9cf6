// Sums of the rows of a matrix, one vertex a row. The codelet is in the same file, as programs for Poplar may have it.
#ifdef __POPC__
#include <poplar/Vertex.hpp>

class RowSum : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> row;
  poplar::Output<float> sum;
  bool compute() {
    float total = 0;
    for (float x : row) total += x;
    *sum = total;
    return true;
  }
};
#else
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <pva/pva.hpp>

#include <iostream>
#include <sstream>

#ifndef CODELETS
#define CODELETS __FILE__
#endif

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device;
  for (Device& found : DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1))
    if (found.attach()) {
      device = std::move(found);
      break;
    }
  Graph graph(device.getTarget());
  graph.addCodelets({CODELETS});
  const Tensor matrix = graph.addVariable(FLOAT, {2, 3}, "matrix"), sums = graph.addVariable(FLOAT, {2}, "sums");
  const ComputeSet set = graph.addComputeSet("rows");
  for (unsigned i = 0; i < matrix.dim(0); ++i) {
    const VertexRef vertex = graph.addVertex(set, "RowSum", {{"row", matrix[i]}, {"sum", sums[i]}});
    graph.setTileMapping(vertex, i);
    graph.setTileMapping(matrix[i], i);
    graph.setTileMapping(sums[i], i);
  }
  DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 6);
  Engine engine(graph, Sequence{Copy(in, matrix), Block(Execute(set), "work"), PrintTensor("sums", sums)},
                {{"profiler.blocks.filter", "work"}});
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  engine.connectStream(in, values.data(), values.data() + values.size());
  engine.load(device);
  engine.run();
  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
  // The same by the functions of older programs.
  std::ostringstream whole, parts;
  const ProfileValue graphProfile = engine.getGraphProfile(), executionProfile = engine.getExecutionProfile();
  printProfileSummary(whole, graphProfile, executionProfile);
  printGraphSummary(parts, graphProfile);
  printExecutionSummary(parts, graphProfile, executionProfile);
  std::cout << "profile in parts: " << (whole.str() == parts.str() && !whole.str().empty() ? "the same\n" : "another\n");
  const pva::Report report = engine.getReport();
  std::cout << "compute sets: " << report.compilation().graph().numComputeSets() << "\n";
  for (const pva::Block& block : report.execution().blocks(0))
    std::cout << block.program()->name() << ": " << block.cyclesTo() - block.cyclesFrom() << "\n";
  return 0;
}
#endif
