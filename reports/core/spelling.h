// Spelling variants of names: "vertexCycles", "vertex-cycles" and "Vertex cycles" are one name. For names that are looked up in a
// short closed list; stored and shown names keep their spelling.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reports {

// Lower case, without spaces, dashes and underscores.
std::string plainSpelling(std::string_view name);
inline bool sameName(std::string_view a, std::string_view b) { return plainSpelling(a) == plainSpelling(b); }
// The candidate that was probably meant: it differs by at most two letters, and by fewer than half of them. Empty without one.
std::string likelyMeant(std::string_view name, const std::vector<std::string>& candidates);
// At most `most` candidates similar to the name: those that contain it or are contained in it, then those that begin like it or
// differ in fewer than half of the letters. May be empty.
std::vector<std::string> nearestNames(std::string_view name, const std::vector<std::string>& candidates, std::size_t most);

} // namespace reports
