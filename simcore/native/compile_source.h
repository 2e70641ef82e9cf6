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

// A function missing in this source; another source of the same call may have it.
class MissingFunction : public reports::Error {
public:
  using Error::Error;
};

// Warnings of the compiler go to `diagnostics`. Throws Error: InvalidInput with file and line if the source does not compile,
// Unsupported for assembly, or if the compiler crashes or takes too long,
// MissingFunction.
Unit compileSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

// The same from the cache if the source has not changed since; else an empty unit.
Unit cachedUnit(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache);
void keepUnit(const SourceRequest& request, const Unit& unit, const ClangTool& clang, const CodeCache& cache);

// Optimised LLVM IR as text: for -S and --emit-llvm.
std::string irOfSource(const SourceRequest& request, const ClangTool& clang, const CodeCache& cache, std::string& diagnostics);

bool hasHalfInstructions(); // of this processor

} // namespace simcore::native
