#include "simcore/native/compile_source.h"

#include "reports/core/error.h"
#include "simcore/native/assembly.h"
#include "simcore/native/count/count_module.h"
#include "simcore/native/counted_twin.h"
#include "simcore/native/debug_types.h"
#include "simcore/native/embedded_files.h"
#include "simcore/native/header_assembly.h"
#include "simcore/native/link_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <optional>
#include <sstream>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace simcore::native {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr const char* kWhole = "whole.ii"; // the preprocessed source
constexpr const char* kChangesLanguage[] = {"-f", "-m", "-U", "-X", "-p", "-a", "-no", "--", "-trigraphs", "-target"};

bool isC(const SourceRequest& request) { return fs::path(request.source).extension() == ".c"; }

// Compiler flags for the language of codelets.
Words languageFlags(const SourceRequest& request) {
  Words words{"-O2", // the only level for which the precompiled header is valid
              "-fPIC",
              "-fvisibility=hidden",
              "-fno-exceptions",
              "-fno-rtti",
              "-fno-threadsafe-statics",
              "-fwrapv",
              "-fno-strict-return",
              "-fno-finite-loops",
              "-fno-delete-null-pointer-checks",
              "-fno-math-errno",
              "-fmax-type-align=8", // 16-byte vectors may be aligned to 8, also in templates, which drop the alignment attribute
              "-Wno-align-mismatch",
              "-ffp-contract=off",
              "-Xclang",
              "-fnative-half-type",
              "-Xclang",
              "-fnative-half-arguments-and-returns",
              "-D__POPC__=1",
              "-D__IPU__=1",
              "-D__TILESCOPE__=1",
              "-D__IPU_ARCH_VERSION__=" + std::to_string(request.archVersion)};
  if (!isC(request)) words.insert(words.end(), {"-fno-access-control", "-Wno-register"}); // -Wno-register: C++17 removed it
  const bool namesStandard =
      std::any_of(request.flags.begin(), request.flags.end(), [](const std::string& flag) { return flag.starts_with("-std="); });
  if (!namesStandard) words.emplace_back(isC(request) ? "-std=gnu11" : "-std=gnu++17");
  if (hasHalfInstructions()) words.emplace_back("-mf16c");
  return words;
}

// Whether the compiler searches the folder last without a flag. A flag would put it before the compiler's own folders, and then
// <cstdlib> would not find <stdlib.h>.
bool isSystemFolder(const std::string& folder) {
  std::error_code none;
  const fs::path path = fs::weakly_canonical(folder, none);
  return path == "/usr/include" || path == "/usr/local/include";
}

// The user's flags; without warnings for all child processes but the first.
Words userFlags(const SourceRequest& request, bool withWarnings) {
  Words words;
  for (std::size_t i = 0; i < request.flags.size(); ++i) {
    const std::string& flag = request.flags[i];
    if (flag == "-isystem" && i + 1 < request.flags.size() && isSystemFolder(request.flags[i + 1]))
      ++i;
    else if (flag.starts_with("-isystem") && isSystemFolder(flag.substr(8)))
      continue;
    else if (!flag.starts_with("-O") && !flag.starts_with("-g") && (withWarnings || !flag.starts_with("-W")))
      words.push_back(flag);
  }
  return words;
}

// Whether the precompiled header may be used, which is valid only for the flags it was made with. The compiler rejects it with
// most other language flags (-f, -m), some macros change its contents, and clang 14 misreads it as C++20 (`__builtin_va_list` is
// ambiguous).
bool canUsePrecompiled(const Words& flags) {
  return std::all_of(flags.begin(), flags.end(), [](const std::string& flag) {
    if (flag.starts_with("-std=")) return flag.ends_with("++11") || flag.ends_with("++14") || flag.ends_with("++17");
    if (flag.starts_with("-D")) return !flag.starts_with("-D_") && flag != "-D"; // only macros of the user
    return std::none_of(std::begin(kChangesLanguage), std::end(kChangesLanguage),
                        [&](const char* begin) { return flag.starts_with(begin); });
  });
}

