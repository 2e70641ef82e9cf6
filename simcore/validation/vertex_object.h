// One vertex of compiled code in memory of its own, without a graph: to time its code and to look at what it leaves.
#pragma once

#include "simcore/graph/codelet.h"
#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace simcore::validation {

// The contents of a field: one tensor, or one for each vector of a list.
struct ConnectedField {
  std::string name;
  std::vector<numerics::HostTensor> vectors;
};

class VertexObject {
public:
  // State that is not named is 0. Throws Error(InvalidInput) for names that the codelet does not have, or if its code does not count.
  VertexObject(const graph::Codelet& codelet, const std::vector<ConnectedField>& fields,
               const std::vector<std::pair<std::string, double>>& state);

  // Runs it once, on all workers if it is a Multi vertex, and gives the cycles of the tile. `random` draws 64 bits at a time for
  // codelets that ask for random numbers; without it they have those of their own library.
  int64_t run(const std::function<uint64_t()>& random = {});
  void* object() { return m_object.data(); }                                           // as the code of the codelet has it
  numerics::HostTensor values(const std::string& field, std::size_t vector = 0) const; // of rank 1

private:
  struct Elements {
    numerics::ElementType type;
    int64_t count;
    std::vector<uint64_t> words; // with spare words at the end, because codelets read ahead
  };
  uint64_t keep(const numerics::HostTensor& value, std::vector<Elements>& all);
  void setState(const std::string& name, double value);

  const graph::Codelet& m_codelet;
  std::vector<uint64_t> m_object;
  std::map<std::string, std::vector<Elements>> m_elements; // by field
  std::vector<std::vector<uint64_t>> m_lists;              // pointers and counts
};

} // namespace simcore::validation
