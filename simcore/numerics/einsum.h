// Einstein sums: "ij,jk->ik", "...ii->...i", any number of operands. Operands are joined in pairs, each pair as one batched
// matrix product.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <map>
#include <string>
#include <vector>

namespace simcore::numerics {

// The equation with one label per dimension of every operand; dimensions of an ellipsis have the characters 1, 2, 3 … as labels.
// `sizes` are by label; a dimension of size 1 matches any size. Throws like einsumShape().
struct EinsumTerms {
  std::vector<std::string> operands;
  std::string result;
  std::map<char, std::int64_t> sizes;
};
EinsumTerms einsumTerms(const std::string& equation, const std::vector<Shape>& operands);
// Shape of the result. Throws reports::Error(InvalidInput) for an equation that does not fit the operands.
Shape einsumShape(const std::string& equation, const std::vector<Shape>& operands);
HostTensor einsum(const std::string& equation, const std::vector<HostTensor>& operands);

} // namespace simcore::numerics
