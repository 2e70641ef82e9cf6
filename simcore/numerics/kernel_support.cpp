#include "simcore/numerics/kernel_support.h"

#include <fmt/format.h>

namespace simcore::numerics {

void failKernel(const std::string& message) { throw reports::Error(reports::ErrorCode::InvalidInput, message); }

void unsupportedType(const char* kernel, ElementType type) {
  throw reports::Error(reports::ErrorCode::Unsupported,
                       fmt::format("{} is not supported for elements of type {}", kernel, elementTypeName(type)));
}

void requireRank(const HostTensor& tensor, std::size_t rank, const char* what) {
  if (tensor.rank() != rank)
    failKernel(fmt::format("{} must have rank {}, not the shape {}", what, rank, toString(tensor.shape())));
}

void requireSameType(const HostTensor& a, const HostTensor& b, const char* kernel) {
  if (a.type() != b.type())
    failKernel(
        fmt::format("{} needs equal element types, not {} and {}", kernel, elementTypeName(a.type()), elementTypeName(b.type())));
}

} // namespace simcore::numerics
