// One step of the Aliev-Panfilov model of a heart muscle: excitation with a rim of one cell, recovery without (C5).
#include <poplar/Vertex.hpp>

using namespace poplar;

class HeartMuscle : public Vertex {
public:
  Vector<Input<Vector<float, VectorLayout::SPAN, 4>>> excitation;
  Vector<Output<Vector<float, VectorLayout::SPAN, 4>>> newExcitation;
  Vector<Input<Vector<float, VectorLayout::SPAN, 4>>> recovery;
  Vector<Output<Vector<float, VectorLayout::SPAN, 4>>> newRecovery;
  const int rows;
  const int columns;
  const float delta, epsilon, mu1, mu2, spacing, time, k, a, b;

  bool compute() {
    const float diffusion = delta / (spacing * spacing);
    const float least = -epsilon;
    const float bound = b + 1;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const int y = i + 1, x = j + 1;
        float change = diffusion * (-4 * excitation[y][x] + excitation[y + 1][x] + excitation[y - 1][x] + excitation[y][x + 1] +
                                    excitation[y][x - 1]);
        change -= k * excitation[y][x] * (excitation[y][x] - a) * (excitation[y][x] - 1);
        change -= excitation[y][x] * recovery[y][x];
        newExcitation[i][j] = excitation[y][x] + change * time;
        change = least - mu1 * recovery[i][j] / (mu2 + excitation[i][j]);
        change *= recovery[i][j] + k * excitation[i][j] * (excitation[i][j] - bound);
        newRecovery[i][j] = recovery[i][j] + change * time;
      }
    return true;
  }
};
