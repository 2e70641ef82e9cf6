// The vertex classes of a compiled source, with the data from which the engine builds vertex objects. They are read from the
// debug information in the IR text (decision 059): private members, templates and base classes have the same form there, and
// clang's libraries are not needed.
#pragma once

#include "simcore/graph/codelet.h"
#include "simcore/native/debug_types.h"

#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct VertexClass {
  std::string name;      // the name in a graph: ns::Name<float,true>
  std::string spelling;  // as spelt in C++
  std::string className; // without namespace and template arguments: Name
  graph::Codelet::Kind kind = graph::Codelet::Kind::Worker;
  std::vector<graph::CodeletField> fields;
  std::vector<graph::NativeBody::FieldPlace> places; // of `fields`
  std::vector<graph::NativeBody::StatePlace> state;
  std::vector<std::string> constraints;
  std::vector<std::pair<std::string, int>> memberLines; // of `state`: file and line
  std::vector<std::string> withInitialisers;            // names of those with an initialiser
  int64_t objectBytes = 0, alignment = 8;
  bool takesWorker = false, returnsValue = true; // compute()
  std::string file;                              // of compute()
  int line = 0;
};

// A type name in the graphs' spelling: without spaces except between words, `half` for the compiler's name, numbers without suffix.
std::string plainTypeName(std::string_view spelling);

// Throws Error(InvalidInput) for a field to which no tensor can be connected.
std::vector<VertexClass> vertexClasses(const DebugTypes& types);

// Whether a line declares the member with an initialiser.
bool hasInitialiser(std::string_view line, std::string_view member);

// The texts of [[poplar::constraint("…")]] before or in the heads of classes: class name and constraint.
std::vector<std::pair<std::string, std::string>> constraintsOf(std::string_view source);

} // namespace simcore::native
