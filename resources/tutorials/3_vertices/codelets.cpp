// A vertex: its inputs, its outputs and its computation.
#include <poplar/Vertex.hpp>

using namespace poplar;

// Each element becomes the sum of all from it to the end.
class SuffixSums : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  bool compute() {
    float sum = 0;
    for (unsigned i = in.size(); i > 0; --i) {
      sum += in[i - 1];
      out[i - 1] = sum;
    }
    return true;
  }
};
