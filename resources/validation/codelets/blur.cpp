// A Gaussian blur with a stencil of 3 x 3 cells over four channels of a block with a rim of one cell, in floats, pairs of floats and
// four halves (C8 to C10).
#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

template<typename T> T blurred(T nw, T n, T ne, T w, T own, T e, T sw, T s, T se) {
  const T sixteenth = 1.f / 16, quarter = 4.f / 16, eighth = 2.f / 16;
  return sixteenth * (nw + ne + sw + se) + quarter * own + eighth * (e + w + s + n);
}

// `Values` of type T are the four channels of a cell.
template<typename T, unsigned Values> struct Blur {
  static void run(const T* in, T* out, unsigned width, unsigned height) {
    const unsigned wide = width + 2;
    for (unsigned y = 1; y < height + 1; ++y)
      for (unsigned x = 1; x < width + 1; ++x)
#pragma unroll
        for (unsigned c = 0; c < Values; ++c) {
          const auto at = [&](int dy, int dx) { return in[Values * (wide * (y + dy) + (x + dx)) + c]; };
          out[Values * (width * (y - 1) + (x - 1)) + c] =
              blurred<T>(at(-1, -1), at(-1, 0), at(-1, 1), at(0, -1), at(0, 0), at(0, 1), at(1, -1), at(1, 0), at(1, 1));
        }
  }
};

class BlurFloats : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;
  bool compute() {
    Blur<float, 4>::run(&in[0], &out[0], width, height);
    return true;
  }
};

class BlurPairs : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;
  bool compute() {
    Blur<float2, 2>::run(reinterpret_cast<const float2*>(&in[0]), reinterpret_cast<float2*>(&out[0]), width, height);
    return true;
  }
};

class BlurHalves : public Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> out;
  unsigned width, height;
  bool compute() {
    Blur<half4, 1>::run(reinterpret_cast<const half4*>(&in[0]), reinterpret_cast<half4*>(&out[0]), width, height);
    return true;
  }
};
