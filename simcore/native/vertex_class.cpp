#include "simcore/native/vertex_class.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace simcore::native {

using graph::CodeletField;
using graph::ElementType;
using graph::FieldDirection;
using graph::FieldShape;
using graph::VectorLayout;
using Node = DebugTypes::Node;

namespace {

// In the order of poplar/FieldTypes.hpp.
constexpr VectorLayout kLayouts[] = {VectorLayout::Span,        VectorLayout::Span,         VectorLayout::ShortSpan,
                                     VectorLayout::OnePtr,      VectorLayout::Span,         VectorLayout::ScaledPtr32,
                                     VectorLayout::ScaledPtr64, VectorLayout::ScaledPtr128, VectorLayout::CompactPtr};
constexpr VectorLayout kListLayouts[] = {VectorLayout::DeltaN,         VectorLayout::OnePtr,        VectorLayout::ScaledPtr32,
                                         VectorLayout::ScaledPtr64,    VectorLayout::ScaledPtr128,  VectorLayout::DeltaN,
                                         VectorLayout::DeltaNElements, VectorLayout::DeltaNElements};
template<std::size_t N> VectorLayout layoutOf(const VectorLayout (&layouts)[N], int64_t value) {
  return layouts[value >= 0 && value < int64_t(N) ? std::size_t(value) : 0];
}

struct Basic {
  std::string_view name;
  ElementType element, member; // its type in a field, and as a plain member: long has 32 bits in fields (Vertex.hpp)
};
constexpr Basic kBasics[] = {
    {"float", ElementType::Float, ElementType::Float},
    {"__fp16", ElementType::Half, ElementType::Half},
    {"half", ElementType::Half, ElementType::Half},
    {"_Float16", ElementType::Half, ElementType::Half},
    {"double", ElementType::Double, ElementType::Double},
    {"bool", ElementType::Bool, ElementType::Bool},
    {"char", ElementType::Int8, ElementType::Int8},
    {"signed char", ElementType::Int8, ElementType::Int8},
    {"unsigned char", ElementType::UInt8, ElementType::UInt8},
    {"short", ElementType::Int16, ElementType::Int16},
    {"unsigned short", ElementType::UInt16, ElementType::UInt16},
    {"int", ElementType::Int32, ElementType::Int32},
    {"unsigned int", ElementType::UInt32, ElementType::UInt32},
    {"long", ElementType::Int32, ElementType::Int64},
    {"unsigned long", ElementType::UInt32, ElementType::UInt64},
    {"long long", ElementType::Int64, ElementType::Int64},
    {"unsigned long long", ElementType::UInt64, ElementType::UInt64},
};

const Basic* basicOf(const DebugTypes& types, const Node* type) {
  type = types.bare(type);
  if (type && DebugTypes::word(*type, "tag") == "DW_TAG_enumeration_type") type = types.bare(types.follow(*type, "baseType"));
  if (!type || type->kind != "DIBasicType") return nullptr;
  const std::string name = DebugTypes::text(*type, "name");
  const auto* it = std::find_if(std::begin(kBasics), std::end(kBasics), [&](const Basic& basic) { return basic.name == name; });
  return it == std::end(kBasics) ? nullptr : it;
}

bool isPoplar(const DebugTypes& types, const Node& type) {
  const Node* scope = types.follow(type, "scope");
  return scope && scope->kind == "DINamespace" && DebugTypes::text(*scope, "name") == "poplar";
}

// "Input" of poplar::Input<…>; empty for other types.
std::string poplarName(const DebugTypes& types, const Node* type) {
  if (!type || type->kind != "DICompositeType" || !isPoplar(types, *type)) return {};
  const std::string name = DebugTypes::text(*type, "name");
  return name.substr(0, name.find('<'));
}

std::optional<FieldDirection> directionOf(const std::string& name) {
  if (name == "Input") return FieldDirection::Input;
  if (name == "Output") return FieldDirection::Output;
  if (name == "InOut") return FieldDirection::InOut;
  return std::nullopt;
}

class FieldReader {
public:
  FieldReader(const DebugTypes& types, std::string place) : m_types(types), m_place(std::move(place)) {}

  // Describes a field; nullopt for a plain member.
  std::optional<CodeletField> read(const std::string& name, const Node* type) const {
    type = m_types.bare(type);
    std::string kind = poplarName(m_types, type);
    CodeletField field;
    field.name = name;
    field.direction = FieldDirection::InOut; // a bare Vector<T> is memory of the vertex
    field.shape = FieldShape::Scalar;
    if (const auto direction = directionOf(kind)) {
      field.direction = *direction;
      type = argument(*type, 0);
      kind = poplarName(m_types, type);
    } else if (kind != "Vector" && kind != "VectorList") {
      return std::nullopt;
    }
    if (kind == "Vector" || kind == "VectorList") type = readVector(field, *type, kind);
    const Basic* element = basicOf(m_types, type);
    if (!element && poplarName(m_types, type).empty() && type && DebugTypes::text(*type, "name") == "quarter")
      field.type = ElementType::UInt8;
    else if (!element)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           fmt::format("the field '{}' has elements of a type that no tensor has", name), m_place,
                           "use float, half, bool, char, short, int, long long or their unsigned forms");
    else
      field.type = element->element;
    return field;
  }

private:
  const Node* argument(const Node& type, std::size_t index) const {
    const auto arguments = m_types.list(type, "templateParams");
    return index < arguments.size() && arguments[index] ? m_types.bare(m_types.follow(*arguments[index], "type")) : nullptr;
  }
  int64_t value(const Node& type, std::size_t index) const {
    const auto arguments = m_types.list(type, "templateParams");
    return index < arguments.size() && arguments[index] ? DebugTypes::number(*arguments[index], "value") : 0;
  }

