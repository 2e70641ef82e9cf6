// Codelets whose branches, addresses or loop lengths depend on their data, so that their instructions are counted at every run.
#include <poplar/Vertex.hpp>

using namespace poplar;

class Collatz : public Vertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      unsigned n = in[i] + 1, steps = 0;
      for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
      out[i] = steps;
    }
  }
};

class Escape : public Vertex {
public:
  Input<Vector<float>> real, imaginary;
  Output<Vector<int>> out;

  void compute() {
    for (unsigned i = 0; i < real.size(); ++i) {
      float x = 0, y = 0;
      int steps = 0;
      for (; steps < 256 && x * x + y * y < 4; ++steps) {
        const float next = x * x - y * y + real[i];
        y = 2 * x * y + imaginary[i];
        x = next;
      }
      out[i] = steps;
    }
  }
};

class Find : public Vertex {
public:
  Input<Vector<unsigned>> sorted, keys;
  Output<Vector<unsigned>> places;

  void compute() {
    for (unsigned i = 0; i < keys.size(); ++i) {
      unsigned begin = 0, end = sorted.size();
      while (begin < end) {
        const unsigned middle = (begin + end) / 2;
        if (sorted[middle] < keys[i])
          begin = middle + 1;
        else
          end = middle;
      }
      places[i] = begin;
    }
  }
};

class SparseRows : public Vertex {
public:
  Input<Vector<unsigned>> rows, columns;
  Input<Vector<float>> values, x;
  Output<Vector<float>> y;

  void compute() {
    for (unsigned row = 0; row < y.size(); ++row) {
      float sum = 0;
      for (unsigned i = rows[row]; i < rows[row + 1]; ++i) sum += values[i] * x[columns[i]];
      y[row] = sum;
    }
  }
};

class Histogram : public Vertex {
public:
  Input<Vector<unsigned>> in;
  InOut<Vector<unsigned>> bins;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) ++bins[in[i] % 64];
  }
};

class SortSlowly : public Vertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      unsigned at = i;
      for (; at > 0 && out[at - 1] > in[i]; --at) out[at] = out[at - 1];
      out[at] = in[i];
    }
  }
};

class Roots : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      float root = in[i], before;
      do {
        before = root;
        root = 0.5f * (root + in[i] / root);
      } while (root < before);
      out[i] = root;
    }
  }
};

class LengthOfRuns : public Vertex {
public:
  Input<Vector<unsigned char>> in;
  Output<Vector<unsigned>> lengths;

  void compute() {
    unsigned run = 0;
    for (unsigned i = 0; i < in.size(); ++run) {
      const unsigned begin = i;
      while (i < in.size() && in[i] / 64 == in[begin] / 64) ++i;
      lengths[run % lengths.size()] = i - begin;
    }
  }
};

class Divisors : public Vertex {
public:
  Input<Vector<unsigned>> a, b;
  Output<Vector<unsigned>> out;

  void compute() {
    for (unsigned i = 0; i < a.size(); ++i) {
      unsigned x = a[i] + 1, y = b[i] + 1;
      while (y) {
        const unsigned rest = x % y;
        x = y;
        y = rest;
      }
      out[i] = x;
    }
  }
};

class Rectify : public Vertex {
public:
  InOut<Vector<float>> x;

  void compute() {
    for (unsigned i = 0; i < x.size(); ++i)
      if (x[i] < 0) x[i] = 0;
  }
};

class Clamp : public Vertex {
public:
  InOut<Vector<float>> x;
  float least, most;

  void compute() {
    for (unsigned i = 0; i < x.size(); ++i) {
      if (x[i] < least) x[i] = least;
      if (x[i] > most) x[i] = most;
    }
  }
};

class RectifyHalves : public Vertex {
public:
  InOut<Vector<half>> x;

  void compute() {
    for (unsigned i = 0; i < x.size(); ++i)
      if (x[i] < half(0)) x[i] = half(0);
  }
};

class RectifyIntegers : public Vertex {
public:
  InOut<Vector<int>> x;

  void compute() {
    for (auto& v : x)
      if (v < 4) v = 4;
  }
};

class RectifyRows : public Vertex {
public:
  Vector<InOut<Vector<float>>> rows;

  void compute() {
    for (unsigned r = 0; r < rows.size(); ++r)
      for (unsigned i = 0; i < rows[r].size(); ++i)
        if (rows[r][i] < 0) rows[r][i] *= 0.5f;
  }
};

class RectifyFrom : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
    const float* __restrict from = &in[0];
    float* __restrict to = &out[0];
    for (unsigned i = 0; i < in.size(); ++i)
      if (from[i] > 0) to[i] = from[i];
  }
};

class Decay : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      if (in[i] > 0.5f) out[i] = in[i] * 0.5f;
  }
};

class Above : public Vertex {
public:
  Input<Vector<float>> in;
  float threshold;
  Output<Vector<float>> out;

  void compute() {
    unsigned kept = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      if (in[i] > threshold) out[kept++] = in[i];
  }
};

class Interpreter : public Vertex {
public:
  Input<Vector<unsigned char>> program;
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      unsigned a = in[i], b = 1;
      for (unsigned at = 0; at < program.size(); ++at) {
        switch (program[at] % 8) {
        case 0: a += b; break;
        case 1: b += a; break;
        case 2: a ^= b; break;
        case 3: a = a << 3 | a >> 29; break;
        case 4: b *= 5; break;
        case 5: a -= b; break;
        case 6:
          if (a & 1) ++at;
          break;
        default: b = ~b;
        }
      }
      out[i] = a;
    }
  }
};

class Calls : public Vertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;

  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = mixed(in[i]);
  }

private:
  __attribute__((noinline)) static unsigned mixed(unsigned n) {
    return n & 4 ? (n ^ n >> 15) * 0x2c1b3c6d : n * 0x297a2d39 ^ n >> 9;
  }
};

class AtMost63 : public Vertex {
public:
  Input<Vector<unsigned>> length;
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
    const unsigned n = length[0] & 63;
    for (unsigned i = 0; i < n; ++i) out[i] = 2 * in[i];
  }
};

class WhileEqual : public Vertex {
public:
  Input<Vector<unsigned char>> a, b;
  Output<Vector<unsigned>> length;

  void compute() {
    unsigned i = 0;
    while (i < a.size() && a[i] == b[i]) ++i;
    length[0] = i;
  }
};

class Walk : public Vertex {
public:
  Input<Vector<unsigned>> next;
  Output<Vector<unsigned>> last;

  void compute() {
    unsigned at = 0;
    for (unsigned i = 0; i < 4 * next.size(); ++i) at = next[at];
    last[0] = at;
  }
};

class Distances : public Vertex {
public:
  Input<Vector<float>> points;
  Input<Vector<float>> query;
  Output<Vector<float>> best;

  void compute() {
    float least = 1e30f;
    unsigned where = 0;
    for (unsigned i = 0; i + 3 < points.size(); i += 4) {
      float sum = 0;
      for (unsigned k = 0; k < 4; ++k) sum += (points[i + k] - query[k]) * (points[i + k] - query[k]);
      if (sum < least) least = sum, where = i;
    }
    best[0] = least;
    best[1] = where;
  }
};

class Blocks : public Vertex {
public:
  Input<Vector<unsigned>> lengths;
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
    unsigned begin = 0;
    for (unsigned block = 0; block < lengths.size(); ++block) {
      const unsigned length = lengths[block];
      for (unsigned i = 0; i < length; ++i) out[begin + i] = 3 * in[begin + i] + in[begin + i] * in[begin + i];
      begin += length;
    }
  }
};
