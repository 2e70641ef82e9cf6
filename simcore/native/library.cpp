#include "simcore/native/library.h"

#include "reports/core/error.h"
#include "reports/core/regular_file.h"
#include "simcore/graph/codelet_notes.h"
#include "simcore/native/compile_source.h"
#include "simcore/native/compiler_run.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

namespace simcore::native {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int64_t kMostGpBytes = 1 << 30;

// Loads a shared object from memory, so that no other user can change a file and no folder must be cleaned up. The descriptor
// stays open as long as the library: dlopen() takes equal names for the same library, and a closed descriptor's number would be
// reused.
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

graph::Codelet codeletOf(const Unit::Entry& entry) {
  graph::Codelet codelet;
  codelet.name = entry.vertex.name;
  codelet.kind = entry.vertex.kind;
  codelet.fields = entry.vertex.fields;
  for (const auto& place : entry.vertex.state) codelet.state.emplace_back(place.name, place.type, place.count);
  codelet.constraints = entry.vertex.constraints;
  return codelet;
}

void addCodelet(graph::Codelet codelet, Library& library) {
  const auto isSame = [&](const graph::Codelet& other) { return other.name == codelet.name; };
  if (std::any_of(library.codelets.begin(), library.codelets.end(), isSame)) return; // a header with vertices, in two sources
  library.codelets.push_back(std::move(codelet));
}

// Adds the codelets of a unit that still lacks symbols: their fields, without code.
void addOpenCodelets(const Unit& unit, Library& library) {
  for (const Unit::Entry& entry : unit.entries) addCodelet(codeletOf(entry), library);
  library.missing.insert(library.missing.end(), unit.missing.begin(), unit.missing.end());
}

void addCodelets(const Unit& unit, Library& library) {
  if (unit.library.empty()) return addOpenCodelets(unit, library);
  const std::shared_ptr<void> handle = load(unit);
  using Hooks = graph::MachineHooks*();
  using Counts = graph::Counters*();
  const auto layout = functionOf<uint64_t()>(handle.get(), "tilescope_layout");
  if (!layout || layout() != sizeof(graph::MachineHooks) * 1000 + sizeof(graph::Counters))
    throw Error(ErrorCode::Unsupported, "these codelets were compiled by another release", unit.source,
                "compile them again with tilescope-popc");
  const auto kept = std::make_shared<graph::CodeletLibrary>();
  kept->code = handle;
  for (const Unit::Entry& entry : unit.entries) {
    const auto& initialised = entry.vertex.withInitialisers;
    kept->notes[entry.vertex.name] = {entry.unpriced, {initialised.begin(), initialised.end()}};
  }
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
    body->library = kept;
    body->sourceFile = entry.vertex.file;
    body->sourceLine = entry.vertex.line;
    if (!globals->empty()) body->globals = globals;
    if (!body->compute) throw Error(ErrorCode::Damaged, "a codelet has no code", entry.vertex.name);
    graph::Codelet codelet = codeletOf(entry);
    codelet.native = std::move(body);
    addCodelet(std::move(codelet), library);
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

bool isOpen(const Unit& unit) { return unit.library.empty(); }

// The cache, opened only to compile something, so that a .gp file that needs no compiler loads without a writable folder.
class LateCache {
public:
  explicit LateCache(fs::path folder) : m_folder(std::move(folder)) {}
  const CodeCache& operator*() {
    if (!m_cache) m_cache.emplace(m_folder);
    return *m_cache;
  }

private:
  fs::path m_folder;
  std::optional<CodeCache> m_cache;
};

// Returns the units unchanged if none needs another; else links all to one.
std::vector<Unit> linked(std::vector<Unit> units, LateCache& cache, std::string& diagnostics) {
  if (units.size() < 2 || std::none_of(units.begin(), units.end(), isOpen)) return units;
  Unit all = combinedUnit(units, findClang(), *cache, diagnostics);
  units.clear();
  units.push_back(std::move(all));
  return units;
}

std::vector<Unit> unitsOfGp(const fs::path& file, int archVersion, LateCache& cache, Library& library) {
  std::vector<Unit> units = readGp(file);
  const auto isFor = [&](const Unit& unit) { return unit.archVersion == archVersion; };
  if (std::any_of(units.begin(), units.end(), isFor))
    std::erase_if(units, [&](const Unit& unit) { return !isFor(unit); });
  else
    library.warnings += fmt::format("{}: no codelets for version {} of the architecture, those for {} are used\n", file.string(),
                                    archVersion, units.empty() ? 0 : units[0].archVersion);
  for (Unit& unit : units)
    if (unit.needsHalfInstructions && !hasHalfInstructions()) {
      const SourceRequest request{unit.source, unit.flags, unit.archVersion, false, unit.preprocessed};
      unit = unitOfSource(request, findClang(), *cache, library.diagnostics);
    }
  return units;
}

// Throws for two codelets of one name, unless they are the same class: from a header, or from a source compiled twice.
void requireDistinct(const std::vector<Unit>& units) {
  std::map<std::pair<std::string, int>, const Unit*> owner;
  for (const Unit& unit : units)
    for (const Unit::Entry& entry : unit.entries) {
      const auto [it, isNew] = owner.try_emplace({entry.vertex.name, unit.archVersion}, &unit);
      if (isNew || it->second->text == unit.text) continue;
      const auto& others = it->second->entries;
      const auto other =
          std::find_if(others.begin(), others.end(), [&](const auto& e) { return e.vertex.name == entry.vertex.name; });
      const auto nameOf = [](const std::string& file) { return fs::path(file).filename(); };
      if (other->vertex.line == entry.vertex.line && nameOf(other->vertex.file) == nameOf(entry.vertex.file)) continue;
      throw Error(ErrorCode::InvalidInput, fmt::format("two codelets are called '{}'", entry.vertex.name),
                  fmt::format("{}:{}, {}:{}", other->vertex.file, other->vertex.line, entry.vertex.file, entry.vertex.line),
                  "rename one, or put it into a namespace");
    }
}

void addUnits(const CompileRequest& request, Library& library, std::vector<Unit>& units) {
  LateCache cache(request.cache);
  for (const fs::path& source : request.sources)
    if (isGp(source))
      for (Unit& unit : unitsOfGp(source, request.archVersion, cache, library)) units.push_back(std::move(unit));
    else
      units.push_back(
          unitOfSource(sourceRequest(request, source, request.archVersion, false), findClang(), *cache, library.diagnostics));
}

} // namespace

Library linkCodelets(const std::vector<CompileRequest>& requests, std::string* diagnostics) {
  Library library;
  std::vector<Unit> units;
  try {
    for (const CompileRequest& request : requests) addUnits(request, library, units);
    if (requests.empty()) return library;
    requireDistinct(units);
    LateCache cache(requests[0].cache);
    for (const Unit& unit : linked(std::move(units), cache, library.diagnostics)) addCodelets(unit, library);
  } catch (const Error&) {
    if (diagnostics) *diagnostics = library.diagnostics;
    throw;
  }
  return library;
}

Library compileCodelets(const CompileRequest& request) {
  Library library = linkCodelets({request});
  if (!library.missing.empty()) throw MissingSymbols(library.missing, request.sources.at(0).string());
  return library;
}

Library loadGp(const fs::path& file, int archVersion) {
  CompileRequest request;
  request.sources = {file};
  request.archVersion = archVersion;
  return compileCodelets(request);
}

std::string compileGp(const CompileRequest& request, const std::vector<int>& archVersions, std::string& diagnostics) {
  LateCache cache(request.cache);
  std::vector<Unit> units;
  for (const int version : archVersions) {
    std::vector<Unit> ofVersion;
    std::vector<fs::path> others;
    for (const fs::path& source : request.sources)
      if (isGp(source)) {
        const std::size_t before = ofVersion.size();
        for (Unit& unit : readGp(source))
          if (unit.archVersion == version) ofVersion.push_back(std::move(unit));
        if (ofVersion.size() == before) others.push_back(source);
      } else {
        ofVersion.push_back(unitOfSource(sourceRequest(request, source, version, true), findClang(), *cache, diagnostics));
      }
    if (!ofVersion.empty())
      for (const fs::path& file : others)
        diagnostics += fmt::format("warning: {} has no codelets for version {} of the architecture: they are missing there\n",
                                   file.string(), version);
    requireDistinct(ofVersion);
    for (Unit& unit : linked(std::move(ofVersion), cache, diagnostics)) units.push_back(std::move(unit));
  }
  for (const fs::path& source : request.sources) // also for architectures that were not asked for
    if (isGp(source))
      for (Unit& unit : readGp(source))
        if (std::find(archVersions.begin(), archVersions.end(), unit.archVersion) == archVersions.end())
          units.push_back(std::move(unit));
  return packUnits(units);
}

std::string compileIr(const CompileRequest& request, std::string& diagnostics) {
  const CodeCache cache(request.cache);
  return irOfSource(sourceRequest(request, request.sources.at(0), request.archVersion, false), findClang(), cache, diagnostics);
}

} // namespace simcore::native
