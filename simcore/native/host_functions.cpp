#include "simcore/native/host_functions.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace simcore::native {

namespace {

using namespace std::string_view_literals;

// Functions of the C library that depend only on their arguments, functions that the runtime of codelets defines, and functions
// that compilers call. The machine has all of them too, or they are harmless.
constexpr std::array kPlain = {"memcpy"sv,
                               "memmove"sv,
                               "memset"sv,
                               "memcmp"sv,
                               "memchr"sv,
                               "bcmp"sv,
                               "bzero"sv,
                               "strlen"sv,
                               "strnlen"sv,
                               "strcmp"sv,
                               "strncmp"sv,
                               "strcpy"sv,
                               "strncpy"sv,
                               "strcat"sv,
                               "strncat"sv,
                               "strchr"sv,
                               "strrchr"sv,
                               "strstr"sv,
                               "strspn"sv,
                               "strcspn"sv,
                               "strpbrk"sv,
                               "abs"sv,
                               "labs"sv,
                               "llabs"sv,
                               "div"sv,
                               "ldiv"sv,
                               "lldiv"sv,
                               "ffs"sv,
                               "qsort"sv,
                               "bsearch"sv,
                               "atoi"sv,
                               "atol"sv,
                               "atoll"sv,
                               "atof"sv,
                               "strtol"sv,
                               "strtoul"sv,
                               "strtoll"sv,
                               "strtoull"sv,
                               "strtof"sv,
                               "strtod"sv,
                               "snprintf"sv,
                               "sprintf"sv,
                               "vsnprintf"sv,
                               "vsprintf"sv,
                               "sscanf"sv,
                               "isalpha"sv,
                               "isdigit"sv,
                               "isalnum"sv,
                               "isspace"sv,
                               "isupper"sv,
                               "islower"sv,
                               "isxdigit"sv,
                               "ispunct"sv,
                               "isprint"sv,
                               "toupper"sv,
                               "tolower"sv,
                               "memmem"sv,
                               "memrchr"sv,
                               "mempcpy"sv,
                               "stpcpy"sv,
                               "strcasecmp"sv,
                               "strncasecmp"sv,
                               "strtok_r"sv,
                               "ffsl"sv,
                               "ffsll"sv,
                               "imaxabs"sv,
                               "imaxdiv"sv,
                               "isgraph"sv,
                               "iscntrl"sv,
                               "isblank"sv,
                               "isnan"sv,
                               "isnanf"sv,
                               "isinf"sv,
                               "isinff"sv,
                               "finite"sv,
                               "finitef"sv,
                               "__isnan"sv,
                               "__isnanf"sv,
                               "__isinf"sv,
                               "__isinff"sv,
                               "__isoc99_sscanf"sv,
                               "abort"sv,
                               "exit"sv,
                               "_exit"sv,
                               "_Exit"sv,
                               "quick_exit"sv,
                               "printf"sv,
                               "puts"sv,
                               "putchar"sv,
                               "__assert_fail"sv,
                               "__memcpy_chk"sv,
                               "__memset_chk"sv,
                               "__memmove_chk"sv,
                               "__errno_location"sv,
                               "__stack_chk_fail"sv,
                               "_Unwind_Resume"sv,
                               "__gxx_personality_v0"sv,
                               "__dynamic_cast"sv,
                               "__ctype_b_loc"sv,
                               "__ctype_tolower_loc"sv,
                               "__ctype_toupper_loc"sv};
constexpr std::array kPlainBegins = {"__cxa_"sv,
                                     "_ZTVN10__cxxabi"sv,
                                     "_ZSt"sv, // std::__throw_…, below
                                     "_ZdlPv"sv,
                                     "_ZdaPv"sv,               // delete: each virtual destructor names it
                                     "_ZNSt8ios_base4Init"sv}; // every file that includes <iostream> names it
constexpr std::array kThrows = {"__cxa_throw"sv, "__cxa_allocate_exception"sv, "__cxa_rethrow"sv};

bool isPlain(std::string_view name) {
  if (std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end()) return true;
  if (std::find(kThrows.begin(), kThrows.end(), name) != kThrows.end()) return false;
  if (name.starts_with("_ZSt") && name.find("__throw_") == std::string_view::npos) return false;
  return std::any_of(kPlainBegins.begin(), kPlainBegins.end(), [&](auto begin) { return name.starts_with(begin); });
}

// Whether a library of the host defines the symbol. Mathematics, and functions that the compiler itself calls (products of
// complex numbers), do not count. libm is searched first, because glibc has some of its functions (ldexp, frexp, modf) too.
bool isOfHost(const std::string& name) {
  static const std::array<void*, 4> libraries = {
      dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD), dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD),
      dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD), dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD)};
  for (void* const library : libraries) {
    void* const address = library ? dlsym(library, name.c_str()) : nullptr;
    Dl_info found{};
    if (!address || dladdr(address, &found) == 0 || !found.dli_fname) continue;
    const std::string file = std::filesystem::path(found.dli_fname).filename().string();
    return file.rfind("libm", 0) != 0 && file.rfind("libgcc_s", 0) != 0;
  }
  return false;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string spelled(const std::string& symbol) {
  std::string name = demangled(symbol);
  std::size_t begin = 0, depth = 0, end = 0; // without parameters and a template's return type
  const bool isOperator = name.find("operator ") != std::string::npos;
  for (; end < name.size() && !(name[end] == '(' && depth == 0); ++end) {
    if (name[end] == '<') ++depth;
    if (name[end] == '>' && depth > 0) --depth;
    if (name[end] == ' ' && depth == 0 && !isOperator) begin = end + 1;
  }
  return name.substr(begin, end - begin);
}

