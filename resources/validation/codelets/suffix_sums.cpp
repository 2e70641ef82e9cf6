// The vertex of the sample custom-vertex: the sum of all its elements.
#include <poplar/Vertex.hpp>

template<typename T> class SumSuffix : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T>> out;

  bool compute() {
    T sum = 0;
    for (const T value : in) sum += value;
    out[0] = sum;
    return true;
  }
};
template class SumSuffix<float>;
