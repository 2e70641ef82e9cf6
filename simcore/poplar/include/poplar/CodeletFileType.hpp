// What a file of codelets is.
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
  Auto // what the end of its name says
};
CodeletFileType getCodeletFileType(StringRef path);
std::ostream& operator<<(std::ostream& out, const CodeletFileType& type);

} // namespace poplar
