// The kinds of codelet files.
#pragma once

#include "poplar/StringRef.hpp"

#include <ostream>

namespace poplar {

enum class CodeletFileType {
  PreprocessedAsmSource,
  AsmSource,
  CSource,
  CppSource,
  IrSource,
  Object,
  Auto // by the suffix of its name
};
CodeletFileType getCodeletFileType(StringRef path);
std::ostream& operator<<(std::ostream& out, const CodeletFileType& type);

} // namespace poplar
