// Codelets from files: the interface of this module. Compiling and loading run code, so only the user can name a file of codelets;
// reports, models and links cannot.
#pragma once

#include "simcore/graph/codelet.h"

#include <filesystem>
#include <string>
#include <vector>

namespace simcore::native {

struct CompileRequest {
  std::vector<std::filesystem::path> sources; // C++, or .gp files of tilescope-popc
  std::vector<std::string> flags;             // -I, -D, -U, -include, -std, -W, -f; -O and -g have no effect
  int archVersion = 2;                        // __IPU_ARCH_VERSION__: 1, 2 or 21
  std::filesystem::path cache = {};           // empty: below $XDG_CACHE_HOME
};

struct Library {
  std::vector<graph::Codelet> codelets; // each with a native body, unless symbols are missing
  std::vector<std::string> missing;     // functions and variables that no file defines
  std::string diagnostics;              // warnings of the compiler
  std::string warnings;                 // of this module
};

// Throws reports::Error with file and line for code that does not compile, is missing or cannot run here.
Library compileCodelets(const CompileRequest& request);
// Compiles the requests of several calls together. Files share functions and globals if one uses symbols of another. Symbols may
// stay missing, because a later file may define them. `diagnostics` gets the compiler's messages if this throws; else they are in
// the library.
Library linkCodelets(const std::vector<CompileRequest>& requests, std::string* diagnostics = nullptr);
// The codelets of a .gp file; needs no compiler unless it was made on another kind of processor.
Library loadGp(const std::filesystem::path& file, int archVersion = 2);
// The bytes of a .gp file, in which symbols may be missing. `archVersions`: one compilation each.
std::string compileGp(const CompileRequest& request, const std::vector<int>& archVersions, std::string& diagnostics);
// LLVM IR as text, of one source.
std::string compileIr(const CompileRequest& request, std::string& diagnostics);

} // namespace simcore::native