std::string headersDigest() {
  static const std::string digest = [] {
    std::string all;
    for (const EmbeddedFile& file : embeddedFiles()) all.append(file.path).append(file.text);
    return digestOf(all);
  }();
  return digest;
}

class Compilation {
public:
  Compilation(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics)
      : m_request(request), m_run(clang, cache, request.source, diagnostics), m_name(nameOf(request)) {}

  Unit run() {
    prepare();
    std::optional<CompilerRun::Step> whole;
    if (m_request.keepPreprocessed) whole.emplace(preprocessing());
    Unit unit;
    unit.ir = frontEnd();
    unit.source = m_request.source;
    unit.archVersion = m_request.archVersion;
    unit.flags = m_request.flags;
    unit.compiler = m_run.clang.identity;
    unit.needsHalfInstructions = hasHalfInstructions();
    unit.text = m_text;
    unit.dependencies = dependencies();
    for (std::size_t i = 0; i < m_classes.size(); ++i) unit.entries.push_back({m_classes[i], symbolOf(i), {}, true});
    linkUnit(m_run, m_runtime, unit);
    if (whole) {
      m_run.finish(*whole);
      unit.preprocessed = fileText(m_run.scratch / kWhole);
    }
    return unit;
  }

  // Links several units to one, so that they share functions and globals. The request names the first unit.
  Unit combined(const std::vector<Unit>& units) {
    prepare();
    Unit all;
    all.source = m_request.source;
    all.archVersion = m_request.archVersion;
    all.flags = m_request.flags;
    all.compiler = m_run.clang.identity;
    all.needsHalfInstructions = hasHalfInstructions();
    for (const Unit& unit : units) {
      for (Unit::Entry entry : unit.entries) {
        entry.counted.clear();
        all.entries.push_back(std::move(entry));
      }
      all.dependencies.insert(all.dependencies.end(), unit.dependencies.begin(), unit.dependencies.end());
    }
    all.ir = mergedIr(m_run, units);
    linkUnit(m_run, m_runtime, all);
    return all;
  }

  std::string ir() {
    prepare();
    return m_run.optimised(frontEnd());
  }

private:
  // A name that makes the symbols of this source's vertices unique among units.
  static std::string nameOf(const SourceRequest& request) {
    std::string all = request.source;
    for (const std::string& flag : request.flags) all += '\n' + flag;
    return digestOf(all).substr(0, 12);
  }

  Words base() const { return base(m_request); }
  Words base(const SourceRequest& request) const {
    return joined({m_run.clang.path, "-fno-color-diagnostics"}, languageFlags(request), Words{"-isystem", m_headers});
  }
  // Flags for the files that all sources share; these are C++.
  Words toolsBase() const { return isC(m_request) ? base({"", {}, m_request.archVersion}) : base(); }

  // Writes the headers to a folder in the cache and compiles them once per compiler. Another process may already have done this.
  void prepare() {
    const std::string name = "sdk-" + headersDigest().substr(0, 16);
    m_headers = (m_run.cache.folder() / name).string();
    if (!fs::exists(m_headers)) {
      const std::string fresh = m_run.scratch / name;
      for (const EmbeddedFile& file : embeddedFiles()) {
        const fs::path path = fs::path(fresh) / file.path;
        fs::create_directories(path.parent_path());
        writeText(path.string(), file.text);
      }
      std::error_code isThere;
      fs::rename(fresh, m_headers, isThere);
    }
    std::string flags = m_run.clang.identity;
    for (const std::string& word : toolsBase()) flags += '\n' + word;
    for (const std::string& flag : m_request.flags)
      if (flag.starts_with("-std=") && !isC(m_request)) flags += '\n' + flag, m_standard.push_back(flag);
    const std::string stem = "tool-" + digestOf(flags).substr(0, 24);
    m_runtime = made(stem + ".o", "tilescope_runtime.inc", {"-x", "c++", "-c"});
    if (!isC(m_request) && canUsePrecompiled(m_request.flags))
      m_prelude = made(stem + ".pch", "tilescope_prelude.h", {"-x", "c++-header"});
  }

