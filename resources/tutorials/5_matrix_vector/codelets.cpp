// The product of one row with the vector.
#include <poplar/Vertex.hpp>

using namespace poplar;

class RowTimesVector : public Vertex {
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
