// One explicit step of the heat equation with the five-point and the seven-point stencil. Inputs have a rim of one cell (C2, C3, C4).
#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

class HeatPlain : public Vertex {
public:
  Vector<Input<Vector<float, VectorLayout::SPAN, 4>>> before;
  Vector<Output<Vector<float, VectorLayout::SPAN, 4>>> after;
  const int rows;
  const int columns;
  const float rate;

  bool compute() {
    const float own = 1.0f - 4.0f * rate;
    for (int row = 1; row <= rows; ++row)
      for (int column = 1; column <= columns; ++column)
        after[row - 1][column - 1] = own * before[row][column] + rate * (before[row - 1][column] + before[row + 1][column] +
                                                                         before[row][column - 1] + before[row][column + 1]);
    return true;
  }
};

// Two cells at a time; the first and the last column come alone, because pairs of the input and of the output are shifted by one.
class HeatPairs : public Vertex {
public:
  Vector<Input<Vector<float, VectorLayout::SPAN, 8>>> before;
  Vector<Output<Vector<float, VectorLayout::SPAN, 4>>> after;
  const int rows;
  const int columns;
  const float rate;

  void cell(int row, int column, float own) {
    after[row - 1][column - 1] = own * before[row][column] + rate * (before[row + 1][column] + before[row - 1][column] +
                                                                     before[row][column + 1] + before[row][column - 1]);
  }

  bool compute() {
    const int pairs = columns / 2 + columns % 2;
    const float own = 1.0f - 4.0f * rate;
    for (int row = 1; row <= rows; ++row) {
      cell(row, 1, own);
      if (columns % 2 == 0) cell(row, columns, own);
    }
    for (int row = 1; row <= rows; ++row) {
      const float2* __restrict__ above = reinterpret_cast<float2*>(&before[row - 1][0]);
      const float2* __restrict__ here = reinterpret_cast<float2*>(&before[row][0]);
      const float2* __restrict__ below = reinterpret_cast<float2*>(&before[row + 1][0]);
      for (int pair = 1; pair < pairs; ++pair) {
        float2 sides;
        sides.x = here[pair - 1].y + here[pair].y;
        sides.y = here[pair].x + here[pair + 1].x;
        const float2 both = own * here[pair] + rate * (above[pair] + sides + below[pair]);
        after[row - 1][2 * pair - 1] = both.x;
        after[row - 1][2 * pair] = both.y;
      }
    }
    return true;
  }
};

// Rows of a block, stored one after the other: [row][column] is vector row * columns + column.
class HeatPairs3d : public Vertex {
public:
  Vector<Input<Vector<float, VectorLayout::SPAN, 8>>> before;
  Vector<Output<Vector<float, VectorLayout::SPAN, 4>>> after;
  const unsigned rows;
  const unsigned columns;
  const unsigned depth;
  const float rate;

  bool compute() {
    const float own = 1.0f - 6.0f * rate;
    const unsigned wide = columns + 2;
    const int pairs = depth / 2 + depth % 2;
    for (unsigned row = 1; row <= rows; ++row)
      for (unsigned column = 1; column <= columns; ++column) {
        const float* __restrict__ north = &before[column + (row - 1) * wide][0];
        const float* __restrict__ west = &before[column - 1 + row * wide][0];
        const float* __restrict__ here = &before[column + row * wide][0];
        const float* __restrict__ east = &before[column + 1 + row * wide][0];
        const float* __restrict__ south = &before[column + (row + 1) * wide][0];
        float* __restrict__ result = &after[column - 1 + (row - 1) * columns][0];
        unsigned at = 1;
        result[at - 1] = own * here[at] + rate * (north[at] + south[at] + west[at] + east[at] + here[at + 1] + here[at - 1]);
        if (depth % 2 == 0) {
          at = depth;
          result[at - 1] = own * here[at] + rate * (north[at] + south[at] + west[at] + east[at] + here[at + 1] + here[at - 1]);
        }
      }
    for (unsigned row = 1; row <= rows; ++row)
      for (unsigned column = 1; column <= columns; ++column) {
        const float2* __restrict__ north = reinterpret_cast<float2*>(&before[column + (row - 1) * wide][0]);
        const float2* __restrict__ west = reinterpret_cast<float2*>(&before[column - 1 + row * wide][0]);
        const float2* __restrict__ here = reinterpret_cast<float2*>(&before[column + row * wide][0]);
        const float2* __restrict__ east = reinterpret_cast<float2*>(&before[column + 1 + row * wide][0]);
        const float2* __restrict__ south = reinterpret_cast<float2*>(&before[column + (row + 1) * wide][0]);
        float* __restrict__ result = &after[column - 1 + (row - 1) * columns][0];
        for (int pair = 1; pair < pairs; ++pair) {
          float2 ends;
          ends.x = here[pair - 1].y + here[pair].y;
          ends.y = here[pair].x + here[pair + 1].x;
          const float2 both = own * here[pair] + rate * (ends + north[pair] + south[pair] + west[pair] + east[pair]);
          result[2 * pair - 1] = both.x;
          result[2 * pair] = both.y;
        }
      }
    return true;
  }
};