  // Reads layout and alignment of a vector field; returns its element type.
  const Node* readVector(CodeletField& field, const Node& vector, const std::string& kind, int depth = 1) const {
    if (depth > 2)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           fmt::format("the field '{}' has vectors of vectors of vectors", field.name), m_place,
                           "a field has at most two levels: use Vector<Input<Vector<float>>>");
    field.shape = kind == "Vector" ? FieldShape::Vector : FieldShape::VectorList;
    field.layout = kind == "Vector" ? layoutOf(kLayouts, value(vector, 1)) : layoutOf(kListLayouts, value(vector, 1));
    field.minAlign = int(value(vector, 2));
    field.interleaved = value(vector, 3) != 0;
    const Node* element = argument(vector, 0);
    std::string inner = poplarName(m_types, element);
    if (inner.empty() || kind != "Vector") return element;
    if (const auto direction = directionOf(inner)) { // Vector<Input<Vector<T>>>
      field.direction = *direction;
      element = argument(*element, 0);
      inner = poplarName(m_types, element);
    }
    if (inner != "Vector") return element; // Vector<Input<T>>: edges of one element each
    const VectorLayout outer = field.layout;
    element = readVector(field, *element, inner, depth + 1);
    field.shape = FieldShape::VectorList;
    field.layout = outer;
    return element;
  }

  const DebugTypes& m_types;
  std::string m_place;
};

std::string fileOf(const DebugTypes& types, const Node& node) {
  const Node* file = types.follow(node, "file");
  if (!file) return {};
  const std::string name = DebugTypes::text(*file, "filename");
  return name.starts_with('/') ? name : DebugTypes::text(*file, "directory") + "/" + name;
}

class ClassReader {
public:
  explicit ClassReader(const DebugTypes& types) : m_types(types) {}

  // nullopt for a class that is not a vertex, or has no compute().
  std::optional<VertexClass> read(const Node& type) {
    VertexClass result;
    const auto kind = kindOf(type, 0);
    if (!kind || isPoplar(m_types, type) || DebugTypes::word(type, "flags").find("DIFlagFwdDecl") != std::string_view::npos)
      return std::nullopt;
    result.kind = *kind;
    result.className = DebugTypes::text(type, "name");
    result.spelling = scopeOf(type) + result.className;
    result.className = result.className.substr(0, result.className.find('<'));
    result.name = plainTypeName(result.spelling);
    result.objectBytes = DebugTypes::number(type, "size") / 8;
    result.alignment = std::max<int64_t>(8, DebugTypes::number(type, "align") / 8);
    result.file = fileOf(m_types, type);
    m_hasCompute = false;
    readMembers(type, 0, result);
    if (!m_hasCompute) return std::nullopt;
    return result;
  }

private:
  std::optional<graph::Codelet::Kind> kindOf(const Node& type, int depth) const {
    if (isPoplar(m_types, type)) {
      const std::string name = DebugTypes::text(type, "name");
      if (name == "Vertex") return graph::Codelet::Kind::Worker;
      if (name == "MultiVertex") return graph::Codelet::Kind::Multi;
      if (name == "SupervisorVertex") return graph::Codelet::Kind::Supervisor;
    }
    if (depth > 16) return std::nullopt;
    for (const Node* member : m_types.list(type, "elements"))
      if (member && DebugTypes::word(*member, "tag") == "DW_TAG_inheritance")
        if (const Node* base = m_types.bare(m_types.follow(*member, "baseType")))
          if (const auto kind = kindOf(*base, depth + 1)) return kind;
    return std::nullopt;
  }

  std::string scopeOf(const Node& type) const {
    std::string result;
    for (const Node* scope = m_types.follow(type, "scope"); scope && scope->kind != "DIFile";
         scope = m_types.follow(*scope, "scope"))
      if (const std::string name = DebugTypes::text(*scope, "name"); !name.empty() && scope->kind != "DICompileUnit")
        result = name + "::" + result;
    return result;
  }

  void readMembers(const Node& type, int64_t offset, VertexClass& result) {
    const bool hadCompute = m_hasCompute;
    for (const Node* member : m_types.list(type, "elements")) {
      if (!member) continue;
      const std::string_view tag = DebugTypes::word(*member, "tag");
      const int64_t place = offset + DebugTypes::number(*member, "offset") / 8;
      if (tag == "DW_TAG_inheritance") {
        if (const Node* base = m_types.bare(m_types.follow(*member, "baseType"))) readMembers(*base, place, result);
      } else if (tag == "DW_TAG_member") {
        readMember(*member, place, result);
      }
    }
    for (const Node* member : m_types.list(type, "elements")) // own members come after those of base classes, which they may hide
      if (member && member->kind == "DISubprogram" && DebugTypes::text(*member, "name") == "compute")
        readCompute(*member, result);
    m_hasCompute = m_hasCompute || hadCompute;
  }

