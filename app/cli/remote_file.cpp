#include "app/cli/remote_file.h"

#include "app/cli/child.h"
#include "reports/core/error.h"
#include "reports/core/text.h"
#include "reports/core/user_places.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

namespace app::cli {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr std::size_t kMostHost = 253, kMostUser = 64, kMostPath = 4096;
constexpr int kLookMs = 200;
constexpr const char* kWhat = "copies"; // the contents of the cache, for errors
constexpr int kOldestDays = 30;         // copies that were not used for this long are removed

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorCode::InvalidInput, why, reports::displayText(name, 200), "write ssh://[user@]host[:port]/path");
}

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}
bool isName(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && text.front() != '-' && std::all_of(text.begin(), text.end(), isNameCharacter);
}
bool isAddress6(std::string_view text) { // the text in [ ]
  return text.size() >= 2 && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return std::isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.';
         });
}

// Decodes %20 and the like.
std::string decoded(const std::string& name, std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    unsigned value = static_cast<unsigned char>(path[i]);
    if (path[i] == '%') {
      const auto digits = path.substr(i + 1, 2);
      const auto end = digits.data() + digits.size();
      if (digits.size() != 2 || std::from_chars(digits.data(), end, value, 16).ptr != end)
        refuse(name, "a % in the path is not followed by two hexadecimal digits");
      i += 2;
    }
    if (value < 0x20 || value == 0x7f) refuse(name, "the path holds a control character");
    out += char(value);
  }
  return out;
}

uint64_t hashOf(std::string_view text) { // FNV-1a: the same in every release
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string sftpProgram() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && access((folder + "/sftp").c_str(), X_OK) == 0) return folder + "/sftp";
  throw Error(ErrorCode::NotFound, "the program sftp is missing", "", "install OpenSSH's client (openssh-client)");
}

std::string contentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One process at a time fetches a file; the others wait, and find the copy.
class FolderLock {
public:
  FolderLock(const fs::path& folder, const std::stop_token& stop)
      : m_file(open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
    if (m_file < 0)
      throw Error(ErrorCode::Io, std::string("cannot be written: ") + std::strerror(errno), (folder / "lock").string());
    while (flock(m_file, LOCK_EX | LOCK_NB) != 0) {
      reports::throwIfStopped(stop);
      poll(nullptr, 0, kLookMs);
    }
  }
  ~FolderLock() { close(m_file); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

private:
  int m_file;
};

// A file of this process only, removed with the object.
struct Scratch {
  Scratch(const fs::path& folder, const char* name) {
    static std::atomic<int> made = 0;
    file = folder / fmt::format("{}.{}.{}", name, getpid(), ++made);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  fs::path file;
};

} // namespace

bool isRemote(const std::string& name) { return name.starts_with(kScheme); }

namespace {
std::string withPath(const RemotePlace& place, const std::string& path) {
  const std::string host = place.host.find(':') == std::string::npos ? place.host : "[" + place.host + "]";
  return std::string(kScheme) + (place.user.empty() ? "" : place.user + "@") + host +
         (place.port ? ":" + std::to_string(place.port) : "") + path;
}
} // namespace

std::string RemotePlace::text() const { return withPath(*this, path); }

std::string RemotePlace::address() const {
  std::string encoded;
  for (const char c : path)
    encoded +=
        isNameCharacter(c) || c == '/' || c == '~' ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return withPath(*this, encoded);
}

RemotePlace parseRemote(const std::string& name) {
  if (!isRemote(name)) refuse(name, "the name does not begin with ssh://");
  const std::string_view rest = std::string_view(name).substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) refuse(name, "the name has no path behind the host");
  std::string_view authority = rest.substr(0, slash);
  RemotePlace place;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    place.user = authority.substr(0, at);
    if (!isName(place.user, kMostUser)) refuse(name, "the user name is not valid");
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos || !isAddress6(authority.substr(1, end - 1)))
      refuse(name, "the text in [ ] is not an IPv6 address");
    place.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) refuse(name, "only :PORT may follow the address in [ ]");
  } else {
    const std::size_t colon = authority.find(':');
    place.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
    if (!isName(place.host, kMostHost)) refuse(name, "the host name is not valid");
  }
  if (!port.empty()) {
    port.remove_prefix(1);
    const auto read = std::from_chars(port.data(), port.data() + port.size(), place.port);
    if (port.empty() || read.ptr != port.data() + port.size() || place.port < 1 || place.port > 65535)
      refuse(name, "the port is not a number from 1 to 65535");
  }
  place.path = decoded(name, rest.substr(slash));
  if (place.path.size() > kMostPath) refuse(name, "the path is too long");
  return place;
}

