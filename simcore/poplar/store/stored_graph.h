// Writes a graph with its programs as bytes, and reads it again. Numbers of library calls are computed by repeating the calls
// (recorded_call.h). The code of codelets is not stored: the file names the sources by path and hash, and the loading program
// must have them.
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

// Throws reports::Error(Unsupported) naming an object that no file can hold: codelets from a stream, calls of unusual graphs.
std::string toBytes(const StoredProgram& program);
// Throws reports::Error: Damaged if toBytes() did not make the bytes, NotFound if codelet files are missing or changed.
StoredProgram ofBytes(std::string_view bytes);

} // namespace simcore::poplar
