#include "simcore/poplar/store/codelet_files.h"

#include "simcore/native/library.h"
#include "simcore/native/unit.h"
#include "simcore/poplar/libs/vertices.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace simcore::poplar {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using CodeletFiles = ::poplar::CodeletFiles;

static void fields(Archive& a, CodeletFiles& f) { a(f.paths, f.found, f.digests, f.flags, f.codelets); }

namespace {

fs::path found(const std::string& path) {
  std::error_code none;
  if (fs::exists(path, none)) return fs::weakly_canonical(path);
  if (fs::path(path).is_relative()) {
    const fs::path beside = fs::read_symlink("/proc/self/exe", none).parent_path() / path;
    if (!none && fs::exists(beside, none)) return fs::weakly_canonical(beside);
  }
  throw ::poplar::file_load_error("cannot find the codelet file '" + path + "' (looked for it in " +
                                  fs::current_path(none).string() + " and beside the program)");
}

int archVersionOf(const std::string& architecture) { return architecture == "ipu1" ? 1 : architecture == "ipu21" ? 21 : 2; }

std::vector<std::string> fieldNames(const graph::Codelet& codelet) {
  std::vector<std::string> names;
  for (const auto& f : codelet.fields) names.push_back(f.name);
  for (const auto& s : codelet.state) names.push_back(s.name);
  return names;
}

// Finds the files under the names in the program, or at their former paths.
void findAgain(CodeletFiles& files) {
  if (files.paths.size() != files.found.size() || files.paths.size() != files.digests.size())
    Archive::refuse("a codelet has no file");
  for (std::size_t i = 0; i < files.paths.size(); ++i) {
    CodeletFiles one;
    one.paths = {files.paths[i]};
    std::error_code none;
    try {
      find(one);
    } catch (const ::poplar::file_load_error&) {
      one.paths = {files.found[i]};
      find(one);
    }
    if (one.digests[0] != files.digests[i] && fs::exists(files.found[i], none)) {
      one.paths = {files.found[i]};
      find(one);
    }
    if (one.digests[0] != files.digests[i])
      throw Error(ErrorCode::NotFound, "the codelets of the executable have changed since it was written", one.found[0],
                  "build the executable again");
    files.found[i] = one.found[0];
  }
}

} // namespace

void find(CodeletFiles& files) {
  for (const std::string& path : files.paths) {
    files.found.push_back(found(path).string());
    files.digests.push_back(native::digestOf(native::fileText(files.found.back())));
  }
}

native::Library linked(const std::vector<CodeletFiles>& files, const std::string& architecture, std::string* diagnostics) {
  std::vector<native::CompileRequest> requests;
  for (const CodeletFiles& f : files) {
    requests.emplace_back();
    requests.back().sources.assign(f.found.begin(), f.found.end());
    requests.back().flags = f.flags;
    requests.back().archVersion = archVersionOf(architecture);
  }
  return native::linkCodelets(requests, diagnostics);
}

void writeCodelets(Archive& a, const graph::Graph& graph, const std::vector<CodeletFiles>& files) {
  std::map<std::string, int> fileOf;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (files[f].isFromStream)
      throw Error(ErrorCode::Unsupported, "codelets that were added from a stream cannot be kept in a file", "executable",
                  "add them from a source or .gp file");
    for (const std::string& name : files[f].codelets) fileOf[name] = int(f);
  }
  std::vector<CodeletFiles> copy = files;
  std::size_t count = graph.codelets().size();
  a(copy, count);
  for (const auto& codelet : graph.codelets()) {
    const auto it = fileOf.find(codelet.name);
    int file = it == fileOf.end() ? -1 : it->second;
    std::string name = codelet.name;
    std::vector<std::string> names = fieldNames(codelet);
    a(file, name, names);
  }
}

void readCodelets(Archive& a, graph::Graph& graph, const std::string& architecture, std::vector<CodeletFiles>& files) {
  std::size_t count = 0;
  a(files, count);
  std::map<std::string, graph::Codelet> known;
  for (CodeletFiles& f : files) findAgain(f);
  for (auto& codelet : linked(files, architecture).codelets) known.emplace(codelet.name, std::move(codelet));
  for (std::size_t i = 0; i < count; ++i) {
    int file = -1;
    std::string name;
    std::vector<std::string> names;
    a(file, name, names);
    if (file < 0) {
      graph.addCodelet(libraryCodelet(graph.machine().tile, name));
    } else {
      const auto it = known.find(name);
      if (it == known.end()) Archive::refuse("a codelet is missing in its file");
      graph.addCodelet(std::move(it->second));
      known.erase(it);
    }
    if (fieldNames(graph.codelets().back()) != names) Archive::refuse("the fields of a codelet have changed");
  }
}

} // namespace simcore::poplar
