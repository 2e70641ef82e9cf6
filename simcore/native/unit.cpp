#include "simcore/native/unit.h"

#include "reports/core/error.h"
#include "reports/core/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sha256.h>

#include <cstring>

namespace simcore::native {

using reports::Error;
using reports::ErrorCode;
using Json = nlohmann::json;

namespace {

constexpr std::string_view kMagic = "tilescope codelets ";
constexpr std::string_view kFormat = "5"; // changes with the header, the names, the vertex object and the hooks
constexpr std::size_t kMostHeaderBytes = 64u << 20;

Json jsonOf(const VertexClass& vertex) {
  Json fields = Json::array(), state = Json::array();
  for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
    const graph::CodeletField& f = vertex.fields[i];
    fields.push_back({f.name, int(f.direction), int(f.type.value_or(graph::ElementType::Float)), int(f.shape), int(f.layout),
                      f.minAlign, f.interleaved, vertex.places[i].offset});
  }
  for (const auto& s : vertex.state) state.push_back({s.name, s.offset, int(s.type), s.count});
  return {{"name", vertex.name},
          {"kind", int(vertex.kind)},
          {"fields", fields},
          {"state", state},
          {"constraints", vertex.constraints},
          {"initialisers", vertex.withInitialisers},
          {"bytes", vertex.objectBytes},
          {"align", vertex.alignment},
          {"file", vertex.file},
          {"line", vertex.line}};
}

template<class Enum> Enum enumOf(const Json& value, int count) {
  const int number = value.get<int>();
  if (number < 0 || number >= count) throw Error(ErrorCode::Damaged, "a number in the table of classes is out of range");
  return Enum(number);
}

VertexClass vertexOf(const Json& json) {
  VertexClass vertex;
  vertex.name = json.at("name");
  vertex.kind = enumOf<graph::Codelet::Kind>(json.at("kind"), 3);
  vertex.objectBytes = json.at("bytes");
  vertex.alignment = json.at("align");
  vertex.constraints = json.at("constraints").get<std::vector<std::string>>();
  vertex.withInitialisers = json.value("initialisers", std::vector<std::string>{});
  vertex.file = json.at("file");
  vertex.line = json.at("line");
  const auto checkPlace = [&](int64_t offset, int64_t bytes) {
    if (offset < 0 || bytes < 0 || offset > vertex.objectBytes - bytes)
      throw Error(ErrorCode::Damaged, "a member is outside of its class", vertex.name);
    return offset;
  };
  for (const Json& f : json.at("fields")) {
    graph::CodeletField field;
    field.name = f.at(0);
    field.direction = enumOf<graph::FieldDirection>(f.at(1), 3);
    field.type = enumOf<graph::ElementType>(f.at(2), numerics::kElementTypeCount);
    field.shape = enumOf<graph::FieldShape>(f.at(3), 3);
    field.layout = enumOf<graph::VectorLayout>(f.at(4), 9);
    field.minAlign = f.at(5);
    field.interleaved = f.at(6);
    vertex.places.push_back({checkPlace(f.at(7), field.shape == graph::FieldShape::Scalar ? 8 : 16)});
    vertex.fields.push_back(std::move(field));
  }
  for (const Json& s : json.at("state")) {
    graph::NativeBody::StatePlace place{s.at(0), s.at(1), enumOf<graph::ElementType>(s.at(2), numerics::kElementTypeCount),
                                        s.at(3)};
    if (place.count < 1 || place.count > vertex.objectBytes)
      throw Error(ErrorCode::Damaged, "an array has a length below 1 or beyond its class", vertex.name);
    checkPlace(place.offset, place.count * int64_t(numerics::hostSize(place.type)));
    vertex.state.push_back(std::move(place));
  }
  return vertex;
}

Json jsonOf(const Unit& unit) {
  Json entries = Json::array(), globals = Json::array(), dependencies = Json::array();
  for (const Unit::Entry& entry : unit.entries)
    entries.push_back({{"class", jsonOf(entry.vertex)},
                       {"symbol", entry.symbol},
                       {"counted", entry.counted},
                       {"dependsOnData", entry.dependsOnData},
                       {"unpriced", entry.unpriced}});
  for (const Unit::Global& global : unit.globals) globals.push_back({global.addressFunction, global.bytes});
  for (const Unit::Dependency& file : unit.dependencies) dependencies.push_back({file.path, file.digest});
  return {{"source", unit.source},
          {"arch", unit.archVersion},
          {"flags", unit.flags},
          {"compiler", unit.compiler},
          {"half", unit.needsHalfInstructions},
          {"machine", unit.asksMachine},
          {"entries", entries},
          {"globals", globals},
          {"dependencies", dependencies},
          {"missing", unit.missing},
          {"sizes", {unit.library.size(), unit.ir.size(), unit.text.size(), unit.preprocessed.size()}}};
}

Unit unitOf(const Json& json, std::string_view& bytes) {
  Unit unit;
  unit.source = json.at("source");
  unit.archVersion = json.at("arch");
  unit.flags = json.at("flags").get<std::vector<std::string>>();
  unit.compiler = json.at("compiler");
  unit.needsHalfInstructions = json.at("half");
  unit.asksMachine = json.at("machine");
  for (const Json& entry : json.at("entries"))
    unit.entries.push_back({vertexOf(entry.at("class")), entry.at("symbol"), entry.at("counted"), entry.at("dependsOnData"),
                            entry.value("unpriced", std::vector<std::string>{})});
  for (const Json& global : json.at("globals")) unit.globals.push_back({global.at(0), global.at(1)});
  for (const Json& file : json.at("dependencies")) unit.dependencies.push_back({file.at(0), file.at(1)});
  unit.missing = json.at("missing").get<std::vector<std::string>>();
  std::string* const parts[] = {&unit.library, &unit.ir, &unit.text, &unit.preprocessed};
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    const std::size_t size = json.at("sizes").at(i).get<std::size_t>();
    if (size > bytes.size()) throw Error(ErrorCode::Damaged, "the file is cut short");
    parts[i]->assign(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return unit;
}

} // namespace

std::string digestOf(std::string_view bytes) {
  char text[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), text);
  return text;
}

