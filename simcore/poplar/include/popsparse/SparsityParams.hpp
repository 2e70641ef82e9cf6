// Whether single elements or blocks of a matrix are zero.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>

namespace popsparse {
namespace dynamic {

enum class SparsityType { Element, Block };
enum class SparsityStructure { Unstructured };
std::ostream& operator<<(std::ostream& out, const SparsityType& type);
std::ostream& operator<<(std::ostream& out, const SparsityStructure& structure);

struct SparsityParams {
  SparsityParams(SparsityType = SparsityType::Element, SparsityStructure structureGiven = SparsityStructure::Unstructured,
                 std::array<std::size_t, 2> block = {{1, 1}})
      : type(block[0] * block[1] == 1 ? SparsityType::Element : SparsityType::Block), structure(structureGiven),
        blockDimensions(block) {}

  SparsityType type; // Element for blocks of 1 x 1, else Block
  SparsityStructure structure;
  std::array<std::size_t, 2> blockDimensions; // rows, columns
};
bool operator<(const SparsityParams& a, const SparsityParams& b);
bool operator==(const SparsityParams& a, const SparsityParams& b);
bool operator!=(const SparsityParams& a, const SparsityParams& b);
std::ostream& operator<<(std::ostream& out, const SparsityParams& params);

} // namespace dynamic
} // namespace popsparse
