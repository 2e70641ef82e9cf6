#include "app/cli/fetch_command.h"

#include "analyser/session/format.h"
#include "app/cli/options.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ostream>

namespace app::cli {

namespace {
// A file for ssh's -F, for users whose configuration is elsewhere.
std::string configurationFromEnvironment() {
  const char* file = std::getenv("TILESCOPE_SSH_CONFIG");
  return file ? file : "";
}
// Whether the value of this option is an output file or folder.
bool writes(const std::string& option) {
  for (const char* name : {"-o", "--output", "--report", "--outputs", "--save-model", "--folder"})
    if (option == name) return true;
  return false;
}
} // namespace

void FetchCommand::declare(Options& command) {
  command.addOption("PLACE", m_place, "ssh://[user@]host[:port]/path; /~/ begins at the home folder").required().check(isNamed());
  command.addFlag("--list", m_list, "list the folder (or the file): size in bytes, time, name");
  command.addFlag("--json", m_json,
                  "with --list: name, address, kind (file, folder, link), bytes and time of each entry as JSON");
  command.addFlag("--reload", m_reload, "copy again, whatever the cache holds");
  command.addOption("--ssh-config", m_configuration, "configuration file for ssh, in place of the user's");
  declareProgress(command, m_progress);
}

int FetchCommand::run(Context& context) {
  const RemotePlace place = parseRemote(m_place);
  const RemoteFiles files(RemoteFiles::usualCache(), m_configuration.empty() ? configurationFromEnvironment() : m_configuration);
  if (m_list) {
    printList(context, place, files.list(place, context.stop));
    return kDone;
  }
  const auto copy = [&] {
    const auto progress = makeProgress(context, m_progress);
    return files.fetch(place, m_reload, *progress, context.stop);
  }();
  context.out << copy.string() << "\n";
  return kDone;
}

void FetchCommand::printList(Context& context, const RemotePlace& place, const std::vector<RemoteEntry>& entries) const {
  if (!m_json) {
    for (const RemoteEntry& entry : entries)
      context.out << entry.bytes << '\t' << analyser::printable(entry.modified) << '\t' << analyser::printable(entry.name)
                  << (entry.isFolder ? "/" : "") << "\n";
    return;
  }
  auto list = nlohmann::ordered_json::array();
  for (const RemoteEntry& entry : entries)
    list.push_back({{"name", entry.name},
                    {"address", RemoteFiles::placeOf(place, entry).address()},
                    {"kind", entry.isFolder ? "folder"
                             : entry.isLink ? "link"
                                            : "file"},
                    {"bytes", entry.bytes},
                    {"modified", entry.modifiedIso}});
  context.out << reports::jsonText(list, 2) << "\n";
}

std::vector<std::string> withLocalCopies(std::vector<std::string> arguments, const Context& context) {
  if (arguments.empty() || arguments[0] == "fetch") return arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].starts_with("--") ? arguments[i].find('=') : std::string::npos;
    const std::string value = equals == std::string::npos ? arguments[i] : arguments[i].substr(equals + 1);
    if (!isRemote(value)) continue;
    const RemotePlace place = parseRemote(value);
    if (writes(equals == std::string::npos ? arguments[i - 1] : arguments[i].substr(0, equals)))
      throw reports::Error(reports::ErrorCode::InvalidInput, "files on other computers can only be read", place.text(),
                           "write to a local file and copy it");
    if (equals != std::string::npos) continue;
    const RemoteFiles files(RemoteFiles::usualCache(), configurationFromEnvironment());
    const auto progress = makeProgress(context, ProgressStyle::Automatic);
    arguments[i] = files.fetch(place, false, *progress, context.stop).string();
  }
  return arguments;
}

} // namespace app::cli
