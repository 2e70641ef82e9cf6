// Files of a model other than the .onnx file. Their bytes are untrusted and their size is limited, so that a wrong path (a
// device, a huge file) is an error and not a hang. Single tensors are read from ONNX TensorProto (.pb) or NumPy .npy files and
// written as .npy.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <filesystem>
#include <string>
#include <vector>

namespace simcore::model {

// Returns the size. Throws reports::Error: NotFound, Io (not a regular file), InvalidInput (empty, or larger than `limit`).
std::uintmax_t requireReadable(const std::filesystem::path& file, std::uintmax_t limit);
// Returns the file's bytes. Throws the errors of requireReadable(), and Io if the file cannot be read.
std::string readFileBytes(const std::filesystem::path& file, std::uintmax_t limit);

// Reads a .pb or .npy file, by its extension. Throws reports::Error with the file's name: NotFound, Damaged, Unsupported (element
// types, Fortran order, big-endian numbers), InvalidInput (other extensions).
numerics::HostTensor readTensorFile(const std::filesystem::path& file);

// Reads the tensor of a value that the model declares with the type `declared`. Also accepts files that store the bits of
// BFloat16 as UInt16 (as ONNX's own test data) or those of 8-bit floats as UInt8.
numerics::HostTensor readTensorFile(const std::filesystem::path& file, numerics::ElementType declared);

// Writes an .npy file of version 1.0; BFloat16 and 8-bit floats, which NumPy lacks, are written as float. Throws reports::Error(Io).
void writeNpy(const std::filesystem::path& file, const numerics::HostTensor& tensor);

} // namespace simcore::model
