// Counts in the metadata of a report, which are stored as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace analyser {

class Session;

// Nothing if the key is missing, or if its value is not a whole number of at least 0.
std::optional<int64_t> metadataCount(const Session& session, const std::string& key);

} // namespace analyser
