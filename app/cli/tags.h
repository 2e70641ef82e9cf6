// Tags of a run: its commit, its learning rate, its job number. The report stores them in its metadata as "tag.<name>"; Summary
// shows them, Compare compares them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace app::cli {

inline constexpr const char* kTagHelp =
    "KEY=VALUE: a tag, as commit=1f3a; kept in the report, shown and compared; may be repeated";
inline constexpr const char* kTagFileHelp = "JSON file with an object of tags; parts of inner objects are called outer.inner";

// The tags by metadata key. `words` have the form KEY=VALUE and override equal names in `file` (may be empty). Throws Error:
// InvalidInput for a word of another form, a file without a JSON object, a name that is empty or has control characters, a
// duplicate name, and more than 1,000 tags or 1 MiB; NotFound and Io for the file.
std::map<std::string, std::string> readTags(const std::vector<std::string>& words, const std::string& file);

} // namespace app::cli
