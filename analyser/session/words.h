// Titles inside sentences, and names of kinds.
#pragma once

#include <cctype>
#include <string>

namespace analyser {

// "Vertex code" becomes "vertex code"; "IPU 3" stays.
inline std::string lowerFirst(std::string title) {
  const auto isUpper = [&](std::size_t at) { return at < title.size() && std::isupper(static_cast<unsigned char>(title[at])); };
  if (isUpper(0) && !isUpper(1)) title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  return title;
}

// The kind of an operation as its operators are named. Reports of earlier versions name four of them otherwise.
inline std::string operatorName(std::string kind) {
  if (kind == "interIpuCopy") return "IpuCopy";
  if (kind == "outlining") return "CallCopy";
  if (kind == "stash") return "Stash";
  if (kind == "restore") return "Restore";
  return kind;
}

} // namespace analyser
