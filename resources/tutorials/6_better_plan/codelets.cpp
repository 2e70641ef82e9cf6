// A part of a row times a part of the vector, and the sum of the parts of a row.
#include <poplar/Vertex.hpp>

using namespace poplar;

class PartTimesVector : public Vertex {
public:
  Input<Vector<float>> row;
  Input<Vector<float>> vector;
  Output<float> result;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < row.size(); ++i) sum += row[i] * vector[i];
    *result = sum;
    return true;
  }
};

class SumOfParts : public Vertex {
public:
  Input<Vector<float>> parts;
  Output<float> result;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < parts.size(); ++i) sum += parts[i];
    *result = sum;
    return true;
  }
};
