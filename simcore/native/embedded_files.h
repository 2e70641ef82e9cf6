// The files of simcore/native/include (headers for codelets, the runtime of the builtins) as part of the program, so that a
// codelet compiles wherever the program runs.
#pragma once

#include <string_view>
#include <vector>

namespace simcore::native {

struct EmbeddedFile {
  const char* path; // below the folder of headers
  std::string_view text;
};

const std::vector<EmbeddedFile>& embeddedFiles();

} // namespace simcore::native
