// Tensors as files of NumPy, format .npy.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <iosfwd>
#include <string>

namespace simcore::numerics {

// Throws reports::Error: Damaged if not a complete .npy file, Unsupported for structured types, Fortran order, big-endian numbers.
HostTensor parseNpy(const std::string& bytes);
// Writes version 1.0; BFloat16 and 8-bit floats, which NumPy lacks, are written as float.
void writeNpy(std::ostream& stream, const HostTensor& tensor);

} // namespace simcore::numerics
