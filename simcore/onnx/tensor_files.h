// Files of a model besides the .onnx file: untrusted bytes with an upper limit, so that a wrong path (a device, a huge file) is an error and not
// a hang; single tensors, read as ONNX TensorProto (.pb) or NumPy .npy and written as .npy.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <filesystem>
#include <string>
#include <vector>

namespace simcore::model {

// Throws reports::Error: NotFound, Io (not a regular file), InvalidInput (empty, or larger than `limit`); returns the size.
std::uintmax_t requireReadable(const std::filesystem::path& file, std::uintmax_t limit);
// Throws the same, and Io if the file cannot be read.
std::string readFileBytes(const std::filesystem::path& file, std::uintmax_t limit);

// Reads a .pb or .npy file, by its extension. Throws reports::Error: NotFound, Damaged, Unsupported (element
// types, Fortran order, big-endian numbers), InvalidInput (other extensions), with the file's name.
numerics::HostTensor readTensorFile(const std::filesystem::path& file);

// The same for a value that the model declares as `declared`: also accepts files that store the bits of a BFloat16 as UInt16
// (like ONNX's own test data) or those of an 8-bit float as UInt8.
numerics::HostTensor readTensorFile(const std::filesystem::path& file, numerics::ElementType declared);

// Writes an .npy file of version 1.0; BFloat16 and 8-bit floats, which NumPy lacks, are written as float. Throws reports::Error(Io).
void writeNpy(const std::filesystem::path& file, const numerics::HostTensor& tensor);

} // namespace simcore::model