std::string packUnits(const std::vector<Unit>& units) {
  Json list = Json::array();
  std::string bytes;
  for (const Unit& unit : units) {
    list.push_back(jsonOf(unit));
    bytes.append(unit.library).append(unit.ir).append(unit.text).append(unit.preprocessed);
  }
  const std::string header = reports::jsonText(list);
  const std::string rest = header + bytes;
  return fmt::format("{}{} {} {}\n{}", kMagic, kFormat, header.size(), digestOf(rest), rest);
}

std::vector<Unit> unpackUnits(std::string_view bytes, const std::string& where) {
  const std::string advice = "compile the sources again with tilescope-popc";
  if (!bytes.starts_with(kMagic))
    throw Error(ErrorCode::InvalidInput, "this is not a file of codelets that tilescope-popc wrote", where, advice);
  const std::size_t end = bytes.substr(0, 200).find('\n');
  std::string_view line = bytes.substr(kMagic.size(), end == std::string_view::npos ? 0 : end - kMagic.size());
  const auto next = [&line] {
    const std::string word(line.substr(0, line.find(' ')));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
  };
  if (const std::string format = next(); format != kFormat)
    throw Error(ErrorCode::Unsupported, "these codelets were compiled by another release", where, advice);
  const std::size_t headerSize = std::strtoull(next().c_str(), nullptr, 10);
  const std::string digest = next();
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  try {
    if (headerSize > bytes.size() || headerSize > kMostHeaderBytes || digestOf(bytes) != digest)
      throw Error(ErrorCode::Damaged, "the file of codelets is damaged");
    const Json list = reports::parseJsonBounded(bytes.substr(0, headerSize), where);
    bytes.remove_prefix(headerSize);
    std::vector<Unit> units;
    for (const Json& json : list) units.push_back(unitOf(json, bytes));
    return units;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::Damaged, std::string("the file of codelets is damaged: ") + error.what(), where, advice);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), where, advice);
  }
}

} // namespace simcore::native
