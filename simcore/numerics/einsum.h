// Einstein sums: "ij,jk->ik", "...ii->...i", any number of operands. Operands are joined in pairs, each pair as one batched
// matrix product.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <string>

namespace simcore::numerics {

// Shape of the result. Throws reports::Error(InvalidInput) for an equation that does not fit the operands.
Shape einsumShape(const std::string& equation, const std::vector<Shape>& operands);
HostTensor einsum(const std::string& equation, const std::vector<HostTensor>& operands);

} // namespace simcore::numerics
