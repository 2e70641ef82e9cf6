#include "simcore/native/compile_source.h"

#include "reports/core/error.h"
#include "simcore/native/assembly.h"
#include "simcore/native/count/count_module.h"
#include "simcore/native/counted_twin.h"
#include "simcore/native/debug_types.h"
#include "simcore/native/embedded_files.h"

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
using Words = std::vector<std::string>;

namespace {

constexpr std::chrono::seconds kLimit{120};
constexpr const char* kWhole = "whole.ii"; // the preprocessed source
constexpr int64_t kWeightBytes = 512;      // of the matrix unit (tilescope_runtime.inc): separate for each tile, like globals

template<class... More> Words joined(Words first, const More&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

// Compiler flags for the language of codelets.
Words languageFlags(const SourceRequest& request) {
  Words words{"-O2", // a precompiled header is valid for one level only
              "-fPIC",
              "-fvisibility=hidden",
              "-fno-exceptions",
              "-fno-rtti",
              "-fno-threadsafe-statics",
              "-fno-access-control",
              "-fwrapv",
              "-fno-strict-return",
              "-fno-finite-loops",
              "-fno-delete-null-pointer-checks",
              "-fno-math-errno",
              "-Wno-register", // a keyword that C++17 removed
              "-ffp-contract=off",
              "-Xclang",
              "-fnative-half-type",
              "-Xclang",
              "-fnative-half-arguments-and-returns",
              "-D__POPC__=1",
              "-D__IPU__=1",
              "-D__TILESCOPE__=1",
              "-D__IPU_ARCH_VERSION__=" + std::to_string(request.archVersion)};
  const bool namesStandard =
      std::any_of(request.flags.begin(), request.flags.end(), [](const std::string& flag) { return flag.starts_with("-std="); });
  if (!namesStandard) words.emplace_back("-std=gnu++17");
  if (hasHalfInstructions()) words.emplace_back("-mf16c");
  return words;
}

// The user's flags, with warnings only in the first child.
Words userFlags(const SourceRequest& request, bool withWarnings) {
  Words words;
  for (const std::string& flag : request.flags)
    if (!flag.starts_with("-O") && !flag.starts_with("-g") && (withWarnings || !flag.starts_with("-W"))) words.push_back(flag);
  return words;
}

std::string headersDigest() {
  static const std::string digest = [] {
    std::string all;
    for (const EmbeddedFile& file : embeddedFiles()) all.append(file.path).append(file.text);
    return digestOf(all);
  }();
  return digest;
}

// A compiler message "file:12:5: error: text".
struct Complaint {
  std::string place, text;
};
Complaint firstError(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    for (const std::string_view word : {" fatal error: ", " error: "})
      if (const std::size_t at = line.find(word); at != std::string::npos) {
        std::string place = line.substr(0, at);
        for (int part = 0; part < 2 && !place.empty() && place.back() == ':'; ++part) { // drops the column
          const std::size_t colon = place.rfind(':', place.size() - 2);
          place.pop_back();
          if (colon == std::string::npos || part == 1) break;
          if (std::count(place.begin(), place.end(), ':') > 1) place = place.substr(0, colon + 1);
        }
        if (!place.empty() && place.back() == ':') place.pop_back();
        return {place, line.substr(at + word.size())};
      }
  return {};
}

// Removes an optimiser flag that this version of the compiler lacks. False if the message is about something else.
bool dropUnknown(Words& flags, const std::string& output) {
  constexpr std::string_view kComplaint = "Unknown command line argument '";
  const std::size_t at = output.find(kComplaint);
  if (at == std::string::npos) return false;
  const std::size_t begin = at + kComplaint.size();
  const auto it = std::find(flags.begin(), flags.end(), output.substr(begin, output.find('\'', begin) - begin));
  if (it == flags.end() || it == flags.begin()) return false;
  flags.erase(it - 1, it + 1); // with the -mllvm before it
  return true;
}

class Compilation {
public:
  Compilation(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics)
      : m_request(request), m_clang(clang), m_cache(cache), m_diagnostics(diagnostics), m_scratch(cache.folder()) {}

  Unit run() {
    prepare();
    std::optional<Step> whole;
    if (m_request.keepPreprocessed) whole.emplace(preprocessing());
    const std::string plain = frontEnd();
    Unit unit;
    unit.source = m_request.source;
    unit.archVersion = m_request.archVersion;
    unit.flags = m_request.flags;
    unit.compiler = m_clang.identity;
    unit.needsHalfInstructions = hasHalfInstructions();
    unit.text = m_text;
    unit.dependencies = dependencies();
    link(plain, unit);
    if (whole) {
      finish(*whole);
      unit.preprocessed = fileText(m_scratch / kWhole);
    }
    return unit;
  }

  std::string ir() {
    prepare();
    const std::string plain = frontEnd();
    return optimised(plain);
  }

private:
  Words base() const {
    return joined({m_clang.path, "-fno-color-diagnostics"}, languageFlags(m_request), Words{"-isystem", m_headers});
  }

  // A child process that runs in parallel to this thread.
  struct Step {
    const char* what;
    std::future<ChildResult> result;
  };
  Step started(const Words& words, const char* what) {
    const std::string errors = m_scratch / fmt::format("errors-{}", m_steps++);
    return {what, std::async(std::launch::async, [words, errors] { return runChild(words, kLimit, errors); })};
  }

  void child(const Words& words, const char* what) {
    Step step = started(words, what);
    finish(step);
  }

  // Throws with the first error message of the compiler.
  void finish(Step& step) {
    const ChildResult result = step.result.get();
    if (result.isLate)
      throw Error(ErrorCode::Unsupported, fmt::format("the compiler did not end within {} seconds", kLimit.count()),
                  m_request.source, "is there a template or a constant expression without end?");
    if (result.exitCode == 0) {
      m_diagnostics += result.errors;
      return;
    }
    const Complaint first = firstError(result.errors);
    m_diagnostics += result.errors;
    if (first.text.find("clang frontend command failed") != std::string::npos || result.exitCode < 0 || first.text.empty())
      throw Error(ErrorCode::Unsupported, fmt::format("the compiler failed ({})", step.what), m_request.source,
                  fmt::format("try another version of clang: {} names one", "TILESCOPE_CLANG"));
    if (first.text.find(" in asm") != std::string::npos)
      throw Error(ErrorCode::Unsupported, "inline assembly of the machine cannot be run: " + first.text, first.place,
                  "write it in C++ or with __builtin_ipu functions");
    if (first.text.find("undefined symbol") != std::string::npos ||
        result.errors.find("undefined reference") != std::string::npos)
      throw MissingFunction(ErrorCode::InvalidInput, "the codelet does not link: " + first.text, m_request.source,
                            "name the source of the function in the same call");
    throw Error(ErrorCode::InvalidInput, "the codelet does not compile: " + first.text, first.place);
  }

  // Writes the headers to a folder in the cache and compiles them once per compiler. Another process may already have done this.
  void prepare() {
    const std::string name = "sdk-" + headersDigest().substr(0, 16);
    m_headers = (m_cache.folder() / name).string();
    if (!fs::exists(m_headers)) {
      const std::string fresh = m_scratch / name;
      for (const EmbeddedFile& file : embeddedFiles()) {
        const fs::path path = fs::path(fresh) / file.path;
        fs::create_directories(path.parent_path());
        writeText(path.string(), file.text);
      }
      std::error_code isThere;
      fs::rename(fresh, m_headers, isThere);
    }
    std::string flags = m_clang.identity;
    for (const std::string& word : base()) flags += '\n' + word;
    for (const std::string& flag : m_request.flags)
      if (flag.starts_with("-std=")) flags += '\n' + flag, m_standard.push_back(flag);
    const std::string stem = "tool-" + digestOf(flags).substr(0, 24);
    m_runtime = made(stem + ".o", "tilescope_runtime.inc", {"-x", "c++", "-c"});
    m_prelude = made(stem + ".pch", "tilescope_prelude.h", {"-x", "c++-header"});
  }

  std::string made(const std::string& name, const std::string& source, const Words& how) {
    const std::string target = (m_cache.folder() / name).string();
    if (fs::exists(target)) return target;
    const std::string fresh = m_scratch / name;
    child(joined(base(), m_standard, how, Words{m_headers + "/" + source, "-o", fresh}), "its own headers");
    std::error_code isThere;
    fs::rename(fresh, target, isThere);
    return target;
  }

  // Unoptimised IR of the source with a function for each vertex class.
  std::string frontEnd() {
    m_text = m_request.text.empty() ? fileText(m_request.source) : m_request.text;
    PlainSource plain = replaceAssembly(m_text);
    std::string input = m_request.source;
    if (plain.isChanged || !m_request.text.empty()) {
      input = m_scratch / "source.cpp";
      writeText(input, fmt::format("#line 1 \"{}\"\n{}", m_request.source, plain.text));
    }
    const std::string seen = m_scratch / "seen.ll";
    child(joined(base(), ownIncludes(), userFlags(m_request, true),
                 Words{"-Wno-unknown-attributes", "-Wno-ignored-attributes", "-Wno-unknown-pragmas", "-Xclang",
                       "-disable-llvm-passes", "-g", "-fno-eliminate-unused-debug-types", "-fstandalone-debug", "-MMD", "-MF",
                       m_scratch / "includes", "-x", "c++", "-S", "-emit-llvm", input, "-o", seen}),
          "the source");
    const std::string seenText = fileText(seen);
    m_classes = vertexClasses(DebugTypes(seenText));
    addConstraints();
    writeText(m_scratch / "wrapper.cpp", fmt::format("#include \"{}\"\n{}", input, trampolines(plain.startedByName)));
    const std::string result = m_scratch / "plain.ll";
    child(joined(base(), ownIncludes(), userFlags(m_request, false),
                 Words{"-w", "-Xclang", "-disable-llvm-passes", "-gline-tables-only", "-x", "c++", "-S", "-emit-llvm",
                       m_scratch / "wrapper.cpp", "-o", result}),
          "its vertices");
    std::string ir = fileText(result);
    refuseAssembly(ir);
    return ir;
  }

  void addConstraints() {
    std::map<std::string, std::vector<std::pair<std::string, std::string>>> ofFile;
    for (VertexClass& vertex : m_classes) {
      const auto [it, isNew] = ofFile.try_emplace(vertex.file);
      if (isNew) it->second = constraintsOf(vertex.file == m_request.source ? m_text : fileText(vertex.file));
      for (const auto& [name, constraint] : it->second)
        if (name == vertex.className) vertex.constraints.push_back(constraint);
    }
  }

  static std::string symbolOf(std::size_t index) { return fmt::format("tilescope_vertex_{}", index); }

  // For each class: its body, which is counted, and the function around it that the engine calls.
  std::string trampolines(const std::vector<std::string>& started) const {
    constexpr const char* kEntry = "extern \"C\" __attribute__((visibility(\"default\"))) bool ";
    std::string text = "extern \"C\" void tilescope_enter(void*, unsigned);\n";
    for (std::size_t i = 0; i < m_classes.size(); ++i) {
      const VertexClass& vertex = m_classes[i];
      const std::string call =
          fmt::format("static_cast<{}*>(vertex)->compute({})", vertex.spelling, vertex.takesWorker ? "worker" : "");
      text += fmt::format("{}{}(void* vertex, unsigned worker) {{\n  (void)worker;\n  {};\n}}\n", kEntry, bodySymbol(i),
                          vertex.returnsValue ? "return bool(" + call + ")" : call + ";\n  return true");
      text += fmt::format("{}__attribute__((weak)) {}(void*, unsigned);\n", kEntry, countedBodySymbol(i));
      for (const auto& [outer, body] :
           {std::pair(symbolOf(i), bodySymbol(i)), std::pair(symbolOf(i) + "_counted", countedBodySymbol(i))})
        text += fmt::format(
            "{}{}(void* vertex, unsigned worker) {{\n  tilescope_enter(vertex, worker);\n  return {}(vertex, worker);\n}}\n",
            kEntry, outer, body);
      if (std::find(started.begin(), started.end(), vertex.name) != started.end())
        text += fmt::format("bool __tilescope_run_{}(void* vertex, unsigned worker) {{ return {}(vertex, worker); }}\n",
                            vertex.name, symbolOf(i));
    }
    return text;
  }

  std::string optimised(const std::string& ir) {
    const std::string before = m_scratch / "before.ll", after = m_scratch / "after.ll";
    writeText(before, ir);
    Words flags = machineFlags();
    for (;;) {
      const Words words =
          joined(Words{m_clang.path, "-w", "-fPIC"}, flags, Words{"-x", "ir", "-S", "-emit-llvm", before, "-o", after});
      const ChildResult result = runChild(words, kLimit, m_scratch / "errors");
      if (result.exitCode == 0) return fileText(after);
      if (!dropUnknown(flags, result.errors)) {
        child(words, "optimising"); // throws with the compiler's message
        return fileText(after);
      }
    }
  }

  void link(const std::string& ir, Unit& unit) {
    const SharedGlobals shared = shareGlobals(ir, "tilescope_global_");
    for (const SharedGlobals::Global& global : shared.globals) unit.globals.push_back({global.addressFunction, global.bytes});
    if (ir.find("@__builtin_ipu_ld128putcs") != std::string::npos || ir.find("@__builtin_ipu_ld64putcs") != std::string::npos)
      unit.globals.push_back({"tilescope_weights", kWeightBytes});
    for (std::size_t i = 0; i < m_classes.size(); ++i) unit.entries.push_back({m_classes[i], symbolOf(i), {}, true});
    unit.asksMachine = asksMachine(shared.ir);
    Step plain = object("shared", shared.ir);
    const std::string twin = countedTwin(optimised(shared.ir), unit.archVersion, unit.entries, m_diagnostics);
    std::optional<Step> counted;
    if (!twin.empty()) counted.emplace(object("twin", twin));
    finishSilently(plain);
    const std::string before = m_diagnostics;
    try {
      if (counted) finishSilently(*counted);
      linkObjects(counted ? Words{m_scratch / "shared.o", m_scratch / "twin.o"} : Words{m_scratch / "shared.o"});
    } catch (const Error& error) {
      if (!counted) throw;
      m_diagnostics = before;
      linkObjects({m_scratch / "shared.o"}); // throws if the codelets themselves are the cause
      for (Unit::Entry& entry : unit.entries) entry.counted.clear(), entry.dependsOnData = true;
      m_diagnostics += fmt::format("warning: cycles cannot be counted from the code: {}\n", error.message());
    }
    unit.library = fileText(m_scratch / "library.so");
  }

  Step object(const std::string& name, const std::string& ir) {
    const std::string text = m_scratch / (name + ".ll");
    writeText(text, ir);
    return started({m_clang.path, "-w", "-O2", "-fPIC", "-c", "-x", "ir", text, "-o", m_scratch / (name + ".o")}, "its code");
  }

  // Drops the warnings of this step and keeps only its errors, because twins have no line numbers.
  void finishSilently(Step& step) {
    const std::string before = m_diagnostics;
    finish(step);
    m_diagnostics = before;
  }

  void linkObjects(const Words& objects) {
    Step step = started(joined(Words{m_clang.path, "-w", "-fPIC", "-shared", linker()}, objects,
                               Words{m_runtime, "-Wl,--no-undefined", "-lm", "-o", m_scratch / "library.so"}),
                        "linking");
    finishSilently(step);
  }

  // lld is faster, but needs its package.
  std::string linker() const {
    for (const std::string name : {fs::path(m_clang.path).parent_path() / "ld.lld", fs::path("/usr/bin/ld.lld")})
      if (fs::exists(name)) return "-fuse-ld=lld";
    return "-fuse-ld=bfd";
  }

  std::vector<Unit::Dependency> dependencies() const {
    std::string rule = fileText(m_scratch / "includes");
    rule.erase(0, rule.find(':') + 1);
    std::vector<Unit::Dependency> files;
    std::string path;
    const auto keep = [&] {
      if (!path.empty() && !path.starts_with(m_cache.folder().string()) && path != m_request.source)
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

  Step preprocessing() {
    std::string input = m_request.source;
    if (!m_request.text.empty()) {
      input = m_scratch / "text.cpp";
      writeText(input, m_request.text);
    }
    return started(joined(base(), ownIncludes(), userFlags(m_request, false),
                          Words{"-w", "-E", "-x", "c++", input, "-o", m_scratch / kWhole}),
                   "preprocessing");
  }

  // The prelude, and the folder of the source, which may be compiled from a copy.
  Words ownIncludes() const { return {"-include-pch", m_prelude, "-iquote", fs::path(m_request.source).parent_path().string()}; }

  const SourceRequest& m_request;
  const ClangTool& m_clang;
  const CodeCache& m_cache;
  std::string& m_diagnostics;
  ScratchFolder m_scratch;
  std::string m_headers, m_runtime, m_prelude, m_text;
  Words m_standard;
  int m_steps = 0;
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
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", headersDigest(), clang.identity, request.archVersion, request.source,
                                fs::current_path().string());
  if (request.keepPreprocessed) all += "preprocessed\n";
  for (const std::string& flag : languageFlags(request)) all += flag + '\n';
  for (const std::string& flag : machineFlags()) all += flag + '\n';
  for (const std::string& flag : request.flags) all += flag + '\n';
  all += request.text.empty() ? fileText(request.source) : request.text;
  return digestOf(all).substr(0, 32) + ".unit";
}

} // namespace

bool hasHalfInstructions() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0; // clang 14 has no name for the feature
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#else
  return false;
#endif
}

Unit compileSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics) {
  requireSource(request);
  return Compilation(request, clang, cache, diagnostics).run();
}

std::string irOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics) {
  requireSource(request);
  return Compilation(request, clang, cache, diagnostics).ir();
}

Unit cachedUnit(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache) {
  requireSource(request);
  const std::string bytes = cache.read(cacheName(request, clang));
  if (bytes.empty()) return {};
  try {
    std::vector<Unit> units = unpackUnits(bytes, request.source);
    if (units.size() != 1) return {};
    for (const Unit::Dependency& file : units[0].dependencies)
      if (digestOf(fileText(file.path)) != file.digest) return {};
    return std::move(units[0]);
  } catch (const Error&) {
    return {}; // a damaged entry is rebuilt
  }
}

void keepUnit(const SourceRequest& request, const Unit& unit, const ClangTool& clang, const CodeCache& cache) {
  cache.write(cacheName(request, clang), packUnits({unit}));
}

} // namespace simcore::native
