// Writes an executable, or reads one and runs it. Usage: stored save|load FILE
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    const poplar::Device device = poplar::IPUModel().createDevice();
    if (std::string(argv[1]) == "save") {
      poplar::Graph graph(device);
      popops::addCodelets(graph);
      const poplar::Tensor x = graph.addVariable(poplar::INT, {}, poplar::VariableMappingMethod::LINEAR, "x");
      poplar::program::Sequence prog;
      prog.add(poplar::program::Copy(graph.addHostToDeviceFIFO("in", poplar::INT, 1), x));
      popops::mulInPlace(graph, x, 2, prog);
      prog.add(poplar::program::Copy(x, graph.addDeviceToHostFIFO("out", poplar::INT, 1)));
      std::ofstream file(argv[2], std::ios::binary);
      poplar::compileGraph(graph, prog).serialize(file);
      return file ? 0 : 1;
    }
    std::ifstream file(argv[2], std::ios::binary);
    poplar::Engine engine(poplar::Executable::deserialize(file));
    int in = 21, out = 0;
    engine.connectStream("in", &in);
    engine.connectStream("out", &out);
    engine.load(device);
    engine.run(0);
    std::cout << "result: " << out << '\n';
  } catch (const std::exception& error) {
    std::cerr << "stored: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
