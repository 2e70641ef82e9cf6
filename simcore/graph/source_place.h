// The place in the source code where something was made, as a debug context tells it.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace simcore::graph {

// Of what no user's code asked for by itself, e.g. the stages of a library call.
inline constexpr std::source_location kNoSource{};

inline bool isKnown(const std::source_location& source) { return source.line() != 0; }
// "simcore/samples/bert.cpp": files of this program without the folder it was built in, others as the compiler names them.
std::string fileOf(const std::source_location& source);
// "embeddings" of "std::string simcore::samples::{anonymous}::embeddings(Network&, int)"; empty where there is none.
std::string functionName(std::string_view signature);

// The JSON object `details` (or none) with {"source": {"file", "line", "function"}}. Unchanged if the place is not known.
std::string withSource(const std::string& details, const std::source_location& source);

} // namespace simcore::graph
