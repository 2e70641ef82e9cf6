// One compiled source as stored in the cache and in a .gp file: the shared object, a description of its classes, and its source.
// Our own file format: a line that names the format, a header in JSON, the bytes.
#pragma once

#include "simcore/native/vertex_class.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct Unit {
  struct Entry {
    VertexClass vertex;
    std::string symbol;  // bool symbol(void* vertex, unsigned worker)
    std::string counted; // the form of `symbol` that counts cycles; empty: not countable
    bool dependsOnData = true;
    std::vector<std::string> unpriced = {}; // functions and types whose cycles are not known
  };
  struct Global {
    std::string addressFunction;
    int64_t bytes = 0;
  };
  struct Dependency {
    std::string path, digest;
  };
  std::string source; // its path
  int archVersion = 2;
  std::vector<std::string> flags; // of the user
  std::string compiler;           // ClangTool::identity
  bool needsHalfInstructions = false;
  bool asksMachine = false;             // tile, worker, cycle counter, random numbers, printing, assertions
  std::vector<Dependency> dependencies; // files that it includes, except system headers
  std::vector<Entry> entries;
  std::vector<Global> globals;
  std::vector<std::string> missing; // symbols that no source defines; if there are any, `library` is empty
  std::string library;              // bytes of the shared object
  std::string ir;                   // before optimisation, for linking with other units
  std::string text;                 // of the source
  std::string preprocessed;         // compiles without the files it includes; empty in the cache
};

std::string digestOf(std::string_view bytes);

std::string packUnits(const std::vector<Unit>& units);
// `where` names the file in errors. Throws Error: InvalidInput (not such a file), Unsupported (of another release), Damaged.
std::vector<Unit> unpackUnits(std::string_view bytes, const std::string& where);

// The folder of compiled codelets, by default below $XDG_CACHE_HOME or ~/.cache, accessible only to its owner. Throws Error.
class CodeCache {
public:
  explicit CodeCache(std::filesystem::path folder); // empty: the usual one
  const std::filesystem::path& folder() const { return m_folder; }
  std::string read(const std::string& name) const;                   // empty if missing, or not a regular file of this user
  void write(const std::string& name, std::string_view bytes) const; // complete or not at all; a full disk is not an error

private:
  std::filesystem::path m_folder;
};

// A new folder that is removed with the object.
class ScratchFolder {
public:
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string operator/(const std::string& name) const { return (m_path / name).string(); }

private:
  std::filesystem::path m_path;
};

std::string fileText(const std::string& path);
void writeText(const std::string& path, std::string_view text); // throws Error(Io)

} // namespace simcore::native
