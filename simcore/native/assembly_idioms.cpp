#include "simcore/native/assembly_idioms.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace simcore::native {

namespace {

using Mnemonics = std::vector<std::string>;

bool hasOperands(const AsmStatement& s, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(), [&](const char* name) { return s.operands.contains(name); });
}

bool mentions(const AsmStatement& s, std::size_t line, std::string_view what) {
  return line < s.lines.size() && s.lines[line].find(what) != std::string::npos;
}

// a = b + q * c, computed in the accumulators, with packed addresses.
std::optional<std::string> triad(const AsmStatement& s) {
  static const Mnemonics kTriad{"ld2x64pace", "uput",         "ld2x64pace", "f32v2axpy", "ld2x64pace", "f32v2axpy", "nop",
                                "rpt",        "ld2xst64pace", "f32v2axpy",  "st64pace",  "f32v2gina",  "st64pace"};
  if (s.mnemonics != kTriad || !hasOperands(s, {"ptr", "iter", "q", "tmp"})) return std::nullopt;
  return fmt::format("{} = __tilescope_triad({}, {}, {}, {}, {})", s.operands.at("tmp"), s.operands.at("ptr"),
                     s.operands.at("iter"), s.operands.at("q"), s.issueSlots - s.inLoop, s.inLoop);
}

// z = a * x + scale * y for `nb` pairs; `scale` is the factor of the accumulators.
std::optional<std::string> scaledSum(const AsmStatement& s) {
  static const Mnemonics kSum{"ld64step", "ld64step",   "ld64step", "f32v2mul",  "ld64step", "f32v2axpy",
                              "ld64step", "f32v2mul",   "ld64step", "f32v2axpy", "tapack",   "rpt",
                              "fnop",     "ldst64pace", "f32v2mul", "ld64step",  "f32v2axpy"};
  if (s.mnemonics != kSum || !hasOperands(s, {"xptr", "yptr", "zptr", "av", "nb"})) return std::nullopt;
  return fmt::format("__tilescope_scaled_sum({}, {}, {}, {}, {}, {}, {})", s.operands.at("xptr"), s.operands.at("yptr"),
                     s.operands.at("zptr"), s.operands.at("av"), s.operands.at("nb"), s.issueSlots - s.inLoop, s.inLoop);
}

// Number of consecutive phases of the matrix unit whose inputs are registers and whose products start from 0; -1 for other
// phases.
int phasesOf(const AsmStatement& s, int engines) {
  static const re2::RE2 kPhase("f32sisoamp [^,]+, *\\$a(?:[0-3]|zero), *\\$azeros, *%\\[TAMP_F32_E4_P([0-7])\\]");
  int phases = 0;
  for (std::size_t i = 0; i < s.lines.size(); ++i) {
    if (s.mnemonics[i] != "f32sisoamp") continue;
    int phase = 0;
    if (!re2::RE2::FullMatch(s.lines[i], kPhase, &phase) || phase != phases % engines) return -1;
    ++phases;
  }
  return phases;
}

// A vector of four, in place, through the matrix unit: four phases load it, two of the next three return the result.
std::optional<std::string> oneVector(const AsmStatement& s) {
  static const Mnemonics kOne{"ld64",       "f32sisoamp", "ld64",       "f32sisoamp", "f32sisoamp", "f32sisoamp",
                              "f32sisoamp", "st64",       "f32sisoamp", "f32sisoamp", "st64"};
  if (s.mnemonics != kOne || phasesOf(s, 4) < 0 || !hasOperands(s, {"ptr"})) return std::nullopt;
  return fmt::format("__tilescope_matrix_vector({}, {})", s.operands.at("ptr"), s.issueSlots);
}

// Whether the statement sends vectors of eight through eight engines, from one address to another.
bool isPipeline(const AsmStatement& s) {
  static const Mnemonics kParts{"f32sisoamp", "ld64step", "st64step", "ldst64pace", "st64pace", "tapack",
                                "sub",        "cmpslt",   "brz",      "brnzdec",    "rpt",      "nop"};
  return phasesOf(s, 8) >= 15 && std::all_of(s.mnemonics.begin(), s.mnemonics.end(), [](const std::string& m) {
           return std::find(kParts.begin(), kParts.end(), m) != kParts.end();
         });
}

