#include "poplin/ConvParams.hpp"

#include "poputil/exceptions.hpp"
#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <iterator>
#include <ostream>
#include <string>
#include <tuple>

namespace poplin {

using Sizes = std::vector<std::size_t>;
using Numbers = std::vector<unsigned>;

ConvParams::InputTransform::InputTransform(const std::size_t size)
    : truncationLower(size, 0), truncationUpper(size, 0), dilation(size, 1), paddingLower(size, 0), paddingUpper(size, 0),
      flip(size, false) {}
ConvParams::InputTransform::InputTransform(Numbers truncationLower_, Numbers truncationUpper_, Numbers dilation_,
                                           Numbers paddingLower_, Numbers paddingUpper_, std::vector<bool> flip_)
    : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)), dilation(std::move(dilation_)),
      paddingLower(std::move(paddingLower_)), paddingUpper(std::move(paddingUpper_)), flip(std::move(flip_)) {}
ConvParams::OutputTransform::OutputTransform(const std::size_t size)
    : truncationLower(size, 0), truncationUpper(size, 0), stride(size, 1), paddingLower(size, 0), paddingUpper(size, 0) {}
ConvParams::OutputTransform::OutputTransform(Numbers truncationLower_, Numbers truncationUpper_, Numbers striding,
                                             Numbers paddingLower_, Numbers paddingUpper_)
    : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)), stride(std::move(striding)),
      paddingLower(std::move(paddingLower_)), paddingUpper(std::move(paddingUpper_)) {}

ConvParams::ConvParams(poplar::Type dataType, std::size_t batch, Sizes field, Sizes kernel, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t groups)
    : ConvParams(dataType, dataType, batch, std::move(field), std::move(kernel), inputChannels, outputChannels, groups) {}
ConvParams::ConvParams(poplar::Type in, poplar::Type out, std::size_t batch, Sizes field, Sizes kernel, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t groups)
    : ConvParams(in, out, batch, field, kernel, inputChannels, outputChannels, groups, InputTransform(field.size()),
                 InputTransform(kernel.size()), OutputTransform(field.size())) {}
ConvParams::ConvParams(poplar::Type in, poplar::Type out, std::size_t batch, Sizes field, Sizes kernel, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t groups, InputTransform ofInput, InputTransform ofKernel,
                       OutputTransform ofOutput)
    : inputType(in), outputType(out), batchSize(batch), inputFieldShape(std::move(field)), kernelShape(std::move(kernel)),
      inputChannelsPerConvGroup(inputChannels), outputChannelsPerConvGroup(outputChannels), numConvGroups(groups),
      inputTransform(std::move(ofInput)), kernelTransform(std::move(ofKernel)), outputTransform(std::move(ofOutput)) {}

namespace {
unsigned truncated(std::size_t size, const ConvParams::InputTransform& t, unsigned d) {
  return unsigned(size) - t.truncationLower[d] - t.truncationUpper[d];
}
unsigned transformed(std::size_t size, const ConvParams::InputTransform& t, unsigned d) {
  const unsigned cut = truncated(size, t, d);
  return t.paddingLower[d] + (cut == 0 ? 0 : (cut - 1) * t.dilation[d] + 1) + t.paddingUpper[d];
}
auto key(const ConvParams::InputTransform& t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper, t.flip);
}
auto key(const ConvParams::OutputTransform& t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
auto key(const ConvParams& p) {
  return std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape, p.inputChannelsPerConvGroup,
                  p.outputChannelsPerConvGroup, p.numConvGroups, p.inputTransform, p.kernelTransform, p.outputTransform);
}
} // namespace

bool operator<(const ConvParams::InputTransform& a, const ConvParams::InputTransform& b) { return key(a) < key(b); }
bool operator==(const ConvParams::InputTransform& a, const ConvParams::InputTransform& b) { return key(a) == key(b); }
bool operator<(const ConvParams::OutputTransform& a, const ConvParams::OutputTransform& b) { return key(a) < key(b); }
bool operator==(const ConvParams::OutputTransform& a, const ConvParams::OutputTransform& b) { return key(a) == key(b); }
bool operator<(const ConvParams& a, const ConvParams& b) { return key(a) < key(b); }
bool operator==(const ConvParams& a, const ConvParams& b) { return key(a) == key(b); }

unsigned ConvParams::getTruncatedInputSize(unsigned d) const { return truncated(inputFieldShape[d], inputTransform, d); }
unsigned ConvParams::getTruncatedKernelSize(unsigned d) const { return truncated(kernelShape[d], kernelTransform, d); }
unsigned ConvParams::getTransformedInputSize(unsigned d) const { return transformed(inputFieldShape[d], inputTransform, d); }
unsigned ConvParams::getTransformedKernelSize(unsigned d) const { return transformed(kernelShape[d], kernelTransform, d); }
std::size_t ConvParams::getUntransformedOutputSize(unsigned d) const {
  return std::size_t(getTransformedInputSize(d)) + 1 - getTransformedKernelSize(d);
}
std::size_t ConvParams::getOutputSize(unsigned d) const {
  const auto& t = outputTransform;
  const std::size_t cut = getUntransformedOutputSize(d) - t.truncationLower[d] - t.truncationUpper[d];
  return t.paddingLower[d] + (cut + t.stride[d] - 1) / t.stride[d] + t.paddingUpper[d];
}
Sizes ConvParams::getOutputFieldShape() const {
  Sizes shape;
  for (unsigned d = 0; d < getNumFieldDims(); ++d) shape.push_back(getOutputSize(d));
  return shape;
}