// Within quotes sftp takes * ? [ literally; only quotes and backslashes need a backslash.
std::string quotedForSftp(const std::string& path) {
  std::string out = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

namespace {
// Converts the time of a listing to ISO 8601. `Nov 22 16:00` is a time of the last half year on the local clock, and becomes UTC;
// `Jan 1 2024` is a day.
std::string isoTime(const std::string& month, const std::string& day, const std::string& time, std::time_t now) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = month.size() == 3 ? kMonths.find(month) : std::string_view::npos;
  std::tm when{};
  int year = 0;
  if (at == std::string_view::npos || at % 3 != 0 || std::sscanf(day.c_str(), "%2d", &when.tm_mday) != 1) return {};
  when.tm_mon = int(at / 3);
  if (std::sscanf(time.c_str(), "%2d:%2d", &when.tm_hour, &when.tm_min) != 2)
    return std::sscanf(time.c_str(), "%4d", &year) == 1 ? fmt::format("{:04}-{:02}-{:02}", year, when.tm_mon + 1, when.tm_mday)
                                                        : std::string();
  std::tm here{};
  localtime_r(&now, &here);
  for (const int years : {0, 1}) {
    std::tm local = when;
    local.tm_year = here.tm_year - years;
    local.tm_isdst = -1;
    const std::time_t then = std::mktime(&local);
    if (then > now + 86400) continue; // a date without a year that would be in the future is one of last year
    std::tm utc{};
    gmtime_r(&then, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                       utc.tm_min);
  }
  return {};
}
} // namespace

bool isSettled(const RemoteEntry& entry, std::time_t now) {
  std::tm when{};
  int year = 0, month = 0;
  if (std::sscanf(entry.modifiedIso.c_str(), "%4d-%2d-%2dT%2d:%2dZ", &year, &month, &when.tm_mday, &when.tm_hour, &when.tm_min) !=
      5)
    return entry.modifiedIso.size() == 10; // only a day is listed: half a year ago or more
  when.tm_year = year - 1900, when.tm_mon = month - 1;
  constexpr std::time_t kClocksDiffer = 600; // seconds
  return now - timegm(&when) > kClocksDiffer;
}

std::vector<RemoteEntry> entriesOf(const std::string& listing, std::time_t now) {
  std::vector<RemoteEntry> entries;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mode, links, owner, group, month, day, time, size;
    if (!(words >> mode >> links >> owner >> group >> size >> month >> day >> time) || mode.size() < 10) continue;
    if (mode[0] != '-' && mode[0] != 'd' && mode[0] != 'l') continue;
    RemoteEntry entry;
    const auto read = std::from_chars(size.data(), size.data() + size.size(), entry.bytes);
    if (read.ptr != size.data() + size.size()) continue;
    std::getline(words >> std::ws, entry.name);
    if (entry.name.empty() || entry.name == "." || entry.name == "..") continue;
    entry.isFolder = mode[0] == 'd', entry.isLink = mode[0] == 'l';
    entry.modified = month + " " + day + " " + time;
    entry.modifiedIso = isoTime(month, day, time, now);
    entries.push_back(std::move(entry));
  }
  return entries;
}

RemoteFiles::RemoteFiles(fs::path cache, std::string configuration)
    : m_cache(std::move(cache)), m_configuration(std::move(configuration)) {}

fs::path RemoteFiles::usualCache() { return reports::cacheFolder("remote", kWhat); }

