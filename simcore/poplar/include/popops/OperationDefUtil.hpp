// Names of reduction operations, for people and for vertex templates.
#pragma once

#include "popops/Operation.hpp"
#include "poputil/VertexTemplates.hpp"

#include <string>

namespace poputil {

const char* asString(const popops::Operation& operation); // "Square Add"
template<> struct VertexTemplateToString<popops::Operation> {
  static std::string to_string(const popops::Operation& operation); // "popops::Operation::SQUARE_ADD"
};

} // namespace poputil
