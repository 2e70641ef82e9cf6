// Operators of ONNX Runtime's own domain com.microsoft, which its optimiser and its quantiser write into files, as the standard
// operators they stand for. Meaning after ONNX Runtime's operator documentation. Everything is said without knowing a rank:
// batches, heads and channels follow from Reshape's copied dimensions.
#pragma once

#include "simcore/model/onnx/tensor_proto.h"

#include <string>
#include <vector>

namespace simcore::model {

// The nodes that `node` stands for, or none for one that is no such operator. Names that it makes begin with `prefix`. Throws
// reports::Error(Unsupported) for inputs or attributes of a known operator that are not.
std::vector<onnx::NodeProto> expandContrib(const onnx::NodeProto& node, const std::string& prefix);

} // namespace simcore::model
