// The same 4 x 4 matrix times every vector of an array, in place: element by element, and in pairs of which the sums are taken at the end.
#include <ipu_memory_intrinsics>
#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

class MatrixTimesVectors : public MultiVertex {
public:
  Input<Vector<float>> matrix;
  InOut<Vector<float>> vectors;

  bool compute(unsigned worker) {
    for (unsigned at = 4 * worker; at < vectors.size(); at += 4 * numWorkers()) {
      const float x = vectors[at], y = vectors[at + 1], z = vectors[at + 2], w = vectors[at + 3];
      for (unsigned row = 0; row < 4; ++row)
        vectors[at + row] = matrix[4 * row] * x + matrix[4 * row + 1] * y + matrix[4 * row + 2] * z + matrix[4 * row + 3] * w;
    }
    return true;
  }
};

class MatrixTimesPairs : public MultiVertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> matrix;
  InOut<Vector<float, VectorLayout::SPAN, 8>> vectors;

  bool compute(unsigned worker) {
    const float2* in = reinterpret_cast<float2*>(&vectors[8 * worker]);
    float* out = &vectors[8 * worker];
    const float* const end = out + vectors.size() - 8 * worker;
    for (; out < end; out += 8 * (numWorkers() - 1)) { // two vectors, then those of the other workers
      float2 first = ipu::load_postinc(&in, 1), second = ipu::load_postinc(&in, 1);
      out = product(first, second, out);
      first = ipu::load_postinc(&in, 1);
      second = ipu::load_postinc(&in, 4 * numWorkers() - 3);
      out = product(first, second, out);
    }
    return true;
  }

private:
  float* product(float2 first, float2 second, float* out) const {
    for (unsigned row = 0; row < 4; ++row) {
      const float2 left = {matrix[4 * row], matrix[4 * row + 1]}, right = {matrix[4 * row + 2], matrix[4 * row + 3]};
      const float2 sums = left * first + right * second;
      *out++ = sums.x + sums.y;
    }
    return out;
  }
};
