#include "simcore/native/library.h"

#include "reports/core/error.h"
#include "reports/core/regular_file.h"
#include "simcore/native/compile_source.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace simcore::native {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int64_t kMostGpBytes = 1 << 30;

// A shared object from memory: no file that another user could change, and no folder to clean up. Its descriptor stays open with it: dlopen()
// treats an equal name as the same library, and the next one would get the same descriptor number.
std::shared_ptr<void> load(const Unit& unit) {
  const int file = memfd_create("tilescope-codelets", MFD_CLOEXEC);
  std::string_view rest = unit.library;
  while (file >= 0 && !rest.empty()) {
    const ssize_t n = write(file, rest.data(), rest.size());
    if (n <= 0) break;
    rest.remove_prefix(std::size_t(n));
  }
  void* handle = rest.empty() ? dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  const char* why = handle ? nullptr : dlerror();
  if (!handle) {
    if (file >= 0) close(file);
    throw Error(ErrorCode::Io, fmt::format("compiled codelets cannot be loaded: {}", why ? why : "no memory"), unit.source);
  }
  return {handle, [file](void* h) { dlclose(h), close(file); }};
}

template<class Function> Function* functionOf(void* library, const std::string& symbol) {
  return symbol.empty() ? nullptr : reinterpret_cast<Function*>(dlsym(library, symbol.c_str()));
}

void addCodelets(const Unit& unit, Library& library) {
  const std::shared_ptr<void> handle = load(unit);
  using Hooks = graph::MachineHooks*();
  using Counts = graph::Counters*();
  const auto layout = functionOf<uint64_t()>(handle.get(), "tilescope_layout");
  if (!layout || layout() != sizeof(graph::MachineHooks) * 1000 + sizeof(graph::Counters))
    throw Error(ErrorCode::Unsupported, "these codelets were compiled by another release", unit.source,
                "compile them again with tilescope-popc");
  auto globals = std::make_shared<std::vector<graph::NativeBody::Global>>();
  for (const Unit::Global& global : unit.globals)
    globals->push_back({functionOf<void*()>(handle.get(), global.addressFunction), global.bytes});
  for (const Unit::Entry& entry : unit.entries) {
    auto body = std::make_shared<graph::NativeBody>();
    body->objectBytes = entry.vertex.objectBytes;
    body->alignment = entry.vertex.alignment;
    body->fields = entry.vertex.places;
    body->state = entry.vertex.state;
    body->compute = functionOf<bool(void*, unsigned)>(handle.get(), entry.symbol);
    body->counted = functionOf<bool(void*, unsigned)>(handle.get(), entry.counted);
    body->counters = functionOf<Counts>(handle.get(), "tilescope_counters");
    if (unit.asksMachine) body->hooks = functionOf<Hooks>(handle.get(), "tilescope_hooks");
    body->dependsOnData = entry.dependsOnData;
    body->library = handle;
    body->sourceFile = entry.vertex.file;
    body->sourceLine = entry.vertex.line;
    if (!globals->empty()) body->globals = globals;
    if (!body->compute) throw Error(ErrorCode::Damaged, "a codelet has no code", entry.vertex.name);
    graph::Codelet codelet;
    codelet.name = entry.vertex.name;
    codelet.kind = entry.vertex.kind;
    codelet.fields = entry.vertex.fields;
    for (const auto& place : entry.vertex.state) codelet.state.emplace_back(place.name, place.type, place.count);
    codelet.constraints = entry.vertex.constraints;
    codelet.native = std::move(body);
    const auto isSame = [&](const graph::Codelet& other) { return other.name == codelet.name; };
    if (std::any_of(library.codelets.begin(), library.codelets.end(), isSame)) continue; // a header with vertices, in two sources
    library.codelets.push_back(std::move(codelet));
  }
}

SourceRequest sourceRequest(const CompileRequest& request, const fs::path& source, int archVersion, bool keepPreprocessed) {
  return {fs::absolute(source).lexically_normal().string(), request.flags, archVersion, keepPreprocessed};
}

bool isGp(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".gp" || extension == ".o" || extension == ".a";
}

