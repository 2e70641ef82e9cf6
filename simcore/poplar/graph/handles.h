// The objects behind the handles of the public classes.
#pragma once

#include "poplar/Device.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"
#include "simcore/graph/graph.h"
#include "simcore/poplar/store/recorded_call.h"
#include "simcore/run/device.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

namespace poplar {

struct Tensor::Inside {
  simcore::graph::Tensor tensor;
  std::shared_ptr<const simcore::graph::Graph> graphOfConstants; // null: it was not made from constants
};

struct Target::Inside {
  simcore::arch::Machine machine;
  TargetType type = TargetType::IPU;
  std::string architecture; // "ipu2"
};

struct Device::Inside {
  simcore::run::Device device; // invalid for a CPU, or for a described target
  Target target;
  unsigned id = 0;
  bool attached = false; // used if `device` is invalid
};

namespace program {
struct Program::Inside {
  simcore::graph::Sequence sequence;
  simcore::graph::Program node; // null: it is a sequence
  // For a Switch, so that cases can be added.
  simcore::graph::Tensor control;
  std::vector<std::pair<int64_t, simcore::graph::Sequence>> cases;
  simcore::graph::Sequence otherwise;
  std::string name;
};
} // namespace program

// Codelets that one call of addCodelets added.
struct CodeletFiles {
  std::vector<std::string> paths, found, digests; // the program's names; resolved paths; digests of the contents
  std::vector<std::string> flags;
  bool isFromStream = false;
  std::vector<std::string> codelets; // names
};

// Shared by a graph and its virtual graphs.
struct SharedByGraphs {
  std::unordered_map<std::string, simcore::graph::DebugContextId> contextOfPath;
  std::set<std::string> addedCodelets; // files with their flags
  std::vector<CodeletFiles> codeletFiles;
  std::vector<std::string> missingSymbols;         // symbols that codelets use and no file defines
  std::vector<simcore::poplar::CallOfGraph> calls; // of libraries, in order
  TargetType type = TargetType::IPU;
  std::string architecture;
};

struct Graph::Inside {
  simcore::graph::Graph graph;
  Target target;
  std::shared_ptr<SharedByGraphs> shared;
};

namespace core {

struct TensorAccess {
  static const simcore::graph::Tensor& inside(const Tensor& tensor);
  static Tensor made(simcore::graph::Tensor tensor, std::shared_ptr<const simcore::graph::Graph> graphOfConstants = nullptr);
  static const std::shared_ptr<const simcore::graph::Graph>& graphOfConstants(const Tensor& tensor);
};
struct TargetAccess {
  static const Target::Inside& inside(const Target& target);
  static Target made(simcore::arch::Machine machine, TargetType type, std::string architecture);
  static std::string architectureOf(const simcore::arch::Machine& machine); // "ipu2"
};
struct DeviceAccess {
  static Device::Inside& inside(const Device& device);
  static Device made(simcore::run::Device device, TargetType type, unsigned id);
};
struct ProgramAccess {
  static simcore::graph::Program node(const program::Program& program);
  static simcore::graph::Sequence& sequence(program::Program& program); // for writing
  static void set(program::Program& program, simcore::graph::Program node);
  static std::shared_ptr<program::Program::Inside>& inside(program::Program& program) { return program.m_inside; }
};
struct GraphAccess {
  static Graph::Inside& inside(const Graph& graph);
  static Graph made(std::shared_ptr<Graph::Inside> inside) { return Graph(std::move(inside)); }
};

} // namespace core
} // namespace poplar
