// The vertices of the sample spiking: neurons that leak, add up what they receive, fire and start again. The six workers of a tile share
// the neurons of the tile.
#include <poplar/Vertex.hpp>

using namespace poplar;

typedef Input<Vector<float, VectorLayout::SPAN, 8>> Values;
typedef InOut<Vector<float, VectorLayout::SPAN, 8>> Results;

class Integrate : public MultiVertex {
public:
  Results potential;
  Values received, drive;

  void compute(unsigned worker) {
    for (unsigned i = worker; i < potential.size(); i += numWorkers())
      potential[i] = potential[i] * 0.9375f + received[i] + drive[i];
  }
};

class Fire : public MultiVertex {
public:
  Values potential;
  Results spikes;

  void compute(unsigned worker) {
    for (unsigned i = worker; i < spikes.size(); i += numWorkers()) spikes[i] = potential[i] >= 1.0f ? 1.0f : 0.0f;
  }
};

class Reset : public MultiVertex {
public:
  Results potential;
  Values spikes;

  void compute(unsigned worker) {
    for (unsigned i = worker; i < potential.size(); i += numWorkers()) potential[i] -= spikes[i];
  }
};

class Count : public MultiVertex {
public:
  Results counts;
  Values spikes;

  void compute(unsigned worker) {
    for (unsigned i = worker; i < counts.size(); i += numWorkers()) counts[i] += spikes[i];
  }
};
