// Types and the names of enumerations.
#include "poplar/CodeletFileType.hpp"
#include "poplar/DataStreamType.hpp"
#include "poplar/ReplicatedStreamMode.hpp"
#include "poplar/SyncType.hpp"
#include "poplar/TargetType.hpp"
#include "poplar/TensorCloneMethod.hpp"
#include "poplar/Type.hpp"
#include "poplar/VariableMappingMethod.hpp"
#include "poplar/VectorLayout.hpp"
#include "poplar/exceptions.hpp"
#include "simcore/poplar/inner.h"

#include <iterator>

namespace poplar {

Type BOOL(1);
Type CHAR(2);
Type UNSIGNED_CHAR(3);
Type SIGNED_CHAR(4);
Type SHORT(5);
Type UNSIGNED_SHORT(6);
Type INT(7);
Type UNSIGNED_INT(8);
Type LONG(9);
Type UNSIGNED_LONG(10);
Type LONGLONG(11);
Type UNSIGNED_LONGLONG(12);
Type HALF(13);
Type FLOAT(14);
Type QUARTER(15);

namespace {
struct KnownType {
  Type type;
  const char* name;
  simcore::numerics::ElementType element;
};
using Element = simcore::numerics::ElementType;
constexpr KnownType kTypes[] = {
    {Type(1), "bool", Element::Bool},
    {Type(2), "char", Element::Int8},
    {Type(3), "unsigned char", Element::UInt8},
    {Type(4), "signed char", Element::Int8},
    {Type(5), "short", Element::Int16},
    {Type(6), "unsigned short", Element::UInt16},
    {Type(7), "int", Element::Int32},
    {Type(8), "unsigned int", Element::UInt32},
    {Type(9), "long", Element::Int64},
    {Type(10), "unsigned long", Element::UInt64},
    {Type(11), "long long", Element::Int64},
    {Type(12), "unsigned long long", Element::UInt64},
    {Type(13), "half", Element::Half},
    {Type(14), "float", Element::Float},
    {Type(15), "quarter", Element::Float8E4M3Fnuz},
};

const KnownType& known(const Type& type) {
  for (const KnownType& t : kTypes)
    if (t.type == type) return t;
  throw type_error("the type was declared without a value");
}

template<class Enum, std::size_t N> std::ostream& name(std::ostream& out, Enum value, const char* const (&names)[N]) {
  return out << (std::size_t(value) < N ? names[std::size_t(value)] : "?");
}
} // namespace

std::string Type::toString() const { return known(*this).name; }
bool Type::isFloatingPoint() const { return simcore::numerics::isFloating(known(*this).element); }
bool Type::isIntegral() const { return simcore::numerics::isInteger(known(*this).element); }
bool Type::requiresMetadata() const { return *this == QUARTER; }
std::ostream& operator<<(std::ostream& out, const Type& type) { return out << type.toString(); }

std::ostream& operator<<(std::ostream& out, const VariableMappingMethod& method) { return name(out, method, {"NONE", "LINEAR"}); }
std::ostream& operator<<(std::ostream& out, const TensorCloneMethod& method) {
  return name(out, method,
              {"PRESERVE_ORDER_AND_ALIASES", "CREATE_NEW_ORDER", "PRESERVE_ORDER_UNLESS_ALIASES",
               "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES"});
}
std::ostream& operator<<(std::ostream& out, const ReplicatedStreamMode& mode) {
  return name(out, mode, {"REPLICATE", "BROADCAST"});
}
std::ostream& operator<<(std::ostream& out, const SyncType& type) { return name(out, type, {"INTERNAL", "EXTERNAL", "GLOBAL"}); }
std::ostream& operator<<(std::ostream& out, const DataStreamType& type) {
  return name(out, type, {"HostToDeviceFIFO", "DeviceToHostFIFO", "HostToDeviceBuffer", "DeviceToHostBuffer", "RemoteBuffer"});
}
std::ostream& operator<<(std::ostream& out, const CodeletFileType& type) {
  return name(out, type, {"PreprocessedAsmSource", "AsmSource", "CSource", "CppSource", "IrSource", "Object", "Auto"});
}
std::ostream& operator<<(std::ostream& out, const TargetType& type) { return name(out, type, {"IPU", "IPU_MODEL", "CPU"}); }
std::string toString(TargetType type) { return type == TargetType::IPU ? "IPU" : type == TargetType::CPU ? "CPU" : "IPU_MODEL"; }

bool isDeviceToHost(DataStreamType type) {
  return type == DataStreamType::DeviceToHostFIFO || type == DataStreamType::DeviceToHostBuffer;
}
bool isHostToDevice(DataStreamType type) {
  return type == DataStreamType::HostToDeviceFIFO || type == DataStreamType::HostToDeviceBuffer;
}
bool isRemoteBuffer(DataStreamType type) { return type == DataStreamType::RemoteBuffer; }

std::string getExtensionFromFileType(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::PreprocessedAsmSource: return ".S";
  case CodeletFileType::AsmSource: return ".s";
  case CodeletFileType::CSource: return ".c";
  case CodeletFileType::CppSource: return ".cpp";
  case CodeletFileType::IrSource: return ".ll";
  case CodeletFileType::Object: return ".gp";
  case CodeletFileType::Auto: break;
  }
  return "";
}
std::string getLanguageOption(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::PreprocessedAsmSource: return "-x assembler-with-cpp";
  case CodeletFileType::AsmSource: return "-x assembler";
  case CodeletFileType::CSource: return "-x c";
  case CodeletFileType::CppSource: return "-x c++";
  case CodeletFileType::IrSource: return "-x ir";
  default: return "";
  }
}