void ConvParams::validate() const {
  const std::size_t n = getNumFieldDims();
  const auto refuse = [](const std::string& why) { throw poputil::poplibs_error("poplin::ConvParams: " + why); };
  if (n == 0) refuse("a field without dimensions is not simulated: give it one dimension of extent 1");
  for (const auto* t : {&inputTransform, &kernelTransform})
    for (const std::size_t size : {t->truncationLower.size(), t->truncationUpper.size(), t->dilation.size(),
                                   t->paddingLower.size(), t->paddingUpper.size(), t->flip.size()})
      if (size != n)
        refuse("a list of a transform has " + std::to_string(size) + " numbers, but there are " + std::to_string(n) +
               " field dimensions");
  const auto& o = outputTransform;
  for (const std::size_t size :
       {o.truncationLower.size(), o.truncationUpper.size(), o.stride.size(), o.paddingLower.size(), o.paddingUpper.size()})
    if (size != n)
      refuse("a list of the output transform has " + std::to_string(size) + " numbers, but there are " + std::to_string(n) +
             " field dimensions");
  if (kernelShape.size() != n)
    refuse("the kernel has " + std::to_string(kernelShape.size()) + " dimensions, but there are " + std::to_string(n) +
           " field dimensions");
  for (unsigned d = 0; d < n; ++d) {
    if (inputTransform.dilation[d] == 0 || kernelTransform.dilation[d] == 0 || o.stride[d] == 0)
      refuse("a dilation or stride is 0");
    if (inputTransform.truncationLower[d] + inputTransform.truncationUpper[d] > inputFieldShape[d] ||
        kernelTransform.truncationLower[d] + kernelTransform.truncationUpper[d] > kernelShape[d])
      refuse("the truncation of dimension " + std::to_string(d) + " is larger than the dimension");
    if (getTransformedKernelSize(d) > getTransformedInputSize(d))
      refuse("the kernel is larger than the padded input in dimension " + std::to_string(d));
    if (o.truncationLower[d] + o.truncationUpper[d] > getUntransformedOutputSize(d))
      refuse("the truncation of output dimension " + std::to_string(d) + " is larger than the dimension");
  }
}

std::ostream& operator<<(std::ostream& out, const ConvParams& p) {
  const auto list = [&](const char* name, const auto& values) {
    out << ' ' << name << " {";
    for (std::size_t i = 0; i < values.size(); ++i) out << (i ? "," : "") << values[i];
    out << '}';
  };
  out << "convolution of " << p.inputType << " to " << p.outputType << ", batch " << p.batchSize << ", groups " << p.numConvGroups
      << ", channels " << p.inputChannelsPerConvGroup << " to " << p.outputChannelsPerConvGroup << ',';
  list("field", p.inputFieldShape);
  list("kernel", p.kernelShape);
  list("stride", p.outputTransform.stride);
  list("padding", p.inputTransform.paddingLower);
  return out;
}

namespace {
template<class T> void readInto(const nlohmann::json& object, const char* name, T& value) {
  if (const auto member = object.find(name); member != object.end()) member->get_to(value);
}
void readInto(const nlohmann::json& object, const char* name, poplar::Type& type) {
  const auto member = object.find(name);
  if (member == object.end()) return;
  const auto text = member->get<std::string>();
  for (const poplar::Type& known : {poplar::HALF, poplar::FLOAT, poplar::QUARTER})
    if (known.toString() == text) {
      type = known;
      return;
    }
  throw poputil::poplibs_error("ConvParams: the " + std::string(name) + " \"" + text + "\" is not half, float or quarter");
}
template<class Transform> void readCommon(const nlohmann::json& object, Transform& t) {
  readInto(object, "truncationLower", t.truncationLower), readInto(object, "truncationUpper", t.truncationUpper);
  readInto(object, "paddingLower", t.paddingLower), readInto(object, "paddingUpper", t.paddingUpper);
}
void readTransform(const nlohmann::json& root, const char* name, ConvParams::InputTransform& t) {
  const auto object = root.find(name);
  if (object == root.end()) return;
  readCommon(*object, t);
  readInto(*object, "dilation", t.dilation), readInto(*object, "flip", t.flip);
}
} // namespace

std::istream& operator>>(std::istream& in, ConvParams& p) {
  try {
    const nlohmann::json root = reports::parseJsonBounded(
        std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}, "ConvParams");
    if (!root.is_object()) throw poputil::poplibs_error("ConvParams: the text must be a JSON object");
    readInto(root, "dataType", p.inputType), readInto(root, "dataType", p.outputType);
    readInto(root, "inputType", p.inputType), readInto(root, "outputType", p.outputType);
    readInto(root, "batchSize", p.batchSize), readInto(root, "numConvGroups", p.numConvGroups);
    readInto(root, "inputChannelsPerConvGroup", p.inputChannelsPerConvGroup);
    readInto(root, "outputChannelsPerConvGroup", p.outputChannelsPerConvGroup);
    readInto(root, "inputFieldShape", p.inputFieldShape), readInto(root, "kernelShape", p.kernelShape);
    const std::size_t fields = p.inputFieldShape.size();
    p.inputTransform = p.kernelTransform = ConvParams::InputTransform(fields);
    p.outputTransform = ConvParams::OutputTransform(fields);
    readTransform(root, "inputTransform", p.inputTransform), readTransform(root, "kernelTransform", p.kernelTransform);
    if (const auto object = root.find("outputTransform"); object != root.end())
      readCommon(*object, p.outputTransform), readInto(*object, "stride", p.outputTransform.stride);
  } catch (const nlohmann::json::exception& error) {
    throw poputil::poplibs_error(std::string("ConvParams: ") + error.what());
  } catch (const reports::Error& error) {
    throw poputil::poplibs_error(error.what());
  }
  return in;
}

} // namespace poplin
