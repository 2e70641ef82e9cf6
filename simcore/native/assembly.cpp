#include "simcore/native/assembly.h"

#include "reports/core/error.h"
#include "simcore/native/assembly_idioms.h"
#include "simcore/native/debug_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace simcore::native {

namespace {

// `register float* p asm("$m2")` requests a register that the host does not have.
bool namesRegister(const AsmStatement& s) {
  return s.mnemonics.size() == 1 && (s.mnemonics[0].starts_with("$m") || s.mnemonics[0].starts_with("$a")) && s.places.empty();
}

// Code casts addresses to 32 bits to store them in control registers. On the host a number stands for the address.
bool keepAddresses(std::string& text) {
  bool isChanged = false;
  constexpr std::string_view kCast = "(unsigned)&";
  for (std::size_t at = text.find(kCast); at != std::string::npos; at = text.find(kCast, at))
    text.replace(at, kCast.size(), "__tilescope_address % &"), isChanged = true;
  return isChanged;
}

bool isHarmless(const AsmStatement& statement) {
  return std::all_of(statement.mnemonics.begin(), statement.mnemonics.end(), [](const std::string& m) { return m == "nop"; });
}

} // namespace

PlainSource replaceAssembly(std::string_view source) {
  PlainSource result;
  std::string loaded; // the class whose code address a register holds
  bool startsObjects = false;
  std::size_t done = 0;
  while (const auto statement = nextAsmStatement(source, done)) {
    const std::string_view original = source.substr(statement->begin, statement->end - statement->begin);
    result.text.append(source.substr(done, statement->begin - done));
    done = statement->end;
    if (const auto started = startedClass(*statement)) {
      result.startedByName.push_back(*started);
      result.text +=
          fmt::format("for (unsigned __worker = 0; __worker < 6; ++__worker) __tilescope_run_{}(this, __worker)", *started);
    } else if (const auto name = loadedClass(*statement)) {
      loaded = *name;
      result.startedByName.push_back(loaded);
      result.text += fmt::format("({0} = 0, (void)({0}))", statement->places[0]);
    } else if (const auto object = startedObject(*statement); object && !loaded.empty()) {
      startsObjects = true;
      result.text += fmt::format("__tilescope_run_{}(__tilescope_object({}), 0)", loaded, *object);
    } else if (const auto meaning = meaningOf(*statement, source)) {
      result.text += *meaning;
    } else if (!namesRegister(*statement)) {
      result.text.append(original);
      continue;
    }
    result.text.append(std::size_t(std::count(original.begin(), original.end(), '\n')), '\n');
    result.isChanged = true;
  }
  result.text.append(source.substr(done));
  if (startsObjects || source.find("__builtin_ipu_ld128putcs") != std::string_view::npos)
    result.isChanged |= keepAddresses(result.text);
  return result;
}

void refuseAssembly(std::string_view ir) {
  for (std::size_t at = ir.find(" asm "); at != std::string_view::npos; at = ir.find(" asm ", at + 1)) {
    const std::size_t lineEnd = std::min(ir.find('\n', at), ir.size());
    const std::string_view line = ir.substr(at, lineEnd - at);
    const std::size_t open = line.find('"'), close = line.find('"', open + 1); // quotes inside are \22
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    std::string text(line.substr(open + 1, close - open - 1));
    for (const std::string_view lineFeed : {"\\0A", "\\09"})
      for (std::size_t i = text.find(lineFeed); i != std::string::npos; i = text.find(lineFeed, i)) text.replace(i, 3, "\n");
    AsmStatement statement;
    readInstructions(statement, text);
    if (isHarmless(statement)) continue;
    const DebugTypes types(ir);
    std::string place;
    if (const std::size_t debug = line.find("!dbg !"); debug != std::string_view::npos)
      if (const auto* location = types.node(std::atoi(line.data() + debug + 6))) {
        const auto* scope = types.follow(*location, "scope");
        const auto* file = scope ? types.follow(*scope, "file") : nullptr;
        place = fmt::format("{}:{}", file ? DebugTypes::text(*file, "filename") : "", DebugTypes::number(*location, "line"));
      }
    throw reports::Error(reports::ErrorCode::Unsupported,
                         fmt::format("inline assembly of the machine ({}) cannot be run", statement.mnemonics.front()), place,
                         "write it in C++ or with __builtin_ipu functions");
  }
}

} // namespace simcore::native