std::vector<Unit> readGp(const fs::path& file) {
  return unpackUnits(reports::readRegularFile(file, kMostGpBytes, "compile the codelets first"), file.string());
}

Unit unitOfSource(const SourceRequest& request, const CodeCache& cache, std::string& diagnostics) {
  const ClangTool clang = findClang();
  if (Unit unit = cachedUnit(request, clang, cache); !unit.library.empty()) return unit;
  Unit unit = compileSource(request, clang, cache, diagnostics);
  keepUnit(request, unit, clang, cache);
  return unit;
}

// Sources that call each other's functions, as one source.
SourceRequest together(const std::vector<SourceRequest>& requests) {
  SourceRequest all = requests.at(0);
  for (const SourceRequest& request : requests) {
    all.text += fmt::format("#line 1 \"{}\"\n{}\n", request.source, fileText(request.source));
    all.flags.insert(all.flags.end(), {"-iquote", fs::path(request.source).parent_path().string()});
  }
  return all;
}

// One unit per source, or one for all sources if a source calls functions of another.
std::vector<Unit> unitsOfSources(const std::vector<SourceRequest>& requests, const CodeCache& cache, std::string& diagnostics) {
  const std::string before = diagnostics;
  std::vector<Unit> units;
  try {
    for (const SourceRequest& request : requests) units.push_back(unitOfSource(request, cache, diagnostics));
    return units;
  } catch (const MissingFunction&) {
    if (requests.size() == 1) throw;
  }
  diagnostics = before;
  units.clear();
  units.push_back(unitOfSource(together(requests), cache, diagnostics));
  return units;
}

void addGp(const fs::path& file, int archVersion, const fs::path& cache, Library& library) {
  const std::vector<Unit> units = readGp(file);
  const auto isFor = [&](const Unit& unit) { return unit.archVersion == archVersion; };
  const bool hasArch = std::any_of(units.begin(), units.end(), isFor);
  for (const Unit& unit : units) {
    if (hasArch && !isFor(unit)) continue;
    if (!unit.needsHalfInstructions || hasHalfInstructions()) {
      addCodelets(unit, library);
      continue;
    }
    SourceRequest request{unit.source, unit.flags, unit.archVersion, false, unit.preprocessed};
    addCodelets(unitOfSource(request, CodeCache(cache), library.diagnostics), library);
  }
  if (!hasArch)
    library.warnings += fmt::format("{}: no codelets for version {} of the architecture, those for {} are used\n", file.string(),
                                    archVersion, units.empty() ? 0 : units[0].archVersion);
}

} // namespace

Library compileCodelets(const CompileRequest& request) {
  Library library;
  std::vector<SourceRequest> sources;
  for (const fs::path& source : request.sources)
    if (isGp(source))
      addGp(source, request.archVersion, request.cache, library);
    else
      sources.push_back(sourceRequest(request, source, request.archVersion, false));
  if (!sources.empty())
    for (const Unit& unit : unitsOfSources(sources, CodeCache(request.cache), library.diagnostics)) addCodelets(unit, library);
  return library;
}

Library loadGp(const fs::path& file, int archVersion) {
  Library library;
  addGp(file, archVersion, {}, library);
  return library;
}

std::string compileGp(const CompileRequest& request, const std::vector<int>& archVersions, std::string& diagnostics) {
  std::vector<Unit> units;
  for (const fs::path& source : request.sources)
    if (isGp(source))
      for (Unit& unit : readGp(source)) units.push_back(std::move(unit));
  for (const int version : archVersions) {
    std::vector<SourceRequest> sources;
    for (const fs::path& source : request.sources)
      if (!isGp(source)) sources.push_back(sourceRequest(request, source, version, true));
    if (sources.empty()) break;
    for (Unit& unit : unitsOfSources(sources, CodeCache(request.cache), diagnostics)) units.push_back(std::move(unit));
  }
  return packUnits(units);
}

std::string compileIr(const CompileRequest& request, std::string& diagnostics) {
  const CodeCache cache(request.cache);
  return irOfSource(sourceRequest(request, request.sources.at(0), request.archVersion, false), findClang(), cache, diagnostics);
}

} // namespace simcore::native
