// One vertex of compiled code with its own memory and without a graph, to time its code and inspect its results.
#pragma once

#include "simcore/graph/codelet.h"
#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simcore::validation {

// The contents of a field: one tensor, or one tensor for each vector of a list.
struct ConnectedField {
  std::string name;
  std::vector<numerics::HostTensor> vectors;
};

class VertexObject {
public:
  // State that is not named is 0. Throws Error(InvalidInput) for names that the codelet lacks, or if the cycles of its code
  // cannot be counted.
  VertexObject(const graph::Codelet& codelet, const std::vector<ConnectedField>& fields,
               const std::vector<std::pair<std::string, double>>& state);

  // Runs the vertex once, on all workers if it is a Multi vertex, and returns the cycles of the tile. `random` returns 64 random
  // bits per call, for codelets that use random numbers; without it, the codelet's library makes them.
  int64_t run(const std::function<uint64_t()>& random = {});
  void* object() { return m_object.data(); } // the object that the codelet's code reads and writes
  numerics::HostTensor values(const std::string& field, std::size_t vector = 0) const; // of rank 1

private:
  struct Elements {
    numerics::ElementType type;
    int64_t count;
    std::vector<uint64_t> words; // with spare words at the end, because codelets read beyond the end
  };
  uint64_t keep(const numerics::HostTensor& value, std::vector<Elements>& all);
  void setState(const std::string& name, double value);

  const graph::Codelet& m_codelet;
  std::vector<uint64_t> m_object;
  std::map<std::string, std::vector<Elements>> m_elements; // by field
  std::vector<std::vector<uint64_t>> m_lists;              // by list: pointers and counts of its vectors
};

} // namespace simcore::validation
