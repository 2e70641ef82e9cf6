// Loops that only move elements: a sum of pairs that were read (C6), a chase of pointers (C7).
#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

class ReadPairs : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> data;
  Output<float> sum;

  bool compute() {
    const float2* pairs = reinterpret_cast<const float2*>(&data[0]);
    float2 total = {0, 0};
    for (unsigned i = 0; i < data.size() / 2; ++i) total += pairs[i];
    *sum = total.x + total.y;
    return true;
  }
};

class ChasePointers : public Vertex {
public:
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> next;
  Output<unsigned> last;
  const unsigned rounds;

  bool compute() {
    unsigned at = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      at = next[at], at = next[at], at = next[at], at = next[at];
      at = next[at], at = next[at], at = next[at], at = next[at];
      at = next[at], at = next[at], at = next[at], at = next[at];
      at = next[at], at = next[at], at = next[at], at = next[at];
    }
    *last = at;
    return true;
  }
};
