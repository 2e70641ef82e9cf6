// The kinds of codelet files.
#pragma once

#include "poplar/StringRef.hpp"

#include <ostream>
#include <string>

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
std::string getExtensionFromFileType(CodeletFileType type); // ".cpp"; "" for Auto
std::string getLanguageOption(CodeletFileType type);        // for a compiler: "-x c++"
std::ostream& operator<<(std::ostream& out, const CodeletFileType& type);

} // namespace poplar
