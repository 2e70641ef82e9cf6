// A sparse matrix on the machine: the values of its blocks and, if the pattern may change from run to run, where they are.
#pragma once

#include "poplar/Tensor.hpp"
#include "poputil/TensorMetaData.hpp"

namespace popsparse {
namespace dynamic {

class SparseTensor {
public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor& metaInfo, const poplar::Tensor& nzValues, const poputil::TensorMetaData& opMetaData = {})
      : m_metaInfo(metaInfo), m_nzValues(nzValues), m_opMetaData(opMetaData) {}
  const poplar::Tensor& getMetaInfoTensor() const { return m_metaInfo; } // unsigned short, as a Partitioner fills it
  const poplar::Tensor& getNzValuesTensor() const { return m_nzValues; }
  const poputil::TensorMetaData& getOpMetaData() const { return m_opMetaData; }

private:
  poplar::Tensor m_metaInfo, m_nzValues;
  poputil::TensorMetaData m_opMetaData;
};

} // namespace dynamic
namespace static_ {

class SparseTensor {
public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor& nzValues, const poputil::TensorMetaData& opMetaData = {})
      : m_nzValues(nzValues), m_opMetaData(opMetaData) {}
  const poplar::Tensor& getNzValuesTensor() const { return m_nzValues; }
  const poputil::TensorMetaData& getOpMetaData() const { return m_opMetaData; }

private:
  poplar::Tensor m_nzValues;
  poputil::TensorMetaData m_opMetaData;
};

} // namespace static_
} // namespace popsparse
