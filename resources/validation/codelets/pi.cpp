// A part of the integral of 4 / (1 + x²) by the midpoint rule, one term per iteration (validation case C1).
#include <poplar/Vertex.hpp>

class PartOfPi : public poplar::Vertex {
public:
  poplar::Input<unsigned> part;
  poplar::Input<unsigned> terms;
  poplar::Input<float> width;
  poplar::Output<poplar::Vector<float>> sum;

  bool compute() {
    float total = 0;
    for (unsigned term = part * terms; term < (part + 1) * terms; term++) {
      const float x = (term - 0.5f) * width;
      total += 4.0f / (1.0f + x * x);
    }
    sum[0] = total;
    return true;
  }
};
