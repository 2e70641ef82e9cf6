// Graphs of one operator with shapes, axes, attributes and element types sampled from a seed: primes, ones, zeros now and then,
// broadcasts, negative axes, operands that are constants or come from outside. Every graph is legal ONNX.
#pragma once

#include "tests/simcore/model/node_cases.h"

namespace tests {

class Draw {
public:
  Draw(Net& net, std::uint64_t seed) : m_net(net), m_random(seed) { net.random.seed(seed + 1); }

  Net& net() { return m_net; }
  std::int64_t integer(std::int64_t low, std::int64_t high); // both may be drawn
  std::int64_t flag() { return integer(0, 1); }
  bool chance(double p) { return double(m_random() >> 11) * 0x1p-53 < p; }
  template<class T> const T& oneOf(const std::vector<T>& choices) {
    return choices[std::size_t(integer(0, std::int64_t(choices.size()) - 1))];
  }
  const char* word(const std::vector<const char*>& choices) { return oneOf(choices); }
  std::int64_t size(std::int64_t most = 1021);
  // A shape of at most `most` elements; a dimension of zero is rare and can be forbidden.
  Shape shape(std::size_t leastRank, std::size_t mostRank, bool mayBeEmpty = true, std::int64_t most = 1500);
  // A shape that broadcasts to `to`: some dimensions become 1, leading dimensions are dropped.
  Shape broadcastable(const Shape& to);
  // An axis of a tensor of this rank as a file may write it, counted from either end.
  std::int64_t axis(std::size_t rank);
  std::vector<std::int64_t> axes(std::size_t rank, bool mayBeNone); // different ones, in any order
  std::int64_t written(std::size_t axis, std::size_t rank);
  Integers order(std::size_t rank);

  // An operand, mostly from outside, sometimes a constant of the graph.
  std::string operand(const std::string& name, const HostTensor& value);
  std::string real(const std::string& name, const Shape& shape, double low = -1, double high = 1);
  std::string whole(const std::string& name, const Shape& shape, std::int64_t low, std::int64_t high,
                    ElementType type = ElementType::Int64);
  // Floats or integers, as the operator may take both.
  std::string number(const std::string& name, const Shape& shape, ElementType type, double low, double high);
  std::string scalar(const std::string& name, std::int64_t value) {
    return m_net.builder.constant(name, HostTensor::scalar(value));
  }
  ElementType floating();   // mostly float
  ElementType arithmetic(); // floats and the 32 and 64 bit integers
  // The element type that real() gives from now on.
  void setFloating(ElementType type) { m_floating = type; }
  ElementType floatingType() const { return m_floating; }

private:
  Net& m_net;
  std::mt19937_64 m_random;
  ElementType m_floating = ElementType::Float;
};

// The same seed gives the same graph.
NodeCase randomNode(std::uint64_t seed);

using RandomFamily = void (*)(Draw&);
std::vector<RandomFamily> randomElementwise();
std::vector<RandomFamily> randomMovements();
std::vector<RandomFamily> randomSelections();
std::vector<RandomFamily> randomNeural();

} // namespace tests
