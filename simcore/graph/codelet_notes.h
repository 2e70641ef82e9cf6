// Messages of the codelet compiler for the program's author. They are stored beside the code: NativeBody::library points to a
// CodeletLibrary, if set.
#pragma once

#include "simcore/graph/codelet.h"

#include <set>

namespace simcore::graph {

struct CodeletNotes {
  std::vector<std::string> unpriced;      // functions and types in its code without known cycles
  std::set<std::string> withInitialisers; // members whose initialiser has no effect, because no constructor runs
};

struct CodeletLibrary {
  std::shared_ptr<void> code;
  std::map<std::string, CodeletNotes> notes; // by codelet name
};

inline const CodeletNotes& notesOf(const Codelet& codelet) {
  static const CodeletNotes none;
  const auto* const library = codelet.native ? static_cast<const CodeletLibrary*>(codelet.native->library.get()) : nullptr;
  if (!library) return none;
  const auto it = library->notes.find(codelet.name);
  return it == library->notes.end() ? none : it->second;
}

} // namespace simcore::graph
