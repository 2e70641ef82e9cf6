#include "simcore/poplar/libs/conv_options.h"

#include "simcore/poplar/libs/library_call.h"

#include <cstdlib>

namespace simcore::poplar {

namespace {

double numberOf(const std::string& name, const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || *end != '\0')
    throw ::poplar::invalid_option("option " + name + ": \"" + value + "\" is not a number");
  return number;
}

ops::ProductPass passOf(const std::string& name, const std::string& value) {
  if (value == "NONE" || value == "NONE_FWD" || value == "NONE_MATMUL" || value == "INFERENCE_FWD" || value == "FC_INFERENCE_FWD")
    return ops::ProductPass::None;
  if (value == "TRAINING_FWD" || value == "FC_TRAINING_FWD") return ops::ProductPass::Forward;
  if (value == "TRAINING_BWD" || value == "FC_TRAINING_BWD") return ops::ProductPass::Backward;
  if (value == "TRAINING_WU" || value == "FC_TRAINING_WU") return ops::ProductPass::Update;
  throw ::poplar::invalid_option("option " + name + ": unknown pass \"" + value + "\"");
}

} // namespace

ops::ConvOptions convOptionsOf(const char* call, const ::poplar::OptionFlags& options) {
  ops::ConvOptions read;
  for (const auto& [name, value] : options) {
    if (name == "availableMemoryProportion") {
      read.availableMemoryProportion = numberOf(name, value);
      if (*read.availableMemoryProportion < 0)
        throw ::poplar::invalid_option("option availableMemoryProportion: " + value + " is below 0");
    } else if (name == "partialsType") {
      if (value != "half" && value != "float")
        throw ::poplar::invalid_option("option partialsType: \"" + value + "\" is neither half nor float");
      read.partials = value == "half" ? numerics::ElementType::Half : numerics::ElementType::Float;
    } else if (name == "fullyConnectedPass" || name == "pass") {
      read.pass = passOf(name, value);
    }
  }
  ignoreOptions(call, options, {"availableMemoryProportion", "partialsType", "fullyConnectedPass", "pass"});
  return read;
}

void layOutAsPlanned(const ops::OpBuilder& b, const graph::Tensor& variable,
                     const std::function<void(const ops::OpBuilder& scratch, const graph::Tensor& like)>& make) {
  if (b.graph().isVirtual()) return b.mapLinearly(variable); // plans have tile numbers of the whole machine
  graph::Graph alone(b.graph().machine());
  graph::Sequence nothing;
  const ops::OpBuilder scratch(alone, nothing, {}, false, b.ipu());
  const graph::Tensor like = alone.addVariable(variable.elementType(), variable.shape(), "like");
  make(scratch, like);
  const graph::Variable& placed = alone.variable(like.wholeVariable());
  if (!placed.distribution.valid()) return b.mapLinearly(variable);
  b.graph().setDistribution(variable, placed.distribution);
  b.graph().variable(variable.wholeVariable()).interleaved = placed.interleaved;
}

} // namespace simcore::poplar
