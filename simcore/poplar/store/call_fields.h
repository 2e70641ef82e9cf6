// Arguments of library calls other than tensors and numbers, as fields of an executable on disk.
#pragma once

#include "poplin/ConvParams.hpp"
#include "popnn/Pooling.hpp"
#include "popops/Reduce.hpp"
#include "popops/TopK.hpp"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/ops/elementwise/random.h"
#include "simcore/poplar/store/archive.h"

namespace simcore::poplar {

void fields(Archive& a, ops::Expression& e);
void fields(Archive& a, ops::ConvOptions& o); // the fields that Poplar's options set
void fields(Archive& a, ops::RandomNumbers& r);
void fields(Archive& a, ops::RandomSeed& s);
void fields(Archive& a, ::poplin::ConvParams& p);
void fields(Archive& a, ::poplin::ConvParams::InputTransform& t);
void fields(Archive& a, ::poplin::ConvParams::OutputTransform& t);
void fields(Archive& a, ::popops::ReduceParams& p);
void fields(Archive& a, ::popops::SingleReduceOp& r);
void fields(Archive& a, ::popops::TopKParams& p);
void fields(Archive& a, ::popnn::pooling::PoolParams& p);

template<> inline ops::Expression Archive::blank() { return {0.0}; }
template<> inline ops::RandomSeed Archive::blank() { return {0}; }
template<> inline ::popops::SingleReduceOp Archive::blank() { return {{}, {}, {}}; }
template<> inline ::popops::TopKParams Archive::blank() { return {0, true, ::popops::SortOrder::NONE}; }
template<> inline ::popnn::pooling::PoolParams Archive::blank() {
  return {::popnn::PoolingType::MAX, {}, {}, {}, {}, {}, 0, 0, {}};
}

} // namespace simcore::poplar
