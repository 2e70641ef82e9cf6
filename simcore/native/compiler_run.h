// The child processes of one compilation: their scratch folder, and the errors that the compiler's messages become.
#pragma once

#include "reports/core/error.h"
#include "simcore/native/clang_tool.h"
#include "simcore/native/unit.h"

#include <future>
#include <string>
#include <vector>

namespace simcore::native {

using Words = std::vector<std::string>;

template<class... More> Words joined(Words first, const More&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

// Symbols that neither the linked sources nor the runtime of codelets defines.
class MissingSymbols : public reports::Error {
public:
  MissingSymbols(std::vector<std::string> names, const std::string& where);
  const std::vector<std::string>& names() const { return m_names; }

private:
  std::vector<std::string> m_names;
};

class CompilerRun {
public:
  // `source` is named in errors.
  CompilerRun(const ClangTool& tool, const CodeCache& kept, std::string source, std::string& messages)
      : clang(tool), cache(kept), where(std::move(source)), diagnostics(messages), scratch(kept.folder()) {}

  // A child process that runs in parallel to this thread.
  struct Step {
    const char* what;
    std::future<ChildResult> result;
  };
  Step started(const Words& words, const char* what);
  // Warnings go to `diagnostics`. Throws Error with the first complaint: InvalidInput with file and line if the source is wrong,
  // Unsupported for assembly or if the compiler crashes or takes too long. Throws MissingSymbols for undefined symbols.
  void finish(Step& step);
  void finishSilently(Step& step); // drops warnings, because generated code has no lines of the user's
  void child(const Words& words, const char* what);
  // Text of the IR after optimisation with machineFlags(); loops stay scalar where the machine's compiler would not vectorise
  // them.
  std::string optimised(const std::string& ir);
  // Path of lld, which links faster, if installed; else empty.
  std::string lld() const;

  const ClangTool& clang;
  const CodeCache& cache;
  const std::string where;
  std::string& diagnostics;
  const ScratchFolder scratch;

private:
  std::string optimisedOnce(const std::string& ir);

  int m_steps = 0;
};

} // namespace simcore::native