// A worker's share of an array of vectors of four through the matrix unit: it takes two vectors at a time and skips those of the
// other workers. The machine's last iteration reads and writes beyond the end of the array; here it stops at the end.
std::optional<std::string> manyVectors(const AsmStatement& s, std::string_view source) {
  if (!hasOperands(s, {"loadAddr", "storeAddr", "step"}) || !isPipeline(s)) return std::nullopt;
  const std::string &from = s.operands.at("loadAddr"), &to = s.operands.at("storeAddr");
  if (!std::all_of(from.begin(), from.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }))
    return std::nullopt;
  const re2::RE2 array("\\b" + from + "\\b[^;=]*= *&(\\w+)\\[", re2::RE2::Quiet);
  re2::StringPiece before(source.data(), s.begin);
  std::string field;
  while (re2::RE2::FindAndConsume(&before, array, &field)) { // finds the last one
  }
  if (field.empty()) return std::nullopt;
  return fmt::format("__tilescope_matrix_vectors({0}, {1}, &{2}[0] + {2}.size(), {3}, {4}, {5})", from, to, field,
                     s.operands.at("step"), s.issueSlots - s.inLoop, s.inLoop);
}

std::optional<std::string> accumulators(const AsmStatement& s) {
  const auto& m = s.mnemonics;
  if (m == Mnemonics{"setzi", "uput"} && mentions(s, 1, "$FP_CLR")) return "__tilescope_clear_accumulators()";
  if (m == Mnemonics{"uput"} && mentions(s, 0, "$TAS") && s.places.size() == 1)
    return fmt::format("__tilescope_set_scale({})", s.places[0]);
  if (m == Mnemonics{"f32v2mac"} && s.places.size() == 2)
    return fmt::format("(void)__tilescope_accumulate_pair({}, {})", s.places[0], s.places[1]);
  const bool givesPair = !m.empty() && m.back() == "f32v2gina" && s.lines.back() == "f32v2gina %0, $azeros, 0";
  if (givesPair && m.size() == 1 && s.places.size() == 1)
    return fmt::format("{} = __builtin_ipu_f32v2gina(__ipu_float2{{0, 0}}, 0)", s.places[0]);
  if (givesPair && m == Mnemonics{"f32v2mac", "f32v2gina"} && s.places.size() == 3 && s.lines[0] == "f32v2mac %1, %2")
    return fmt::format("{} = __tilescope_multiply_pair({}, {})", s.places[0], s.places[1], s.places[2]);
  // Adds %0 times the pair at %1 and the pair at %2 to the first four accumulators.
  if (m == Mnemonics{"ld32", "ld64", "ld64", "f32v2mul", "f32v2mul", "f32v4acc"} && s.places.size() == 3 &&
      mentions(s, 0, "%0") && mentions(s, 1, "%2") && mentions(s, 2, "%1") && s.lines[5] == "f32v4acc $a0:3")
    return fmt::format("__tilescope_add_scaled({}, {}, {}, {})", s.places[0], s.places[1], s.places[2], s.issueSlots);
  return std::nullopt;
}

// The class whose code address the statement's first instruction loads.
std::optional<std::string> namedClass(const AsmStatement& s) {
  constexpr std::string_view kPrefix = "__runCodelet_";
  const std::size_t at = s.lines[0].find(kPrefix);
  if (at == std::string::npos) return std::nullopt;
  const std::string name = s.lines[0].substr(at + kPrefix.size());
  return name.substr(0, name.find(' '));
}

