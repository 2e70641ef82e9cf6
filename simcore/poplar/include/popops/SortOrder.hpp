// Orders of results.
#pragma once

#include <iosfwd>

namespace popops {

enum class SortOrder { NONE, ASCENDING, DESCENDING };
std::ostream& operator<<(std::ostream& out, const SortOrder& order);

} // namespace popops
