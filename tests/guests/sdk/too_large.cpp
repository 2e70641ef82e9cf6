// A tensor that one tile cannot hold: the program gets Poplar's exception, and the report shows which tile and which variable.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

int main() {
  using namespace poplar;
  Graph graph(IPUModel().createDevice());
  const Tensor large = graph.addVariable(FLOAT, {1000000}, "large");
  graph.setTileMapping(large, 5);
  graph.createHostRead("large", large);
  try {
    Engine engine(graph, program::WriteUndef(large));
  } catch (const graph_memory_allocation_error& error) {
    std::cout << error.what() << "\n";
    return 3;
  }
  return 0;
}
