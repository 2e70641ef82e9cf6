// Folders of the user who runs this program, for files that are kept between two runs and can be made again.
#pragma once

#include <filesystem>
#include <string_view>

namespace reports {

// "tilescope/NAME" below $XDG_CACHE_HOME or ~/.cache; `what` describes its contents in errors ("copies"). The folder need not
// exist. It is never below a shared folder for temporary files. Throws Error(NotFound) if the home folder is unknown.
std::filesystem::path cacheFolder(std::string_view name, std::string_view what);
// Makes a folder for its owner alone. Throws Error(Io) if it cannot be made, is a link, or belongs to another user.
void requirePrivateFolder(const std::filesystem::path& folder, std::string_view what);

} // namespace reports
