// Findings of the compiler of codelets for the program's author. Kept beside the code: NativeBody::library points to a
// CodeletLibrary, if it is set.
#pragma once

#include "simcore/graph/codelet.h"

#include <set>

namespace simcore::graph {

struct CodeletNotes {
  std::vector<std::string> unpriced;      // functions and types in its code whose cycles are not known
  std::set<std::string> withInitialisers; // members whose initialiser has no effect, because no constructor runs
};

struct CodeletLibrary {
  std::shared_ptr<void> code;
  std::map<std::string, CodeletNotes> notes; // by name of the codelet
};

inline const CodeletNotes& notesOf(const Codelet& codelet) {
  static const CodeletNotes none;
  const auto* const library = codelet.native ? static_cast<const CodeletLibrary*>(codelet.native->library.get()) : nullptr;
  if (!library) return none;
  const auto it = library->notes.find(codelet.name);
  return it == library->notes.end() ? none : it->second;
}

} // namespace simcore::graph
