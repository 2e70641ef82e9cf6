#include "simcore/numerics/element_type.h"

#include "reports/core/error.h"

#include <array>
#include <string>

namespace simcore::numerics {

namespace {
struct Row {
  const char* name;
  std::size_t hostSize;
  ElementType device;
};
constexpr std::array<Row, kElementTypeCount> kRows{{
    {"float", 4, ElementType::Float},
    {"half", 2, ElementType::Half},
    {"bfloat16", 2, ElementType::Half},
    {"double", 8, ElementType::Float},
    {"float8e4m3fnuz", 1, ElementType::Float8E4M3Fnuz},
    {"float8e5m2fnuz", 1, ElementType::Float8E5M2Fnuz},
    {"float8e4m3fn", 1, ElementType::Half},
    {"float8e5m2", 1, ElementType::Half},
    {"int8", 1, ElementType::Int8},
    {"int16", 2, ElementType::Int16},
    {"int32", 4, ElementType::Int32},
    {"int64", 8, ElementType::Int32},
    {"uint8", 1, ElementType::UInt8},
    {"uint16", 2, ElementType::UInt16},
    {"uint32", 4, ElementType::UInt32},
    {"uint64", 8, ElementType::UInt32},
    {"bool", 1, ElementType::Bool},
}};
const Row& row(ElementType type) { return kRows[std::size_t(type)]; }
} // namespace

const char* elementTypeName(ElementType type) { return row(type).name; }

ElementType elementTypeOf(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (name == kRows[i].name) return ElementType(i);
  throw reports::Error(reports::ErrorCode::InvalidInput, "no element type is called '" + std::string(name) + "'", {},
                       "use one of float, half, int32, int64, bool …");
}

std::size_t hostSize(ElementType type) { return row(type).hostSize; }
ElementType deviceType(ElementType type) { return row(type).device; }
std::size_t deviceSize(ElementType type) { return row(row(type).device).hostSize; }

bool isFloating(ElementType type) { return type <= ElementType::Float8E5M2; }
bool isFloat8(ElementType type) { return type >= ElementType::Float8E4M3Fnuz && type <= ElementType::Float8E5M2; }
bool isInteger(ElementType type) { return type >= ElementType::Int8 && type <= ElementType::UInt64; }

} // namespace simcore::numerics
