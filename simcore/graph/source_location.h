// Source location of a variable or program, for its debug context. Not every supported compiler has std::source_location.
#pragma once

#include <string>

namespace simcore::graph {

struct SourceLocation {
  const char* file = ""; // file name as the compiler has it
  const char* function = "";
  int line = 0; // 0: not known

  // The caller's location. As a default argument: the location of the caller's caller.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                                          int line = __builtin_LINE()) {
    return {file, function, line};
  }
  bool isKnown() const { return line > 0; }
  // "simcore/samples/bert.cpp": the file name without the build folder, for files of this program.
  std::string fileOfRepository() const;
};

// For stages of a library call and everything else without a line in the user's program.
inline constexpr SourceLocation kNoSource{};

// Adds {"source": {"file", "line", "function"}} to the JSON object `details`, which may be empty. Returns it unchanged if the
// location is unknown or the object has a source. Throws Error(InvalidInput) if the text is not a JSON object.
std::string withSource(const std::string& details, const SourceLocation& source);

} // namespace simcore::graph
