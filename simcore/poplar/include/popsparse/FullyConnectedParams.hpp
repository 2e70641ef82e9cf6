// The sizes of a fully connected layer whose weights [output channels, input channels] are sparse. The simulator supports only
// one group.
#pragma once

#include "popsparse/SparsityParams.hpp"

#include <cstddef>
#include <ostream>

namespace popsparse {
namespace dynamic {

class FullyConnectedParams {
public:
  static FullyConnectedParams createWithNzRatio(const SparsityParams& sparsityParams, double nzRatio, std::size_t batchSize,
                                                std::size_t numGroups, std::size_t inputChannels, std::size_t outputChannels);
  static FullyConnectedParams createWithNumNonZeroValues(const SparsityParams& sparsityParams, std::size_t numNonZeroElems,
                                                         std::size_t batchSize, std::size_t numGroups, std::size_t inputChannels,
                                                         std::size_t outputChannels);
  std::size_t getBatchSize() const { return m_batch; }
  std::size_t getNumGroups() const { return m_groups; }
  std::size_t getInputChannels() const { return m_groups * m_in; }
  std::size_t getOutputChannels() const { return m_groups * m_out; }
  std::size_t getInputChannelsPerGroup() const { return m_in; }
  std::size_t getOutputChannelsPerGroup() const { return m_out; }
  const SparsityParams& getSparsityParams() const { return m_sparsity; }
  double getNzRatio() const { return m_nzRatio; }
  std::size_t getNumNonZeroValues() const; // rounded to whole blocks

private:
  FullyConnectedParams(const SparsityParams& sparsity, double nzRatio, std::size_t batch, std::size_t groups, std::size_t in,
                       std::size_t out);
  SparsityParams m_sparsity;
  double m_nzRatio;
  std::size_t m_batch, m_groups, m_in, m_out;
};
bool operator<(const FullyConnectedParams& a, const FullyConnectedParams& b);
bool operator==(const FullyConnectedParams& a, const FullyConnectedParams& b);
bool operator!=(const FullyConnectedParams& a, const FullyConnectedParams& b);
std::ostream& operator<<(std::ostream& out, const FullyConnectedParams& params);

} // namespace dynamic
} // namespace popsparse