CodeletFileType getCodeletFileType(StringRef path) {
  const std::string text = path;
  const std::size_t dot = text.rfind('.');
  const std::string end = dot == std::string::npos ? "" : text.substr(dot + 1);
  if (end == "S") return CodeletFileType::PreprocessedAsmSource;
  if (end == "s") return CodeletFileType::AsmSource;
  if (end == "c") return CodeletFileType::CSource;
  if (end == "gp" || end == "o" || end == "a") return CodeletFileType::Object;
  if (end == "ll" || end == "bc") return CodeletFileType::IrSource;
  return CodeletFileType::CppSource;
}

namespace layout {
std::string to_string(const Vector& layout) {
  static constexpr const char* kNames[] = {"NotAVector",  "Span",        "ShortSpan",    "OnePtr",    "TwoPtr",
                                           "ScaledPtr32", "ScaledPtr64", "ScaledPtr128", "CompactPtr"};
  return std::string("Vector::") + kNames[int(layout)];
}
std::string to_string(const VectorList& layout) {
  static constexpr const char* kNames[] = {"NotAVector",   "OnePtr", "ScaledPtr32",    "ScaledPtr64",
                                           "ScaledPtr128", "DeltaN", "DeltaNElements", "CompactDeltaN"};
  return std::string("VectorList::") + kNames[int(layout)];
}
std::ostream& operator<<(std::ostream& out, const Vector& layout) { return out << to_string(layout); }
std::ostream& operator<<(std::ostream& out, const VectorList& layout) { return out << to_string(layout); }
} // namespace layout

} // namespace poplar

namespace simcore::poplar {

numerics::ElementType inner(const ::poplar::Type& type) { return ::poplar::known(type).element; }

::poplar::Type outer(numerics::ElementType type) {
  using Element = numerics::ElementType;
  switch (type) {
  case Element::Double:
  case Element::BFloat16: return ::poplar::FLOAT;
  case Element::Float8E5M2Fnuz:
  case Element::Float8E4M3Fn:
  case Element::Float8E5M2: return ::poplar::QUARTER;
  default: break;
  }
  for (const auto& t : ::poplar::kTypes)
    if (t.element == type) return t.type;
  return ::poplar::FLOAT;
}

} // namespace simcore::poplar
