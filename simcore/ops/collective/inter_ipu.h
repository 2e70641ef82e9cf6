// Copies tensors from one IPU to another over links in one GlobalExchange, from each tile to the tile with the same number, so
// that the copy has the mapping of the original and its readers need no further exchange.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// A tensor and the variable on another IPU that gets its value.
struct IpuCopy {
  Tensor from, to;
};

// Whether any part of the tensor is mapped to an IPU other than `ipu`. Unmapped variables do not count.
bool isElsewhere(const Graph& graph, const Tensor& tensor, int ipu);
// The IPU that holds the first element of a part of a variable, or the tensor's first mapped variable; -1 if none is mapped.
int ipuOf(const Graph& graph, const Tensor& tensor);

// Adds a variable on `toIpu` for a copy. If `tensor` is a whole variable with a layout, it is laid out alike, else linearly.
Tensor destinationOn(const OpBuilder& builder, const Tensor& tensor, int toIpu, const std::string& name);
// Makes all copies in one exchange; every source is read before any destination is written.
void interIpuCopies(const OpBuilder& builder, const std::string& name, const std::vector<IpuCopy>& copies);
// Returns a copy of the tensor on another IPU; `name` is the operation's name in the report.
Tensor interIpuCopy(const OpBuilder& builder, const Tensor& tensor, int toIpu, const std::string& name = "interIpuCopy");

} // namespace simcore::ops
