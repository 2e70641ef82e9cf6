// Why a model misses its expected outputs in fp16 though its operators are right: a value leaves the range of fp16, or the
// network is so sensitive that inputs and weights rounded to fp16 are other inputs and weights already.
#pragma once

#include "app/cli/onnx_case.h"
#include "app/cli/onnx_model.h"

namespace app::cli {

// The first node whose result does not fit fp16, in a sentence; nothing if all fit.
std::optional<std::string> leavesHalfRange(const simcore::model::Model& model, const NamedTensors& inputs,
                                           const std::stop_token& stop);

// A sentence if float arithmetic on inputs and weights rounded to fp16 misses the expected value of output `output` by itself.
std::optional<std::string> isTooSensitiveForHalf(const simcore::model::Model& model, const NamedTensors& inputs,
                                                 std::size_t output, const simcore::numerics::HostTensor& expected,
                                                 const Tolerance& tolerance, const std::stop_token& stop);

} // namespace app::cli