  void readCompute(const Node& function, VertexClass& result) {
    const Node* signature = m_types.follow(function, "type");
    if (!signature) return;
    const Node* types = m_types.follow(*signature, "types");
    if (!types || types->items.empty()) return;
    result.returnsValue = types->items[0] >= 0;
    result.takesWorker = types->items.size() > 2; // result, object, worker
    result.line = int(DebugTypes::number(function, "line"));
    result.file = fileOf(m_types, function);
    m_hasCompute = true;
  }

  void readMember(const Node& member, int64_t offset, VertexClass& result) const {
    if (DebugTypes::word(member, "flags").find("DIFlagStaticMember") != std::string_view::npos) return;
    const std::string name = DebugTypes::text(member, "name");
    const std::string place = fmt::format("{}, {}:{}", result.name, fileOf(m_types, member), DebugTypes::number(member, "line"));
    if (name.starts_with("_vptr"))
      throw reports::Error(
          reports::ErrorCode::Unsupported, "a vertex class cannot have virtual functions, because no constructor runs",
          fmt::format("{}, {}", result.name, result.file), "use a template with the derived class as its parameter");
    const Node* type = m_types.bare(m_types.follow(member, "baseType"));
    if (auto field = FieldReader(m_types, place).read(name, type)) {
      result.fields.push_back(std::move(*field));
      result.places.push_back({offset});
      return;
    }
    int64_t count = 1;
    while (type && DebugTypes::word(*type, "tag") == "DW_TAG_array_type") {
      for (const Node* range : m_types.list(*type, "elements"))
        if (range) count *= DebugTypes::number(*range, "count", 1);
      type = m_types.bare(m_types.follow(*type, "baseType"));
    }
    const Basic* const basic = basicOf(m_types, type);
    if (!basic || count <= 0 || name.empty()) return;
    result.state.push_back({name, offset, basic->member, count});
    result.memberLines.emplace_back(fileOf(m_types, member), int(DebugTypes::number(member, "line")));
  }

  const DebugTypes& m_types;
  bool m_hasCompute = false;
};

// "float __attribute__((ext_vector_type(2)))" is float2, as sources and programs call it.
std::string withVectorNames(std::string name) {
  constexpr std::string_view kVector = " __attribute__((ext_vector_type(", kEnd = ")))";
  for (std::size_t at; (at = name.find(kVector)) != std::string::npos;) {
    const std::size_t count = at + kVector.size(), end = name.find(kEnd, count);
    if (end == std::string::npos) break;
    const std::size_t before = name.find_last_of("<,(", at);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    std::string element;
    for (std::string_view rest = std::string_view(name).substr(begin, at - begin); !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      element += word == "unsigned" ? "u" : word == "signed" ? "" : word;
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    name.replace(begin, end + kEnd.size() - begin, element + name.substr(count, end - count));
  }
  return name;
}
} // namespace

std::string plainTypeName(std::string_view spelling) {
  const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::string result;
  for (std::size_t i = 0; i < spelling.size();) {
    if (std::isspace(static_cast<unsigned char>(spelling[i]))) {
      while (i < spelling.size() && std::isspace(static_cast<unsigned char>(spelling[i]))) ++i;
      if (!result.empty() && i < spelling.size() && isWord(result.back()) && isWord(spelling[i])) result += ' ';
      continue;
    }
    if (!isWord(spelling[i])) {
      result += spelling[i++];
      continue;
    }
    std::size_t end = i;
    while (end < spelling.size() && isWord(spelling[end])) ++end;
    std::string_view word = spelling.substr(i, end - i);
    i = end;
    if (std::isdigit(static_cast<unsigned char>(word[0])))
      while (word.size() > 1 && std::string_view("uUlL").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
    if (word == "__fp16" || word == "_Float16") word = "half";
    if (word == "unsigned") { // alone, it means unsigned int
      std::size_t next = i;
      while (next < spelling.size() && spelling[next] == ' ') ++next;
      const bool isAlone = next >= spelling.size() || !isWord(spelling[next]);
      result += isAlone ? "unsigned int" : "unsigned";
      continue;
    }
    result += word;
  }
  return withVectorNames(std::move(result));
}

std::vector<VertexClass> vertexClasses(const DebugTypes& types) {
  std::vector<VertexClass> result;
  std::set<std::string> names;
  ClassReader reader(types);
  for (const auto& [id, node] : types.nodes()) {
    const std::string_view tag = DebugTypes::word(node, "tag");
    if (node.kind != "DICompositeType" || (tag != "DW_TAG_class_type" && tag != "DW_TAG_structure_type")) continue;
    if (auto found = reader.read(node))
      if (names.insert(found->name).second) result.push_back(std::move(*found));
  }
  return result;
}

} // namespace simcore::native
