// Source files of codelets that a program names. They are found and compiled, and found again when an executable is loaded.
#pragma once

#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/store/archive.h"

#include <string>
#include <vector>

namespace simcore::native {
struct Library;
}

namespace simcore::poplar {

// Searches `paths` in the working directory and beside the program; fills `found` and `digests`. Throws poplar::file_load_error.
void find(::poplar::CodeletFiles& files);
// Compiles and links all codelet files of a graph; symbols may be missing.
native::Library linked(const std::vector<::poplar::CodeletFiles>& files, const std::string& architecture,
                       std::string* diagnostics = nullptr);

// Writes the codelets of a graph: names, fields and source files. Throws Error(Unsupported) for codelets from a stream.
void writeCodelets(Archive& a, const graph::Graph& graph, const std::vector<::poplar::CodeletFiles>& files);
// Compiles the files, which must be unchanged, and adds the codelets. Throws poplar::file_load_error for a missing file,
// Error(NotFound) for a changed one.
void readCodelets(Archive& a, graph::Graph& graph, const std::string& architecture, std::vector<::poplar::CodeletFiles>& files);

} // namespace simcore::poplar
