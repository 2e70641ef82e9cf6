// Single tensors in files: ONNX TensorProto (.pb) in, NumPy .npy in and out.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <filesystem>

namespace simcore::model {

// Reads a .pb or .npy file, told apart by the extension. Throws reports::Error: NotFound, Damaged, Unsupported (element
// types, Fortran order, big-endian numbers), InvalidInput (other extensions), with the file's name.
numerics::HostTensor readTensorFile(const std::filesystem::path& file);

// The same for a value the model declares as `declared`: files that keep the bits of a BFloat16 as UInt16 (ONNX's own test
// data does) are understood.
numerics::HostTensor readTensorFile(const std::filesystem::path& file, numerics::ElementType declared);

// Writes an .npy file of version 1.0; BFloat16, which NumPy lacks, is written as float. Throws reports::Error(Io).
void writeNpy(const std::filesystem::path& file, const numerics::HostTensor& tensor);

} // namespace simcore::model
