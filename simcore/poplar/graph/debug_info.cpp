#include "poputil/DebugInfo.hpp"

namespace poputil {

using poplar::ProfileValue;

template<> ProfileValue toProfileValue(const poplar::ComputeSet& value) { return value.getId(); }
template<> ProfileValue toProfileValue(const poplar::OptionFlags& value) {
  ProfileValue::Map map;
  for (const auto& option : value) map.insert({option.first, option.second});
  return map;
}
template<> ProfileValue toProfileValue(const poplar::program::Copy&) { return "<poplar::program::Copy>"; }
template<> ProfileValue toProfileValue(const poplar::program::Sequence&) { return "<poplar::program::Sequence>"; }
template<> ProfileValue toProfileValue(const poplar::Tensor& value) {
  if (!value.valid()) return "<none>";
  ProfileValue::Vector shape;
  for (const std::size_t size : value.shape()) shape.emplace_back(static_cast<unsigned long>(size));
  return ProfileValue::Map{{"shape", shape}, {"type", value.elementType().toString()}};
}
template<> ProfileValue toProfileValue(const poplar::Type& value) { return value.toString(); }
template<> ProfileValue toProfileValue(const poplar::TensorCloneMethod& value) { return static_cast<int>(value); }

OpDebugInfo::OpDebugInfo(const poplar::DebugContext& debugContext, std::string api) : DebugInfo(debugContext, "poplibs") {
  setValue("api", ProfileValue(std::move(api)));
}
void OpDebugInfo::add(std::string name, const std::vector<ArgType>& args) {
  ProfileValue::Map map;
  for (const ArgType& arg : args) map.insert({arg.n, arg.pv});
  setValue(std::move(name), ProfileValue(std::move(map)));
}
void OpDebugInfo::add(std::string name, ProfileValue value) { setValue(std::move(name), value); }

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const poplar::DebugContext& debugContext, const std::vector<ArgType>& args,
                                       const std::string& api)
    : OpDebugInfo(debugContext, api) {
  add("args", args);
}
void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType>& outputs) { add("outputs", outputs); }
void PoplibsOpDebugInfo::addOutput(const poplar::Tensor& output) { addOutputs({{"output", toProfileValue(output)}}); }

} // namespace poputil
