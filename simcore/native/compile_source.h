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
  std::string text = {}; // compiled instead of the file, if not empty: a source that was already preprocessed
};

// From the cache if the source has not changed since; else compiled, with the compiler's warnings in `diagnostics`. A source that uses symbols
// of another one is a unit without a library. Throws Error: InvalidInput with file and line if the source does not compile, Unsupported for
// assembly, or if the compiler crashes or takes too long.
Unit unitOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

// One unit with the vertices of all, whose functions and globals they share. Its library is missing if symbols still are. Throws Error.
Unit combinedUnit(const std::vector<Unit>& units, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

// Optimised LLVM IR as text: for -S and --emit-llvm.
std::string irOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

bool hasHalfInstructions(); // of this processor

} // namespace simcore::native
