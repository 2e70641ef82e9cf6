// A graph with its programs as a file of bytes, and back. The graph is data; numbers of library calls are made by making the calls again
// (recorded_call.h), and code of codelets is never in the file: it names the sources by path and hash, and the program that loads it has them.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "simcore/graph/graph.h"
#include "simcore/poplar/graph/handles.h"

#include <memory>
#include <string>
#include <vector>

namespace simcore::poplar {

struct StoredProgram {
  std::string name;
  ::poplar::TargetType targetType = ::poplar::TargetType::IPU;
  std::string architecture;
  std::vector<std::pair<std::string, std::string>> options; // of the engine
  std::shared_ptr<const graph::Graph> graph;
  std::vector<graph::Program> programs;
  std::shared_ptr<::poplar::SharedByGraphs> shared; // the graph's calls and codelet files
};

// Throws reports::Error(Unsupported) that names what no file can hold: codelets that came from a stream, calls of unusual graphs.
std::string toBytes(const StoredProgram& program);
// Throws reports::Error: Damaged for bytes that toBytes() did not give, NotFound for files of codelets that are not there or not the same.
StoredProgram ofBytes(std::string_view bytes);

} // namespace simcore::poplar
