// Tensors from one IPU to another: what crosses goes over links in one GlobalExchange, tile by tile to the tile of the same
// number, so that the copy lies as the original does and its readers need no exchange of their own.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// A tensor and the variable on another IPU that takes its value.
struct IpuCopy {
  Tensor from, to;
};

// Whether any part of the tensor lies on an IPU other than `ipu`. Variables that are on no tile yet may be put anywhere.
bool isElsewhere(const Graph& graph, const Tensor& tensor, int ipu);
// The IPU that holds the tensor's first mapped variable, or -1.
int ipuOf(const Graph& graph, const Tensor& tensor);

// A variable for a copy on `toIpu`: laid out as `tensor` where that is a whole variable with a layout, else linearly.
Tensor destinationOn(const OpBuilder& builder, const Tensor& tensor, int toIpu, const std::string& name);
// All copies in one exchange; every source is read before any destination is written.
void interIpuCopies(const OpBuilder& builder, const std::string& name, const std::vector<IpuCopy>& copies);
// The tensor on another IPU; `name` is that of the operation in the report.
Tensor interIpuCopy(const OpBuilder& builder, const Tensor& tensor, int toIpu, const std::string& name = "interIpuCopy");

} // namespace simcore::ops
