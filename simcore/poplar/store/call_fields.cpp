#include "simcore/poplar/store/call_fields.h"

namespace simcore::poplar {

void fields(Archive& a, ops::Expression& e) {
  std::vector<double> numbers = a.reads() ? std::vector<double>() : e.toNumbers();
  a(numbers);
  if (a.reads()) e = ops::Expression::ofNumbers(numbers);
}
void fields(Archive& a, ops::ConvOptions& o) { a(o.availableMemoryProportion, o.partials, o.pass); }
void fields(Archive& a, ops::RandomNumbers& r) {
  a(r.kind, r.low, r.high, r.mean, r.deviation, r.truncation, r.probability, r.options.model, r.options.truncationIterations,
    r.options.fullRangeInteger);
}
void fields(Archive& a, ops::RandomSeed& s) { a(s.value, s.words); }
void fields(Archive& a, ::poplin::ConvParams::InputTransform& t) {
  a(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper, t.flip);
}
void fields(Archive& a, ::poplin::ConvParams::OutputTransform& t) {
  a(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
void fields(Archive& a, ::poplin::ConvParams& p) {
  a(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape, p.inputChannelsPerConvGroup,
    p.outputChannelsPerConvGroup, p.numConvGroups, p.inputTransform, p.kernelTransform, p.outputTransform);
  if (a.reads()) p.validate();
}
void fields(Archive& a, ::popops::ReduceParams& p) { a(p.op, p.update, p.useScale, p.scale); }
void fields(Archive& a, ::popops::SingleReduceOp& r) { a(r.in, r.dims, r.params, r.useOutType, r.outType, r.debugName); }
void fields(Archive& a, ::popops::TopKParams& p) { a(p.k, p.largest, p.sortOrder, p.stableSort); }
void fields(Archive& a, ::popnn::pooling::PoolParams& p) {
  a(p.poolingType, p.inputFieldShape, p.kernelShape, p.stride, p.inputTruncationOrPaddingLower, p.inputTruncationOrPaddingUpper,
    p.numChannels, p.batchSize, p.dType);
}

} // namespace simcore::poplar