  std::string made(const std::string& name, const std::string& source, const Words& how) {
    const std::string target = (m_run.cache.folder() / name).string();
    if (fs::exists(target)) return target;
    const std::string fresh = m_run.scratch / name;
    m_run.child(joined(toolsBase(), m_standard, how, Words{m_headers + "/" + source, "-o", fresh}), "its own headers");
    std::error_code isThere;
    fs::rename(fresh, target, isThere);
    return target;
  }

  // Unoptimised IR of the source with a function for each vertex class.
  std::string frontEnd() {
    m_text = m_request.text.empty() ? fileText(m_request.source) : m_request.text;
    PlainSource plain = replaceAssembly(m_text);
    PlainHeaders headers;
    if (m_request.text.empty()) headers = replaceHeaderAssembly(m_text, m_request.source, m_request.flags, m_run.scratch / "");
    plain.startedByName.insert(plain.startedByName.end(), headers.startedByName.begin(), headers.startedByName.end());
    std::string input = m_request.source;
    if (plain.isChanged || !plain.startedByName.empty() || !m_request.text.empty()) {
      input = m_run.scratch / (isC(m_request) ? "source.c" : "source.cpp");
      std::string started;
      for (const std::string& name : plain.startedByName)
        started += fmt::format("bool __tilescope_run_{}(void*, unsigned);\n", name);
      writeText(input, fmt::format("{}#line 1 \"{}\"\n{}", started, m_request.source, plain.text));
    }
    const std::string seen = m_run.scratch / "seen.ll";
    m_run.child(joined(base(), ownIncludes(), userFlags(m_request, true), headers.flags,
                       Words{"-Wno-unknown-attributes", "-Wno-ignored-attributes", "-Wno-unknown-pragmas",
                             // Sizes and addresses are longer on the host, so these warnings do not apply to the machine.
                             "-Wno-error=format", "-Wno-error=shorten-64-to-32", "-Wno-error=pointer-to-int-cast",
                             "-Wno-error=int-to-pointer-cast", "-Xclang", "-disable-llvm-passes", "-g",
                             "-fno-eliminate-unused-debug-types", "-fstandalone-debug", "-MMD", "-MF", m_run.scratch / "includes",
                             "-x", language(), "-S", "-emit-llvm", input, "-o", seen}),
                "the source");
    const std::string seenText = fileText(seen);
    m_classes = vertexClasses(DebugTypes(seenText));
    addConstraints();
    addInitialisers();
    writeText(m_run.scratch / "wrapper.cpp", fmt::format("#include \"{}\"\n{}", input, trampolines(plain.startedByName)));
    const std::string result = m_run.scratch / "plain.ll";
    m_run.child(joined(base(), ownIncludes(), userFlags(m_request, false), headers.flags,
                       Words{"-w", "-Xclang", "-disable-llvm-passes", "-gline-tables-only", "-x", language(), "-S", "-emit-llvm",
                             m_run.scratch / "wrapper.cpp", "-o", result}),
                "its vertices");
    std::string ir = fileText(result);
    refuseAssembly(ir);
    return ir;
  }