// One arithmetic instruction with a builtin of the same name; the first operand is the result.
std::optional<std::string> arithmetic(const AsmStatement& s) {
  static const re2::RE2 kForm(
      "(f(?:32|16)(?:v[24])?(?:max|min|absadd|absmax|exp2?|ln|log2|tanh|sigm)) +(%\\S+), *(%\\S+?)(?:, *(%\\S+))?");
  std::string name, operands[3]; // the last may be missing
  if (s.mnemonics.size() != 1 || !re2::RE2::FullMatch(s.lines[0], kForm, &name, &operands[0], &operands[1], &operands[2]))
    return std::nullopt;
  std::vector<std::string> values;
  for (const std::string& operand : operands) {
    if (operand.empty()) break;
    const std::string place = operand.substr(1); // [name] or a number
    const bool isName = place.size() > 2 && place.front() == '[' && place.back() == ']';
    const auto named = isName ? s.operands.find(place.substr(1, place.size() - 2)) : s.operands.end();
    const auto number = std::size_t(isName ? -1 : std::atoi(place.c_str()));
    if (named != s.operands.end())
      values.push_back(named->second);
    else if (!isName && std::isdigit(static_cast<unsigned char>(place[0])) && number < s.places.size())
      values.push_back(s.places[number]);
    else
      return std::nullopt;
  }
  return fmt::format("{} = __builtin_ipu_{}({}{}{})", values[0], name, values[1], values.size() > 2 ? ", " : "",
                     values.size() > 2 ? values[2] : "");
}

// Numbers set in registers for a debugger, then a trap.
std::optional<std::string> trap(const AsmStatement& s) {
  if (s.mnemonics.empty() || s.mnemonics.back() != "trap") return std::nullopt;
  if (!std::all_of(s.mnemonics.begin(), s.mnemonics.end() - 1, [](const std::string& m) { return m == "setzi"; }))
    return std::nullopt;
  return "__builtin_trap()";
}

// A supervisor that starts one of its functions on all workers, waits for them, or both in either order.
std::optional<std::string> startedFunction(const AsmStatement& s) {
  static const re2::RE2 kRunAll("runall %(?:\\[(\\w+)\\]|(\\d)), *%(?:\\[(\\w+)\\]|(\\d)), *0");
  if (s.mnemonics == Mnemonics{"sync"}) return "(void)0"; // the workers have ended
  const auto run = std::find(s.mnemonics.begin(), s.mnemonics.end(), "runall");
  const auto isOther = [](const std::string& m) { return m != "runall" && m != "sync"; };
  if (run == s.mnemonics.end() || std::any_of(s.mnemonics.begin(), s.mnemonics.end(), isOther) ||
      std::count(s.mnemonics.begin(), s.mnemonics.end(), "runall") > 1)
    return std::nullopt;
  std::string names[2], numbers[2];
  if (!re2::RE2::FullMatch(s.lines[std::size_t(run - s.mnemonics.begin())], kRunAll, &names[0], &numbers[0], &names[1],
                           &numbers[1]))
    return std::nullopt;
  std::string values[2];
  for (int i = 0; i < 2; ++i) {
    const auto number = std::size_t(std::atoi(numbers[i].c_str()));
    if (names[i].empty() ? number >= s.places.size() : !s.operands.contains(names[i])) return std::nullopt;
    values[i] = names[i].empty() ? s.places[number] : s.operands.at(names[i]);
  }
  return fmt::format("__tilescope_run_all((void*)({}), (void*)({}))", values[0], values[1]);
}

} // namespace

std::optional<std::string> startedClass(const AsmStatement& s) {
  return s.mnemonics == Mnemonics{"setzi", "runall", "sync"} || s.mnemonics == Mnemonics{"setzi", "runall"} ? namedClass(s)
                                                                                                            : std::nullopt;
}

std::optional<std::string> loadedClass(const AsmStatement& s) {
  return s.mnemonics == Mnemonics{"setzi"} && s.places.size() == 1 ? namedClass(s) : std::nullopt;
}

std::optional<std::string> startedObject(const AsmStatement& s) {
  static const re2::RE2 kRun("run %(?:\\[\\w+\\]|0), *%(?:\\[(\\w+)\\]|1), *0");
  std::string name;
  if (s.mnemonics != Mnemonics{"run", "sync"} || !re2::RE2::FullMatch(s.lines[0], kRun, &name)) return std::nullopt;
  if (!name.empty()) return s.operands.contains(name) ? std::optional(s.operands.at(name)) : std::nullopt;
  return s.places.size() > 1 ? std::optional(s.places[1]) : std::nullopt;
}

std::optional<std::string> meaningOf(const AsmStatement& s, std::string_view source) {
  for (const auto& meaning : {triad(s), scaledSum(s), oneVector(s), manyVectors(s, source), accumulators(s), arithmetic(s),
                              trap(s), startedFunction(s)})
    if (meaning) return meaning;
  return std::nullopt;
}

} // namespace simcore::native
