#include "tests/layout/dependencies.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <stdexcept>

namespace layout {

namespace {

// A module may include itself and the modules named here; a folder name means all modules in the folder.
struct Module {
  std::string_view folder;
  std::vector<std::string_view> sees;
};

const std::vector<Module>& modules() {
  static const std::vector<Module> table = {
      {"reports/core", {}},
      {"reports/rows", {"reports/core"}},
      {"reports/sqlite", {"reports/core", "reports/rows"}},
      {"reports/recording", {"reports/core"}},
      {"reports/exchange", {"reports/core", "reports/rows", "reports/sqlite", "reports/recording"}},

      {"simcore/arch", {"reports/core", "reports/rows"}},
      {"simcore/numerics", {"reports/core", "reports/recording"}},
      {"simcore/graph", {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics"}},
      {"simcore/codelets", {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics", "simcore/graph"}},
      {"simcore/ops", {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets"}},
      // The folders of simcore/model: operators are written in terms of the three views of a node, so graph/, lowering/ and
      // training/ see none of them.
      // The nodes of a model use only source locations from simcore/graph (decision 049).
      {"simcore/model/graph", {"reports/core", "simcore/numerics", "simcore/graph"}},
      {"simcore/model/lowering",
       {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets", "simcore/ops",
        "simcore/model/graph"}},
      {"simcore/model/training",
       {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets", "simcore/ops",
        "simcore/model/graph", "simcore/model/lowering"}},
      {"simcore/model/operators",
       {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets", "simcore/ops",
        "simcore/model/graph", "simcore/model/lowering", "simcore/model/training"}},
      {"simcore/fusion", {"reports/core", "simcore/numerics", "simcore/model/graph", "simcore/model/operators"}},
      {"simcore/onnx", {"reports/core", "simcore/numerics", "simcore/model/graph"}},
      {"simcore/placement",
       {"reports/core", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets", "simcore/ops",
        "simcore/model/graph", "simcore/model/lowering", "simcore/model/training"}},
      {"simcore/prepare", {"reports/core", "simcore/numerics", "simcore/model/graph", "simcore/fusion", "simcore/onnx"}},
      {"simcore/compile",
       {"reports/core", "reports/rows", "reports/recording", "simcore/arch", "simcore/numerics", "simcore/graph",
        "simcore/codelets"}},
      {"simcore/run",
       {"reports/core", "reports/rows", "reports/recording", "simcore/arch", "simcore/numerics", "simcore/graph",
        "simcore/codelets", "simcore/compile"}},
      {"simcore/native", {"reports/core", "simcore/arch", "simcore/numerics", "simcore/graph"}},
      // The public classes of Poplar on top of our modules; only the library made from them may include them.
      {"simcore/poplar",
       {"reports/core", "reports/rows", "reports/recording", "simcore/arch", "simcore/numerics", "simcore/graph",
        "simcore/codelets", "simcore/ops", "simcore/compile", "simcore/run", "simcore/native"}},
      {"simcore/samples",
       {"reports/core", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets", "simcore/ops", "simcore/model",
        "simcore/placement"}},
      {"simcore/validation",
       {"reports/core", "reports/rows", "simcore/arch", "simcore/numerics", "simcore/graph", "simcore/codelets", "simcore/ops",
        "simcore/compile", "simcore/run", "simcore/samples"}},

      {"analyser/columns", {"reports/core"}}, // every module above describes its tables with it
      {"analyser/session", {"reports"}},
      {"analyser/memory", {"reports", "analyser/columns", "analyser/session"}},
      {"analyser/liveness", {"reports", "analyser/columns", "analyser/session"}},
      {"analyser/program", {"reports", "analyser/columns", "analyser/session"}},
      {"analyser/operations", {"reports", "analyser/columns", "analyser/session", "analyser/program", "analyser/trace"}},
      {"analyser/trace", {"reports", "analyser/columns", "analyser/session"}},
      {"analyser/query", {"reports", "analyser/columns", "analyser/session"}},
      {"analyser/host", {"reports", "analyser/columns", "analyser/session", "analyser/trace"}},
      {"analyser/summary",
       {"reports", "analyser/columns", "analyser/session", "analyser/memory", "analyser/operations", "analyser/trace"}},
      {"analyser/compare",
       {"reports", "analyser/columns", "analyser/session", "analyser/summary", "analyser/memory", "analyser/liveness",
        "analyser/operations", "analyser/program", "analyser/trace", "analyser/host", "analyser/insights"}},
      {"analyser/sweep", {"reports", "analyser/columns", "analyser/session", "analyser/summary"}},
      {"analyser/trials", {"reports", "analyser/session"}},
      {"analyser/insights",
       {"reports", "analyser/columns", "analyser/session", "analyser/trials", "analyser/summary", "analyser/memory",
        "analyser/liveness", "analyser/operations", "analyser/program", "analyser/trace", "analyser/host"}},
      {"analyser/tables",
       {"reports", "analyser/columns", "analyser/session", "analyser/query", "analyser/insights", "analyser/memory",
        "analyser/liveness", "analyser/operations", "analyser/program", "analyser/trace", "analyser/host"}},
      {"analyser/html",
       {"reports", "analyser/columns", "analyser/session", "analyser/insights", "analyser/summary", "analyser/memory",
        "analyser/liveness", "analyser/operations", "analyser/program", "analyser/trace", "analyser/host"}},

      {"ui/theme", {"reports/core", "analyser/session"}},
      {"ui/jobs", {"reports/core"}},
      {"ui/plot", {"reports/core", "analyser", "ui/theme", "ui/jobs"}},
      {"ui/tables", {"reports/core", "analyser", "ui/theme", "ui/jobs"}},
      {"ui/state", {"reports/core", "analyser", "ui/theme"}},
      {"ui/parts", {"reports/core", "analyser", "ui/theme", "ui/jobs", "ui/plot", "ui/tables", "ui/state"}},
      {"ui/runs", {"reports/core", "analyser", "ui/theme", "ui/jobs", "ui/plot", "ui/tables", "ui/state", "ui/parts"}},
      {"ui/window",
       {"reports/core", "analyser", "ui/theme", "ui/jobs", "ui/plot", "ui/tables", "ui/state", "ui/parts", "ui/runs"}},
      {"ui/views",
       {"reports/core", "analyser", "ui/theme", "ui/jobs", "ui/plot", "ui/tables", "ui/state", "ui/parts", "ui/runs"}},

      {"app/cli", {"reports", "simcore", "analyser"}},
      // The options, and the code from a model to a workload, come from the command line.
      {"app/capi", {"reports", "simcore", "app/cli"}},
      {"app/popc", {"reports/core", "simcore/native"}},
      {"app/sdk", {"reports", "analyser", "simcore/poplar"}},
      {"app/gui", {"reports", "simcore", "analyser", "ui"}},
      {"tests", {"reports", "simcore", "analyser", "ui", "app"}},
  };
  return table;
}

const Module* moduleOf(std::string_view path) {
  for (const Module& module : modules())
    if (startsWithFolder(path, module.folder)) return &module;
  return nullptr;
}

// Public headers have the names that programs use: poplar/Graph.hpp. Codelets have their own headers with such names.
std::string publicHeader(std::string_view file, const std::string& name) {
  if (startsWithFolder(file, "simcore/native") || !name.ends_with(".hpp")) return {};
  for (const char* folder :
       {"poplar", "poputil", "popops", "poplin", "popnn", "poprand", "popsparse", "popfloat", "gcl", "pva", "pvti"})
    if (startsWithFolder(name, folder)) return "simcore/poplar/include/" + name;
  return {};
}

bool isLayer(std::string_view path) {
  for (const char* layer : {"app", "analyser", "simcore", "reports", "ui", "tests"})
    if (startsWithFolder(path, layer)) return true;
  return false;
}

// ui/views/memory/x.h -> ui/views/memory
std::string_view viewOf(std::string_view path) {
  constexpr std::string_view kViews = "ui/views/";
  if (!path.starts_with(kViews)) return {};
  return path.substr(0, std::min(path.find('/', kViews.size()), path.size()));
}

// The folders of a large module, in levels: a folder sees itself and those of earlier levels. Files beside the folders are seen by
// all and see all.
struct FolderLevels {
  std::string_view module;
  std::vector<std::vector<std::string_view>> levels;
};

const std::vector<FolderLevels>& folderLevels() {
  static const std::vector<FolderLevels> table = {
      {"simcore/ops",
       {{"plan"},
        {"cells"},
        {"elementwise", "move", "sparse", "collective"},
        {"reduce"},
        {"slice"},
        {"pool", "sort"},
        {"conv"},
        {"linalg", "network", "program", "vision"}}},
  };
  return table;
}

// module/folder/file -> folder; empty for a file beside the folders.
std::string_view folderIn(std::string_view module, std::string_view path) {
  path.remove_prefix(module.size() + 1);
  const std::size_t end = path.find('/');
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

// The fault of this include between folders of one module; empty if it is allowed.
std::string faultOfFolders(std::string_view module, std::string_view path, std::string_view target) {
  for (const FolderLevels& order : folderLevels()) {
    if (order.module != module) continue;
    const std::string_view from = folderIn(module, path), to = folderIn(module, target);
    if (from.empty() || to.empty() || from == to) return {};
    const auto levelOf = [&](std::string_view folder) {
      for (std::size_t i = 0; i < order.levels.size(); ++i)
        for (std::string_view known : order.levels[i])
          if (known == folder) return int(i);
      return -1;
    };
    for (std::string_view folder : {from, to})
      if (levelOf(folder) < 0)
        return std::string(module) + "/" + std::string(folder) + " is a folder that tests/layout/dependencies.cpp does not know";
    if (levelOf(to) >= levelOf(from))
      return "wrong dependency inside " + std::string(module) + ": " + std::string(from) + " may not see " + std::string(to) +
             " (" + std::string(target) + ")";
  }
  return {};
}

// A library, identified by its header names, and the only modules that may include it.
struct Library {
  std::string_view name;
  std::vector<std::string_view> headers; // prefixes of the included name
  std::vector<std::string_view> modules;
  bool sourcesOnly; // never in a header of ours
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> table = {
      {"QCustomPlot", {"qcustomplot"}, {"ui/plot", "ui/views/query", "tests/ui"}, false}, // its header costs 4 s
      {"nlohmann_json", {"nlohmann/json.hpp"}, {"app", "analyser", "simcore", "reports", "ui", "tests"}, true},
      {"SQLite", {"sqlite3"}, {"reports/sqlite", "tests"}, false},
      {"ONNX messages", {"onnx/"}, {"simcore/onnx", "tests"}, false},
      {"protobuf", {"google/protobuf"}, {"simcore/onnx", "reports/exchange", "tests"}, true},
      {"utf8cpp", {"utf8cpp/", "utf8.h"}, {"reports/core"}, true},
      {"zlib and zstd", {"zlib", "zstd"}, {"reports/core", "reports/exchange", "tests"}, true},
      {"oneDNN", {"dnnl", "oneapi/dnnl"}, {"simcore/numerics", "tests"}, false},
      {"Eigen", {"Eigen/", "unsupported/Eigen/"}, {"simcore/numerics", "tests"}, false},
      {"CLI11", {"CLI/"}, {"app/cli", "tests"}, false},
  };
  return table;
}

bool isQt(std::string_view header) {
  return header.size() > 1 && header[0] == 'Q' && std::isupper(static_cast<unsigned char>(header[1])) ? true
                                                                                                      : header.starts_with("Qt");
}

// The fault of this include in this file; empty if it is allowed.
std::string faultOfOwn(const SourceFile& file, const Module& module, const std::string& target) {
  if (target.ends_with(".moc")) return {};
  const Module* other = moduleOf(target);
  if (!other)
    return isLayer(target) ? target + " is in a module that tests/layout/dependencies.cpp does not know"
                           : "\"" + target + "\" is not named from the root of the repository";
  if (module.folder == other->folder) {
    if (module.folder == "ui/views" && viewOf(file.path) != viewOf(target))
      return "views never include one another: " + std::string(viewOf(file.path)) + " -> " + target;
    return faultOfFolders(module.folder, file.path, target);
  }
  for (std::string_view seen : module.sees)
    if (startsWithFolder(other->folder, seen)) return {};
  return "wrong dependency: " + std::string(module.folder) + " may not see " + std::string(other->folder) + " (" + target + ")";
}

std::string faultOfForeign(const SourceFile& file, const std::string& header) {
  if (isQt(header)) {
    for (const char* module : {"ui", "app/gui", "tests"})
      if (startsWithFolder(file.path, module)) return {};
    return "no Qt here: <" + header + ">";
  }
  for (const Library& library : libraries()) {
    for (std::string_view prefix : library.headers) {
      if (!header.starts_with(prefix)) continue;
      bool allowed = false;
      for (std::string_view module : library.modules) allowed = allowed || startsWithFolder(file.path, module);
      if (!allowed) return std::string(library.name) + " is not for this module: <" + header + ">";
      if (library.sourcesOnly && isHeader(file) && !startsWithFolder(file.path, "tests"))
        return std::string(library.name) + " stays in .cpp files: <" + header + ">";
    }
  }
  return {};
}

} // namespace

std::vector<Violation> checkDependencies(const std::vector<SourceFile>& files) {
  std::vector<Violation> found;
  for (const SourceFile& file : files) {
    if (!isSource(file)) continue;
    const Module* module = moduleOf(file.path);
    if (!module) {
      if (isLayer(file.path)) found.push_back({file.path, 0, "in a module that tests/layout/dependencies.cpp does not know"});
      continue;
    }
    for (const Line& line : linesOf(file.text)) {
      const auto include = includeIn(line.text);
      if (!include) continue;
      if (const std::string target = publicHeader(file.path, include->name); !target.empty()) {
        if (const std::string fault = faultOfOwn(file, *module, target); !fault.empty())
          found.push_back({file.path, line.number, fault});
        continue;
      }
      const bool own =
          isLayer(include->name) || (include->quoted && !isQt(include->name) && !include->name.starts_with("qcustomplot"));
      const std::string fault = own ? faultOfOwn(file, *module, include->name) : faultOfForeign(file, include->name);
      if (!fault.empty()) found.push_back({file.path, line.number, fault});
    }
  }
  return found;
}

std::vector<Violation> checkModules(const std::vector<SourceFile>& files) {
  std::vector<Violation> found;
  for (const Module& module : modules())
    if (std::none_of(files.begin(), files.end(),
                     [&](const SourceFile& file) { return startsWithFolder(file.path, module.folder); }))
      found.push_back(
          {std::string(module.folder), 0, "is in the table of tests/layout/dependencies.cpp, but the module does not exist"});
  return found;
}

std::vector<Violation> checkNoQt(const std::string& program, const std::string& listing) {
  if (listing.find("libc.so") == std::string::npos)
    throw std::runtime_error("ldd lists no C library for " + program + ": " + listing);
  std::vector<Violation> found;
  for (const Line& line : linesOf(listing))
    for (const char* library : {"libQt", "libqcustomplot", "libQCustomPlot"})
      if (line.text.find(library) != std::string_view::npos) found.push_back({program, 0, "links Qt:" + std::string(line.text)});
  return found;
}

} // namespace layout
