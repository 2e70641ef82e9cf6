// The vertices of the sample monte-carlo: paths of a stock with the hardware's normal numbers, and the price with its standard error.
#include <ipu_vector_math>
#include <poplar/Vertex.hpp>

using namespace poplar;

// The number of steps is even: two of them share a draw.
class SimulatePaths : public Vertex {
public:
  Output<Vector<float>> sums; // of discounted payoffs, of their squares
  const unsigned samples, steps;
  const float trend, width, spot, strike, discount; // trend: the drift of all steps
  const bool isCall;

  bool compute() {
    float sum = 0, squares = 0;
    for (unsigned sample = 0; sample < samples; ++sample) {
      float noise = 0;
      for (unsigned step = 0; step < steps; step += 2) {
        const float2 draws = __builtin_ipu_f32v2grand();
        noise += draws.x;
        noise += draws.y;
      }
      const float difference = spot * ipu::exp(trend + width * noise) - strike;
      const float value = discount * ipu::fmax(0.0f, isCall ? difference : -difference);
      sum += value;
      squares += value * value;
    }
    sums[0] = sum;
    sums[1] = squares;
    return true;
  }
};

class PriceAndError : public Vertex {
public:
  Input<Vector<float>> sums;
  Output<Vector<float>> result;
  const float paths;

  bool compute() {
    const float price = sums[0] / paths, variance = ipu::fmax(0.0f, sums[1] / paths - price * price);
    result[0] = price;
    result[1] = ipu::sqrt(variance / ipu::fmax(1.0f, paths - 1));
    return true;
  }
};
