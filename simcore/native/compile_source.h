// Compiles one source to a shared object and a table of its classes: runs the child processes and passes files between them.
#pragma once

#include "reports/core/error.h"
#include "simcore/native/clang_tool.h"
#include "simcore/native/unit.h"

#include <filesystem>
#include <string>
#include <vector>

namespace simcore::native {

struct SourceRequest {
  std::string source; // absolute path
  std::vector<std::string> flags;
  int archVersion = 2;
  bool keepPreprocessed = false;
  std::string text = {}; // if not empty, compiled instead of the file: the text of an already preprocessed source
};

// Returns the cached unit if the source is unchanged, else compiles it; `diagnostics` gets the compiler's warnings. If the source
// uses symbols of another source, the unit has no library. Throws Error: InvalidInput with file and line if the source does not
// compile, Unsupported for assembly, or if the compiler crashes or takes too long.
Unit unitOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

// Links units to one, so that they share functions and globals. The unit has no library if symbols are still missing. Throws
// Error.
Unit combinedUnit(const std::vector<Unit>& units, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

// Optimised LLVM IR as text: for -S and --emit-llvm.
std::string irOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

bool hasHalfInstructions(); // of this processor

} // namespace simcore::native