  // Reads the source of a class only if the compiler has read the file, because a #line can name any file.
  std::string textOfClassFile(const std::string& file) const {
    if (file == m_request.source) return m_text;
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) return {};
    const auto included = dependencies();
    const bool isIncluded = std::any_of(included.begin(), included.end(), [&](const Unit::Dependency& d) {
      std::error_code gone;
      return fs::equivalent(d.path, file, gone);
    });
    return isIncluded ? fileText(file) : std::string();
  }

  void addConstraints() {
    std::map<std::string, std::vector<std::pair<std::string, std::string>>> ofFile;
    for (VertexClass& vertex : m_classes) {
      const auto [it, isNew] = ofFile.try_emplace(vertex.file);
      if (isNew) it->second = constraintsOf(textOfClassFile(vertex.file));
      for (const auto& [name, constraint] : it->second)
        if (name == vertex.className) vertex.constraints.push_back(constraint);
    }
  }

  // Debug information gives a member's line but not its initialiser, so the initialiser is read from the source.
  void addInitialisers() {
    std::map<std::string, std::vector<std::string>> ofFile;
    for (VertexClass& vertex : m_classes)
      for (std::size_t s = 0; s < vertex.state.size(); ++s) {
        const auto& [file, number] = vertex.memberLines[s];
        const auto [it, isNew] = ofFile.try_emplace(file);
        if (isNew) {
          std::istringstream text(textOfClassFile(file));
          for (std::string line; std::getline(text, line);) it->second.push_back(line);
        }
        if (number > 0 && number <= int(it->second.size()) &&
            hasInitialiser(it->second[std::size_t(number - 1)], vertex.state[s].name))
          vertex.withInitialisers.push_back(vertex.state[s].name);
      }
  }

  const char* language() const { return isC(m_request) ? "c" : "c++"; }

  std::string symbolOf(std::size_t index) const { return vertexSymbol(m_name, index); }

  // Writes two functions per class: its body, which is counted, and a wrapper that the engine calls.
  std::string trampolines(const std::vector<std::string>& started) const {
    constexpr const char* kEntry = "extern \"C\" __attribute__((visibility(\"default\"))) bool ";
    if (m_classes.empty()) return {};
    std::string text = "extern \"C\" void* tilescope_enter(void*, unsigned);\n";
    for (std::size_t i = 0; i < m_classes.size(); ++i) {
      const VertexClass& vertex = m_classes[i];
      const std::string call =
          fmt::format("static_cast<{}*>(vertex)->compute({})", vertex.spelling, vertex.takesWorker ? "worker" : "");
      text += fmt::format("{}{}(void* vertex, unsigned worker) {{\n  (void)worker;\n  {};\n}}\n", kEntry, bodySymbol(symbolOf(i)),
                          vertex.returnsValue ? "return bool(" + call + ")" : call + ";\n  return true");
      text +=
          fmt::format("{}__attribute__((weak)) {}(void*, unsigned, void* counters);\n", kEntry, countedBodySymbol(symbolOf(i)));
      text += fmt::format(
          "{0}{1}(void* vertex, unsigned worker) {{\n  tilescope_enter(vertex, worker);\n  return {2}(vertex, worker);\n}}\n"
          "{0}{1}_counted(void* vertex, unsigned worker) {{\n  return {3}(vertex, worker, tilescope_enter(vertex, "
          "worker));\n}}\n",
          kEntry, symbolOf(i), bodySymbol(symbolOf(i)), countedBodySymbol(symbolOf(i)));
      if (std::find(started.begin(), started.end(), vertex.name) != started.end())
        text += fmt::format("bool __tilescope_run_{}(void* vertex, unsigned worker) {{ return {}(vertex, worker); }}\n",
                            vertex.name, symbolOf(i));
    }
    return text;
  }

  std::vector<Unit::Dependency> dependencies() const {
    std::string rule = fileText(m_run.scratch / "includes");
    rule.erase(0, rule.find(':') + 1);
    std::vector<Unit::Dependency> files;
    std::string path;
    const auto keep = [&] {
      if (!path.empty() && !path.starts_with(m_run.cache.folder().string()) && path != m_request.source &&
          fs::is_regular_file(path))
        files.push_back({fs::absolute(path).string(), digestOf(fileText(path))});
      path.clear();
    };
    for (std::size_t i = 0; i < rule.size(); ++i) {
      if (rule[i] == '\\' && i + 1 < rule.size() && (rule[i + 1] == ' ' || rule[i + 1] == '#'))
        path += rule[++i];
      else if (rule[i] == '\\' && i + 1 < rule.size() && rule[i + 1] == '\n')
        keep(), ++i;
      else if (rule[i] == ' ' || rule[i] == '\n')
        keep();
      else
        path += rule[i];
    }
    keep();
    return files;
  }

  CompilerRun::Step preprocessing() {
    std::string input = m_request.source;
    if (!m_request.text.empty()) {
      input = m_run.scratch / "text.cpp";
      writeText(input, m_request.text);
    }
    return m_run.started(joined(base(), ownIncludes(), userFlags(m_request, false),
                                Words{"-w", "-E", "-x", language(), input, "-o", m_run.scratch / kWhole}),
                         "preprocessing");
  }

  // Flags for the prelude and for the folder of the original source, because a copy may be compiled.
  Words ownIncludes() const {
    const Words prelude = isC(m_request)      ? Words{"-include", "tilescope_builtins.h"}
                          : m_prelude.empty() ? Words{"-include", "tilescope_prelude.h"}
                                              : Words{"-include-pch", m_prelude};
    return joined(prelude, Words{"-iquote", fs::path(m_request.source).parent_path().string()});
  }

  const SourceRequest& m_request;
  CompilerRun m_run;
  const std::string m_name;
  std::string m_headers, m_runtime, m_prelude, m_text;
  Words m_standard;
  std::vector<VertexClass> m_classes;
};

