#include "simcore/native/count/count_module.h"

#include "simcore/native/count/ir_line.h"
#include "simcore/native/count/twin.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::native {

namespace {

bool hasOpaquePointers(std::string_view text) {
  for (auto at = text.find("ptr"); at != std::string_view::npos; at = text.find("ptr", at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1], after = at + 3 < text.size() ? text[at + 3] : ' ';
    if ((before == ' ' || before == '(') && (after == ' ' || after == ',' || after == ')')) return true;
  }
  return false;
}

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

struct Definition {
  bool isMutable = false;
  std::string name, type, rest; // rest: the text after the type
  int64_t bytes = 0;
};

Definition definitionOf(const std::string& text, int64_t number, IrModule& module) {
  Definition result;
  IrLine line(text, number, module);
  result.name = line.name();
  line.expect("=");
  while (line.peek() != "global") {
    const auto word = line.next();
    if (word == "constant" || word == "external" || word == "extern_weak" || word == "alias" || word == "ifunc" || line.atEnd())
      return {};
    if (line.peek() == "(") line.skipBalanced();
  }
  line.next();
  const auto before = line.rest();
  const IrTypeRef type = line.type();
  result.type = before.substr(0, before.size() - line.rest().size());
  result.type.erase(0, result.type.find_first_not_of(' '));
  result.type.erase(result.type.find_last_not_of(' ') + 1);
  result.rest = line.rest();
  result.rest.erase(0, result.rest.find_first_not_of(' '));
  result.bytes = sizeOf(*type);
  result.isMutable = result.name.rfind("llvm.", 0) != 0;
  return result;
}

void readNamedTypes(const std::vector<std::string>& lines, IrModule& module) {
  for (int round = 0; round < 16; ++round)
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].empty() || lines[i][0] != '%' || lines[i].find(" = type ") == std::string::npos) continue;
      IrLine line(lines[i], static_cast<int64_t>(i) + 1, module);
      const std::string name = line.name();
      line.expect("=");
      line.expect("type");
      module.types[name] = line.type();
    }
}

} // namespace

SharedGlobals shareGlobals(std::string_view ir, std::string_view prefix) {
  auto lines = linesOf(ir);
  IrModule module;
  readNamedTypes(lines, module);
  SharedGlobals result;
  std::map<std::string, std::string> names;
  std::string functions;
  const bool isOpaque = hasOpaquePointers(ir);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i][0] != '@') continue;
    Definition definition = definitionOf(lines[i], static_cast<int64_t>(i) + 1, module);
    if (!definition.isMutable) continue;
    for (const std::string_view phrase : {", comdat", ", !dbg"})
      if (const auto at = definition.rest.find(phrase); at != std::string::npos) {
        const auto end = definition.rest.find(',', at + 1);
        definition.rest.erase(at, end == std::string::npos ? std::string::npos : end - at);
      }
    std::string plain = definition.name;
    plain.erase(std::remove(plain.begin(), plain.end(), '"'), plain.end());
    const std::string name = "\"" + std::string(prefix) + plain + "\"";
    names[definition.name] = name;
    lines[i] = fmt::format("@{} = thread_local global {} {}", name, definition.type, definition.rest);
    const std::string function = fmt::format("{}address{}", prefix, result.globals.size());
    functions += isOpaque ? fmt::format("\ndefine ptr @{}() {{\n  ret ptr @{}\n}}\n", function, name)
                          : fmt::format("\ndefine i8* @{}() {{\n  ret i8* bitcast ({}* @{} to i8*)\n}}\n", function,
                                        definition.type, name);
    result.globals.push_back({std::string(prefix) + plain, function, definition.bytes});
  }
  for (const auto& line : lines) result.ir += withNames(line, names) + "\n";
  result.ir += functions;
  return result;
}

} // namespace simcore::native
