// Compares vertices of the shipped samples, whose cycles are formulas, with C++ sources of the same vertices, whose cycles are
// counted from the compiled code.
#pragma once

#include "simcore/validation/codelet_cases.h"
#include "simcore/validation/vertex_object.h"

namespace simcore::validation {

// A vertex of a sample, with the data that it has in the sample.
struct SampleVertex {
  std::string sample, vertex, source, codelet; // source: a file of resources/validation/codelets
  std::vector<ConnectedField> fields;
  std::vector<std::pair<std::string, double>> state;
  int64_t formula = 0;                                    // tile cycles according to the sample's formula
  std::map<std::string, numerics::HostTensor> results;    // fields that the vertex writes, computed by the sample's own function
  double tolerance = 1e-6;                                // of floats, relative to the largest result; whole numbers are exact
  std::function<std::function<uint64_t()>()> random = {}; // makes the worker's random generator
};

struct SampleVertexResult {
  SampleVertex vertex;
  std::optional<double> counted; // tile cycles
  double difference = 0;         // largest difference of a result from the sample's, relative to the largest result
  std::string problem;           // no cycle count, or results that differ from the sample's; empty if none
};

// Runs each sample on a small machine to get the data, which takes some hundred milliseconds.
std::vector<SampleVertex> sampleVertices();
std::vector<SampleVertexResult> runSampleVertices(std::vector<SampleVertex> vertices, const CompileCodelets& compile);
// "in[64], out[1]", "messages[46 x 2]".
std::string fieldsText(const SampleVertex& vertex);

} // namespace simcore::validation