bool isOfHeap(const std::string& symbol) {
  return symbol.starts_with("_Znw") || symbol.starts_with("_Zna") || symbol == "malloc" || symbol == "free";
}

std::string adviceFor(const std::string& name) {
  const auto has = [&](auto... words) { return ((name.find(words) != std::string::npos) || ...); };
  if (has("cout", "cerr", "clog", "ostream", "printf", "puts", "putc", "fwrite", "stdout", "stderr"))
    return "print with printf() of <print.h>";
  if (has("alloc", "free", "operator new", "basic_string", "_Rb_tree", "_Prime_rehash", "_List_node"))
    return "use fields, or arrays of a fixed size: a tile has no heap";
  if (has("rand")) return "draw numbers with __builtin_ipu_urand32()";
  if (has("time", "clock", "chrono")) return "read the cycle counter with __builtin_ipu_get_scount_l()";
  return "files, threads and processes are those of the host program";
}

class References {
public:
  explicit References(std::string_view ir) {
    std::vector<Reference>* current = nullptr;
    for (std::size_t at = 0; at < ir.size();) {
      const std::size_t end = std::min(ir.find('\n', at), ir.size());
      const std::string_view line = ir.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("!")) {
        if (const std::size_t number = numberAfter(line, "!"); number != kNone) m_metadata[number] = line;
      } else if (line.starts_with("define ")) {
        if (const auto names = namesOf(line); !names.empty()) current = &m_of[names.front()];
      } else if (line.starts_with("declare ")) {
        if (const auto names = namesOf(line); !names.empty()) m_declared.insert(names.front());
      } else if (line.starts_with("@")) {
        auto names = namesOf(line);
        if (line.find(" external ") != std::string_view::npos || line.find(" extern_weak ") != std::string_view::npos)
          m_declared.insert(names.front()), m_variables.insert(names.front());
        else
          for (std::size_t i = 1; i < names.size(); ++i) m_of[names.front()].push_back({std::move(names[i]), kNone});
      } else if (line.starts_with("}")) {
        current = nullptr;
      } else if (current && line.find('@') != std::string_view::npos && line.find("@llvm.dbg.") == std::string_view::npos) {
        const std::size_t place = numberAfter(line, "!dbg !");
        for (std::string& name : namesOf(line)) current->push_back({std::move(name), place});
      }
    }
  }

  void refuse(const std::vector<std::string>& roots) const {
    std::map<std::string, Reached> reached;
    std::vector<std::string> open;
    const auto reach = [&](const std::string& name, const Reached& from) {
      if (reached.emplace(name, from).second) open.push_back(name);
    };
    for (const std::string& root : roots) reach(root, {});
    reach("llvm.global_ctors", {});
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::string name = open[i];
      const auto of = m_of.find(name);
      if (of == m_of.end()) continue;
      const Reference* worst = nullptr; // the most informative: a variable, then a function, then a heap function
      const auto says = [&](const Reference& r) { return m_variables.count(r.name) ? 2 : isOfHeap(r.name) ? 0 : 1; };
      for (const Reference& reference : of->second) {
        if (m_declared.count(reference.name) && !isPlain(reference.name) && isOfHost(reference.name) &&
            (!worst || says(reference) > says(*worst)))
          worst = &reference;
        reach(reference.name, {name, reference.place});
      }
      if (worst)
        throw reports::Error(reports::ErrorCode::InvalidInput,
                             fmt::format("a codelet cannot use '{}': a tile does not have it", spelled(worst->name)),
                             placeOf(name, worst->place, reached), adviceFor(spelled(worst->name)));
    }
  }

  std::string placeOfCall(const std::vector<std::string>& roots, const std::string& missing) const {
    std::map<std::string, Reached> reached;
    std::vector<std::string> open = roots;
    for (const std::string& root : roots) reached[root] = {};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::string name = open[i];
      const auto of = m_of.find(name);
      if (of == m_of.end()) continue;
      for (const Reference& reference : of->second) {
        if (m_declared.count(reference.name) && (reference.name == missing || demangled(reference.name) == missing))
          return placeOf(name, reference.place, reached);
        if (reached.emplace(reference.name, Reached{name, reference.place}).second) open.push_back(reference.name);
      }
    }
    return {};
  }

