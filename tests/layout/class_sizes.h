// The size rule for classes: how many methods each class in a header of ours declares. A method is a function declared in the class
// that is not a constructor, destructor, override, signal, friend, or defaulted or deleted.
#pragma once

#include "tests/layout/source_file.h"

namespace layout {

struct ClassSize {
  std::string name;
  int line = 0; // where its declaration begins
  int methods = 0;
};

// Every class and struct a text defines, nested ones too, in the order in which they end.
std::vector<ClassSize> classSizes(std::string_view text);
std::vector<Violation> checkClassSizes(const std::vector<SourceFile>& files);

} // namespace layout