// Runs sftp and returns its output. The host was checked, and follows "--", so that it is never read as an option.
std::string RemoteFiles::run(const RemotePlace& place, const std::string& batch, const std::stop_token& stop,
                             const std::function<void()>& look) const {
  reports::requirePrivateFolder(m_cache, kWhat);
  const Scratch commands(m_cache, "batch"), output(m_cache, "output");
  std::ofstream(commands.file, std::ios::binary) << batch << "\n";
  std::vector<std::string> words{sftpProgram()};
  if (!m_configuration.empty()) words.insert(words.end(), {"-F", m_configuration});
  // Without -q, which would hide the reason of a failed connection.
  words.insert(words.end(),
               {"-o", "LogLevel=ERROR", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-b", commands.file.string()});
  if (place.port) words.insert(words.end(), {"-P", std::to_string(place.port)});
  const std::string host = place.host.find(':') == std::string::npos ? place.host : "[" + place.host + "]";
  words.insert(words.end(), {"--", (place.user.empty() ? "" : place.user + "@") + host});
  Child child({.words = words, .output = output.file.string()});
  while (!child.check()) {
    reports::throwIfStopped(stop); // the child ends when its object is destroyed
    if (look) look();
    pollfd ready{child.descriptor(), POLLIN, 0};
    poll(&ready, 1, kLookMs);
  }
  // ssh prints the reason, then sftp prints that the connection is closed.
  std::string said = child.lastLine().starts_with("Connection closed") && !child.lineBeforeLast().empty() ? child.lineBeforeLast()
                                                                                                          : child.lastLine();
  while (!said.empty() && said.back() == '\r') said.pop_back();
  if (child.exitCode() != 0)
    throw Error(ErrorCode::Io, said.empty() ? "sftp failed without a message" : reports::displayText(said, 300), place.text(),
                "try: ssh " + (place.port ? "-p " + std::to_string(place.port) + " " : "") +
                    (place.user.empty() ? "" : place.user + "@") + place.host);
  return contentOf(output.file);
}

namespace {
// The path for sftp. If it begins with /~/, it is relative to the home folder. sftp would read "-r" as an option, even in quotes.
std::string pathThere(const RemotePlace& place) {
  if (!place.path.starts_with("/~/")) return place.path;
  return place.path == "/~/" ? "." : "./" + place.path.substr(3);
}
std::string farPath(const RemotePlace& place) { return quotedForSftp(pathThere(place)); }
} // namespace

std::vector<RemoteEntry> RemoteFiles::list(const RemotePlace& place, const std::stop_token& stop) const {
  auto entries = entriesOf(run(place, "ls -ln " + farPath(place), stop), std::time(nullptr));
  for (RemoteEntry& entry : entries) { // entries are named by their full path
    entry.isListed = !entry.isFolder && entries.size() == 1 && entry.name == pathThere(place);
    if (const std::size_t slash = entry.name.rfind('/'); slash != std::string::npos) entry.name.erase(0, slash + 1);
  }
  return entries;
}

RemotePlace RemoteFiles::placeOf(const RemotePlace& listed, const RemoteEntry& entry) {
  RemotePlace place = listed;
  if (entry.isListed) return place;
  if (!place.path.ends_with('/')) place.path += '/';
  place.path += entry.name;
  return place;
}

fs::path RemoteFiles::fetch(const RemotePlace& place, bool reload, reports::Progress& progress,
                            const std::stop_token& stop) const {
  progress.phase("asking " + place.host);
  const std::string name = fs::path(place.path).filename().string();
  if (name.empty())
    throw Error(ErrorCode::InvalidInput, "this names a folder", place.text(), "name a file in it; --list shows them");
  const auto entries = list(place, stop);
  if (entries.size() != 1 || entries[0].isFolder || entries[0].name != name)
    throw Error(ErrorCode::InvalidInput, "this names a folder", place.text(), "name a file in it; --list shows them");
  const bool isProof = isSettled(entries[0], std::time(nullptr));
  const std::string state = std::to_string(entries[0].bytes) + " " + entries[0].modified + (isProof ? "" : " or later");
  std::ostringstream key;
  key << std::hex << hashOf(place.text());
  const fs::path folder = m_cache / key.str();
  std::error_code failed;
  fs::create_directories(folder, failed);
  for (const auto& other : fs::directory_iterator(m_cache, failed))
    if (std::error_code no;
        other.is_directory(no) && other.path() != folder &&
        fs::file_time_type::clock::now() - fs::last_write_time(other.path(), no) > std::chrono::hours(24 * kOldestDays) && !no)
      fs::remove_all(other.path(), no);
  // The copy has its own folder, because its name may be "part", "state" or "lock".
  const fs::path copy = folder / "copy" / name, part = folder / "part", stamp = folder / "state";
  const FolderLock lock(folder, stop);
  fs::create_directories(copy.parent_path(), failed);
  const bool sameState = isProof && contentOf(stamp) == state;
  fs::last_write_time(folder, fs::file_time_type::clock::now(), failed);
  if (!reload && sameState && fs::exists(copy, failed) && int64_t(fs::file_size(copy, failed)) == entries[0].bytes) return copy;
  if (!sameState || reload) fs::remove(part, failed); // the partial copy is of another state of the file: starts again
  std::ofstream(stamp, std::ios::binary) << state;
  progress.phase("copying " + reports::displayText(name, 100));
  const bool goesOn = fs::exists(part, failed);
  run(place, (goesOn ? "reget " : "get ") + farPath(place) + " " + quotedForSftp(part.string()), stop, [&] {
    std::error_code none;
    const auto there = fs::file_size(part, none);
    if (!none && entries[0].bytes > 0) progress.update(double(there) / double(entries[0].bytes));
  });
  if (int64_t(fs::file_size(part, failed)) != entries[0].bytes) {
    fs::remove(part, failed);
    throw Error(ErrorCode::Io, "the file changed while it was copied", place.text(), "try again");
  }
  fs::rename(part, copy, failed);
  if (failed) throw Error(ErrorCode::Io, "the copy cannot be put in place: " + failed.message(), copy.string());
  return copy;
}

} // namespace app::cli