private:
  static constexpr std::size_t kNone = std::size_t(-1);
  struct Reference {
    std::string name;
    std::size_t place = kNone; // number of its location in the metadata
  };
  struct Reached {
    std::string from;
    std::size_t place = kNone;
  };

  // The number after the first `phrase`.
  static std::size_t numberAfter(std::string_view line, std::string_view phrase) {
    const std::size_t at = line.find(phrase);
    std::size_t number = kNone;
    if (at != std::string_view::npos) std::from_chars(line.data() + at + phrase.size(), line.data() + line.size(), number);
    return number;
  }
  // All names after @.
  static std::vector<std::string> namesOf(std::string_view line) {
    std::vector<std::string> names;
    for (std::size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
      std::size_t begin = at + 1, end = begin;
      if (begin < line.size() && line[begin] == '"')
        end = std::min(line.find('"', ++begin), line.size());
      else
        while (end < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[end])) || "_.$-"sv.find(line[end]) != std::string_view::npos))
          ++end;
      if (end > begin) names.emplace_back(line.substr(begin, end - begin));
    }
    return names;
  }

  std::string_view metadata(std::size_t number) const {
    const auto it = m_metadata.find(number);
    return it == m_metadata.end() ? std::string_view() : it->second;
  }
  static std::string quoted(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return {};
    const std::size_t begin = at + key.size();
    return std::string(line.substr(begin, line.find('"', begin) - begin));
  }
  std::string fileOf(std::size_t scope) const {
    for (int depth = 0; depth < 64; ++depth) {
      const std::string_view line = metadata(scope);
      if (const std::size_t file = numberAfter(line, "file: !"); file != kNone) {
        const std::filesystem::path name = quoted(metadata(file), "filename: \""),
                                    folder = quoted(metadata(file), "directory: \"");
        return (folder / name).lexically_normal().string();
      }
      scope = numberAfter(line, "scope: !");
    }
    return {};
  }

  // The innermost location in a file of the user, outside headers of the system and of codelets and outside the generated
  // wrapper.
  std::string placeIn(std::size_t location) const {
    for (int depth = 0; location != kNone && depth < 64; ++depth) {
      const std::string_view line = metadata(location);
      const std::string file = fileOf(numberAfter(line, "scope: !"));
      const std::size_t number = numberAfter(line, "line: ");
      const bool isOurs = file.find("/sdk-") != std::string::npos || file.ends_with("/wrapper.cpp");
      if (!file.empty() && number != kNone && number > 0 && !file.starts_with("/usr/") && !isOurs)
        return fmt::format("{}:{}", file, number);
      location = numberAfter(line, "inlinedAt: !");
    }
    return {};
  }
  std::string placeOf(std::string function, std::size_t location, const std::map<std::string, Reached>& reached) const {
    for (int depth = 0; depth < 1000; ++depth) {
      if (std::string place = placeIn(location); !place.empty()) return place;
      const auto from = reached.find(function);
      if (from == reached.end() || from->second.from.empty()) return {};
      function = from->second.from, location = from->second.place;
    }
    return {};
  }

  std::map<std::string, std::vector<Reference>> m_of; // by function, or variable with a value
  std::set<std::string> m_declared, m_variables;      // a variable is in both
  std::map<std::size_t, std::string_view> m_metadata;
};

} // namespace

std::string withPlaceOfCall(std::string_view ir, const std::vector<std::string>& roots, const std::string& name) {
  const std::string place = References(ir).placeOfCall(roots, name);
  return place.empty() ? name : fmt::format("{}, used at {}", name, place);
}

void refuseHostFunctions(std::string_view ir, const std::vector<std::string>& roots) { References(ir).refuse(roots); }

} // namespace simcore::native
