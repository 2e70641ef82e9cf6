// Variables on tiles, constants, views, copies and streams.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

#include <algorithm>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main() {
  // A device that is found; the simulator has a pod of them.
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device device = manager.getDevices(TargetType::IPU, 1).at(0);
  if (!device.attach()) return 1;

  Graph graph(device.getTarget());

  // Four numbers on tiles 0 to 3, and the same number of constants, all on tile 8.
  Tensor squares = graph.addVariable(FLOAT, {4}, "squares");
  for (unsigned i = 0; i < 4; ++i) graph.setTileMapping(squares[i], i);
  Tensor first = graph.addConstant<float>(FLOAT, {4}, {0, 1, 4, 9}, "first");
  graph.setTileMapping(first, 8);

  // Data that the host sends and receives.
  Tensor table = graph.addVariable(INT, {3, 10}, "table");
  for (unsigned row = 0; row < 3; ++row) graph.setTileMapping(table[row], 4 + row);
  DataStream in = graph.addHostToDeviceFIFO("table in", INT, 30);
  graph.createHostRead("squares", squares);

  // Views name elements, they copy nothing: the middle row, turned around, onto the first one.
  Sequence main;
  main.add(Copy(first, squares));
  main.add(PrintTensor("squares", squares));
  main.add(Copy(in, table));
  main.add(Copy(table[1].reverse(0), table[0]));
  main.add(PrintTensor("first row", table[0]));

  std::vector<int> numbers(30);
  for (int i = 0; i < 30; ++i) numbers[std::size_t(i)] = i;

  Engine engine(graph, main);
  engine.connectStream("table in", numbers.data(), numbers.data() + numbers.size());
  engine.load(device);
  engine.run(0);

  std::vector<float> result(4);
  engine.readTensor("squares", result.data(), result.data() + result.size());
  const bool isRight = result == std::vector<float>({0, 1, 4, 9});
  std::cout << (isRight ? "the squares came back\n" : "other numbers came back\n");
  return isRight ? 0 : 1;
}
