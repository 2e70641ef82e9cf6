// The vertices of the samples triad and pointer-chase: loops that move elements and do little with them.
#include <poplar/Vertex.hpp>

using namespace poplar;

class StreamTriad : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> b, c;
  Output<Vector<float, VectorLayout::SPAN, 8>> a;
  float scale;

  bool compute() {
    float* const __restrict result = &a[0];
    const float *const first = &b[0], *const second = &c[0];
    for (unsigned i = 0; i < a.size(); ++i) result[i] = first[i] + scale * second[i];
    return true;
  }
};

class StreamRead : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> b;
  Output<Vector<float>> a;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < b.size(); ++i) sum += b[i];
    a[0] = sum;
    return true;
  }
};

class PointerChase : public Vertex {
public:
  Input<Vector<int>> next;
  Output<Vector<int>> last;

  bool compute() {
    int at = 0;
    for (unsigned i = 0; i < next.size(); ++i) at = next[at];
    last[0] = at;
    return true;
  }
};
