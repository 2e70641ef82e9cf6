// The vertices of the sample belief-propagation. Beliefs and messages are pairs: precision x mean, precision.
#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

typedef Input<Vector<float, VectorLayout::SPAN, 8>> Pairs;
typedef Vector<Input<Vector<float, VectorLayout::ONE_PTR, 8>>> ListOfPairs;

inline float2 pairAt(const float* values) { return *reinterpret_cast<const float2*>(values); }

class UpdateBeliefs : public Vertex {
public:
  Pairs priors;
  Input<Vector<int>> degrees;
  ListOfPairs messages;
  Output<Vector<float, VectorLayout::SPAN, 8>> beliefs;

  bool compute() {
    unsigned message = 0;
    for (unsigned i = 0; i < degrees.size(); ++i) {
      float2 sum = pairAt(&priors[2 * i]);
      for (int k = 0; k < degrees[i]; ++k, ++message) sum += pairAt(&messages[message][0]);
      *reinterpret_cast<float2*>(&beliefs[2 * i]) = sum;
    }
    return true;
  }
};

class UpdateMessages : public Vertex {
public:
  Pairs terms;
  ListOfPairs beliefs;
  InOut<Vector<float, VectorLayout::SPAN, 8>> messages;

  bool compute() {
    for (unsigned i = 0; i < terms.size() / 2; ++i) {
      const float value = terms[2 * i], precision = terms[2 * i + 1];
      float2* own = reinterpret_cast<float2*>(&messages[4 * i]);
      // Beliefs of both points without their last message from here.
      const float2 first = pairAt(&beliefs[2 * i][0]) - own[0], second = pairAt(&beliefs[2 * i + 1][0]) - own[1];
      const float share1 = precision / (precision + first.y), share2 = precision / (precision + second.y);
      const float2 toFirst = {second.x - value * second.y, second.y}, toSecond = {first.x + value * first.y, first.y};
      own[0] = share2 * toFirst;
      own[1] = share1 * toSecond;
    }
    return true;
  }
};

class Marginals : public Vertex {
public:
  Pairs beliefs;
  Output<Vector<float, VectorLayout::SPAN, 8>> marginals;

  bool compute() {
    for (unsigned i = 0; i < marginals.size(); i += 2) {
      const float2 belief = pairAt(&beliefs[i]);
      const float variance = 1.0f / belief.y;
      marginals[i] = belief.x * variance;
      marginals[i + 1] = variance;
    }
    return true;
  }
};
