// A small machine for calls of the libraries: tensors with values, one run, and the values after it. Every program is also written
// to a file, and the executable read from the file must compute the same, bit by bit.
#pragma once

#include "poplar/Engine.hpp"
#include "poplar/Graph.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/Program.hpp"
#include "poputil/TileMapping.hpp"

#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tests {

class LibraryBench {
public:
  explicit LibraryBench(unsigned tiles = 4, unsigned ipus = 1)
      : m_device(model(tiles, ipus).createDevice()), graph(m_device.getTarget()) {}

  poplar::Tensor input(const poplar::Type& type, const std::vector<std::size_t>& shape, const std::vector<float>& values) {
    const poplar::Tensor t = graph.addVariable(type, shape, "input");
    poputil::mapTensorLinearly(graph, t);
    graph.setInitialValue(t, poplar::ArrayRef<float>(values));
    return t;
  }
  poplar::Tensor input(const std::vector<std::size_t>& shape, const std::vector<float>& values) {
    return input(poplar::FLOAT, shape, values);
  }
  // Small numbers that differ, the same in every call.
  static std::vector<float> numbers(std::size_t n, float scale = 0.25F) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = scale * float(int(i * 7 % 11) - 5);
    return values;
  }
  const poplar::Device& device() const { return m_device; }
  // Keeps a tensor to read after the run.
  void keep(const std::string& name, const poplar::Tensor& t) {
    const poplar::Tensor wide = t.elementType() == poplar::FLOAT ? t : asFloat(t);
    graph.createHostRead(name, wide);
    m_elements[name] = t.numElements();
  }
  void run() {
    m_engine.reset(new poplar::Engine(graph, prog));
    std::stringstream file;
    poplar::compileGraph(graph, prog).serialize(file);
    m_stored.reset(new poplar::Engine(poplar::Executable::deserialize(file)));
    for (poplar::Engine* engine : {m_engine.get(), m_stored.get()}) engine->load(m_device);
    runAgain();
  }
  void runAgain() {
    for (poplar::Engine* engine : {m_engine.get(), m_stored.get()}) engine->run(0);
  }
  // Empty if the executable read from the file gives other values.
  std::vector<float> values(const std::string& name) {
    std::vector<float> read(m_elements.at(name)), stored(read.size());
    m_engine->readTensor(name, read.data(), read.data() + read.size());
    m_stored->readTensor(name, stored.data(), stored.data() + stored.size());
    if (std::memcmp(read.data(), stored.data(), read.size() * sizeof(float)) == 0) return read;
    qWarning("%s is another one in the executable that was written and read", name.c_str());
    return {};
  }

private:
  static poplar::IPUModel model(unsigned tiles, unsigned ipus) {
    poplar::IPUModel described;
    described.numIPUs = ipus;
    described.tilesPerIPU = tiles;
    return described;
  }
  poplar::Tensor asFloat(const poplar::Tensor& t);

  poplar::Device m_device;
  std::unique_ptr<poplar::Engine> m_engine, m_stored;
  std::map<std::string, std::size_t> m_elements;

public:
  poplar::Graph graph;
  poplar::program::Sequence prog;
};

inline bool isNear(const std::vector<float>& a, const std::vector<float>& b, float tolerance = 1e-5F) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance * std::max(1.0F, std::abs(b[i])))) {
      qWarning("element %d is %g instead of %g", int(i), double(a[i]), double(b[i]));
      return false;
    }
  return true;
}

} // namespace tests
