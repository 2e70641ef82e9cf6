// A loop that the compiler may not shorten, run by the supervisor (C11).
#include <poplar/Vertex.hpp>

class CountSlowly : public poplar::SupervisorVertex {
public:
  poplar::InOut<unsigned> result;
  const unsigned rounds;

  __attribute__((target("supervisor"))) bool compute() {
    for (volatile unsigned i = 0; i < rounds; i = i + 1) {
    }
    return true;
  }
};