void requireSource(const SourceRequest& request) {
  if (!request.text.empty()) return;
  std::error_code failed;
  if (!fs::is_regular_file(request.source, failed))
    throw Error(ErrorCode::NotFound, "the source of codelets is missing", request.source,
                "look at the path and the working folder");
  const std::string extension = fs::path(request.source).extension().string();
  if (extension == ".S" || extension == ".s")
    throw Error(ErrorCode::Unsupported, "a source in assembly of the machine cannot be run", request.source + ":1",
                "leave it out, and compile the C++ form of its vertices");
}

// Name of a source's unit in the cache: a digest of everything that decides the compilation, without the included files.
std::string cacheName(const SourceRequest& request, const ClangTool& clang) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", headersDigest(), kCountingVersion, clang.identity,
                                request.archVersion, request.source, fs::current_path().string());
  if (request.keepPreprocessed) all += "preprocessed\n";
  for (const std::string& flag : languageFlags(request)) all += flag + '\n';
  for (const std::string& flag : machineFlags()) all += flag + '\n';
  for (const std::string& flag : request.flags) all += flag + '\n';
  all += request.text.empty() ? fileText(request.source) : request.text;
  return digestOf(all).substr(0, 32) + ".unit";
}

std::optional<Unit> keptUnit(const CodeCache& cache, const std::string& name) {
  const std::string bytes = cache.read(name);
  if (bytes.empty()) return {};
  try {
    std::vector<Unit> units = unpackUnits(bytes, name);
    if (units.size() != 1) return {};
    for (const Unit::Dependency& file : units[0].dependencies)
      if (digestOf(fileText(file.path)) != file.digest) return {};
    return std::move(units[0]);
  } catch (const Error&) {
    return {}; // a damaged entry is rebuilt
  }
}

} // namespace

bool hasHalfInstructions() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0; // checked by CPUID, because clang 14 has no name for the feature
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#else
  return false;
#endif
}

std::string irOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics) {
  requireSource(request);
  return Compilation(request, clang, cache, diagnostics).ir();
}

Unit unitOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics) {
  requireSource(request);
  const std::string name = cacheName(request, clang);
  if (std::optional<Unit> kept = keptUnit(cache, name)) return std::move(*kept);
  Unit unit = Compilation(request, clang, cache, diagnostics).run();
  cache.write(name, packUnits({unit}));
  return unit;
}

Unit combinedUnit(const std::vector<Unit>& units, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics) {
  const SourceRequest request{units.at(0).source, units[0].flags, units[0].archVersion};
  std::string all = fmt::format("{}\n{}\n{}\n", headersDigest(), kCountingVersion, clang.identity);
  for (const std::string& flag : machineFlags()) all += flag + '\n';
  for (const Unit& unit : units) all += digestOf(packUnits({unit}));
  const std::string name = digestOf(all).substr(0, 32) + ".unit";
  if (std::optional<Unit> kept = keptUnit(cache, name)) return std::move(*kept);
  Unit unit = Compilation(request, clang, cache, diagnostics).combined(units);
  cache.write(name, packUnits({unit}));
  return unit;
}

} // namespace simcore::native
