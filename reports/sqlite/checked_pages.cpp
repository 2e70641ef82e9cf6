#include "reports/sqlite/checked_pages.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace reports {

namespace {

constexpr int kFileHeaderBytes = 100;
// Our own operations of sqlite3_file_control().
enum Control : int { kStartChecksums = 0x54534301, kAskForChecksums, kAskForDamagedPage, kAskForWriteError };

sqlite3_vfs* defaultFileSystem() { return sqlite3_vfs_find(nullptr); }

struct CheckedFile : sqlite3_file {
  sqlite3_file* real = nullptr;
  bool isDatabase = false, hasChecksums = false, hasMarks = false;
  int64_t damagedPage = 0;
  int writeError = 0;
};
CheckedFile& checked(sqlite3_file* file) { return *static_cast<CheckedFile*>(file); }
sqlite3_file* realFile(sqlite3_file* file) { return checked(file).real; }

// SQLite reads and writes whole pages, and sometimes the first bytes of page 1.
bool isPage(int size, sqlite3_int64 offset) { return size >= 512 && (size & (size - 1)) == 0 && offset % size == 0; }

void noteReserved(CheckedFile& file, int bytes) {
  file.hasMarks = bytes == kMarkBytes + kChecksumBytes;
  file.hasChecksums = file.hasMarks || bytes == kChecksumBytes;
}

void noteHeader(CheckedFile& file, const void* bytes, int size, sqlite3_int64 offset) {
  if (file.isDatabase && offset == 0 && size >= kFileHeaderBytes) noteReserved(file, static_cast<const uint8_t*>(bytes)[20]);
}

bool isSound(const CheckedFile& file, std::span<const uint8_t> page, int64_t number) {
  const auto content = page.first(page.size() - kChecksumBytes);
  const auto same = [](std::span<const uint8_t> a, std::span<const uint8_t> b) {
    return std::equal(a.begin(), a.end(), b.begin());
  };
  return same(pageChecksum(content), page.last(kChecksumBytes)) &&
         (!file.hasMarks || same(pageMark(number), content.last(kMarkBytes)));
}

int readChecked(sqlite3_file* base, void* bytes, int size, sqlite3_int64 offset) {
  CheckedFile& file = checked(base);
  const int code = file.real->pMethods->xRead(file.real, bytes, size, offset);
  if (code != SQLITE_OK) return code;
  noteHeader(file, bytes, size, offset);
  if (!file.hasChecksums || !isPage(size, offset)) return SQLITE_OK;
  const int64_t number = offset / size + 1;
  if (isSound(file, {static_cast<const uint8_t*>(bytes), std::size_t(size)}, number)) return SQLITE_OK;
  if (file.damagedPage == 0) file.damagedPage = number;
  return SQLITE_IOERR_DATA;
}

int writeChecked(sqlite3_file* base, const void* bytes, int size, sqlite3_int64 offset) {
  CheckedFile& file = checked(base);
  noteHeader(file, bytes, size, offset);
  if (file.hasChecksums && isPage(size, offset)) {
    // In place: SQLite never reads reserved bytes, and the buffer is a page of its cache.
    auto* page = static_cast<uint8_t*>(const_cast<void*>(bytes));
    const std::size_t content = std::size_t(size) - kChecksumBytes;
    const auto mark = pageMark(offset / size + 1);
    if (file.hasMarks) std::copy(mark.begin(), mark.end(), page + content - kMarkBytes);
    const auto sum = pageChecksum({page, content});
    std::copy(sum.begin(), sum.end(), page + content);
  }
  errno = 0;
  const int code = file.real->pMethods->xWrite(file.real, bytes, size, offset);
  if (code != SQLITE_OK && file.writeError == 0) file.writeError = errno;
  return code;
}

int control(sqlite3_file* base, int operation, void* argument) {
  CheckedFile& file = checked(base);
  switch (operation) {
  case kStartChecksums: noteReserved(file, kMarkBytes + kChecksumBytes); return SQLITE_OK;
  case kAskForChecksums: *static_cast<bool*>(argument) = file.hasChecksums; return SQLITE_OK;
  case kAskForDamagedPage: *static_cast<int64_t*>(argument) = file.damagedPage; return SQLITE_OK;
  case kAskForWriteError: *static_cast<int*>(argument) = file.writeError; return SQLITE_OK;
  default: return file.real->pMethods->xFileControl(file.real, operation, argument);
  }
}

int closeFile(sqlite3_file* file) {
  sqlite3_file* real = realFile(file);
  const int code = real->pMethods->xClose(real);
  sqlite3_free(real);
  return code;
}

// Calls without checksums are passed to the underlying file. Version 1: this layer has no memory mapping and no shared memory.
sqlite3_io_methods makeMethods() {
  sqlite3_io_methods m{};
  m.iVersion = 1;
  m.xClose = closeFile;
  m.xRead = readChecked;
  m.xWrite = writeChecked;
  m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) { return realFile(f)->pMethods->xTruncate(realFile(f), size); };
  m.xSync = [](sqlite3_file* f, int flags) { return realFile(f)->pMethods->xSync(realFile(f), flags); };
  m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) { return realFile(f)->pMethods->xFileSize(realFile(f), size); };
  m.xLock = [](sqlite3_file* f, int lock) { return realFile(f)->pMethods->xLock(realFile(f), lock); };
  m.xUnlock = [](sqlite3_file* f, int lock) { return realFile(f)->pMethods->xUnlock(realFile(f), lock); };
  m.xCheckReservedLock = [](sqlite3_file* f, int* out) { return realFile(f)->pMethods->xCheckReservedLock(realFile(f), out); };
  m.xFileControl = control;
  m.xSectorSize = [](sqlite3_file* f) { return realFile(f)->pMethods->xSectorSize(realFile(f)); };
  m.xDeviceCharacteristics = [](sqlite3_file* f) { return realFile(f)->pMethods->xDeviceCharacteristics(realFile(f)); };
  return m;
}
const sqlite3_io_methods kMethods = makeMethods();

int openFile(sqlite3_vfs*, const char* name, sqlite3_file* base, int flags, int* outFlags) {
  base->pMethods = nullptr; // so that nothing is closed if opening fails
  sqlite3_vfs* below = defaultFileSystem();
  auto* real = static_cast<sqlite3_file*>(sqlite3_malloc(below->szOsFile));
  if (!real) return SQLITE_NOMEM;
  std::memset(real, 0, std::size_t(below->szOsFile));
  const int code = below->xOpen(below, name, real, flags, outFlags);
  if (code != SQLITE_OK) {
    if (real->pMethods) real->pMethods->xClose(real);
    sqlite3_free(real);
    return code;
  }
  auto* file = new (base) CheckedFile();
  file->real = real;
  file->isDatabase = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  file->pMethods = &kMethods;
  return SQLITE_OK;
}

// SQLite resolves paths of up to 511 bytes; the C library resolves longer ones.
int fullPath(sqlite3_vfs*, const char* name, int size, char* out) {
  sqlite3_vfs* real = defaultFileSystem();
  if (std::strlen(name) + PATH_MAX / 8 < std::size_t(real->mxPathname)) {
    if (const int code = real->xFullPathname(real, name, std::min(size, real->mxPathname), out); code != SQLITE_CANTOPEN)
      return code; // including SQLITE_OK_SYMLINK, which is rejected
  }
  char resolved[PATH_MAX];
  if (!::realpath(name, resolved)) { // the file does not exist yet: resolves its folder
    const std::string path = name;
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    if (!::realpath(folder.c_str(), resolved)) return SQLITE_CANTOPEN;
    const std::string whole = std::string(resolved) + "/" + path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (whole.size() >= sizeof resolved) return SQLITE_CANTOPEN;
    std::memcpy(resolved, whole.c_str(), whole.size() + 1);
  }
  const std::size_t bytes = std::strlen(resolved) + 1;
  if (bytes > std::size_t(size)) return SQLITE_CANTOPEN;
  std::memcpy(out, resolved, bytes);
  return SQLITE_OK;
}

sqlite3_vfs makeFileSystem() {
  sqlite3_vfs v = *defaultFileSystem();
  v.iVersion = 2;
  v.szOsFile = int(sizeof(CheckedFile));
  v.zName = "tilescope-checked";
  v.pNext = nullptr;
  v.pAppData = nullptr;
  v.xOpen = openFile;
  v.xDelete = [](sqlite3_vfs*, const char* n, int sync) { return defaultFileSystem()->xDelete(defaultFileSystem(), n, sync); };
  v.xAccess = [](sqlite3_vfs*, const char* n, int flags, int* out) {
    return defaultFileSystem()->xAccess(defaultFileSystem(), n, flags, out);
  };
  v.mxPathname = PATH_MAX; // the system's own; SQLite's is 512
  v.xFullPathname = fullPath;
  v.xRandomness = [](sqlite3_vfs*, int n, char* out) { return defaultFileSystem()->xRandomness(defaultFileSystem(), n, out); };
  v.xSleep = [](sqlite3_vfs*, int us) { return defaultFileSystem()->xSleep(defaultFileSystem(), us); };
  v.xCurrentTime = [](sqlite3_vfs*, double* out) { return defaultFileSystem()->xCurrentTime(defaultFileSystem(), out); };
  v.xCurrentTimeInt64 = [](sqlite3_vfs*, sqlite3_int64* out) {
    return defaultFileSystem()->xCurrentTimeInt64(defaultFileSystem(), out);
  };
  v.xGetLastError = [](sqlite3_vfs*, int n, char* out) {
    return defaultFileSystem()->xGetLastError(defaultFileSystem(), n, out);
  };
  v.xDlOpen = nullptr; // extensions are never loaded
  v.xDlError = nullptr;
  v.xDlSym = nullptr;
  v.xDlClose = nullptr;
  return v;
}

} // namespace

namespace {
static_assert(std::endian::native == std::endian::little,
              "the words of a page are read without conversion, so the machine must be little-endian");

// The two sums over some pairs of words. They are linear in the words, so four stretches of a page are summed in parallel and
// combined by a power of the matrix of one step. Otherwise each addition would wait for the previous one.
struct PageSums {
  uint32_t first = 0, second = 0;
  void add(const uint8_t* pair) {
    uint32_t words[2];
    std::memcpy(words, pair, sizeof words);
    first += words[0] + second;
    second += words[1] + first;
  }
};
struct PageSteps {
  uint32_t ff = 1, fs = 0, sf = 0, ss = 1;
  constexpr PageSteps oneMore() const { return {ff + sf, fs + ss, ff + 2 * sf, fs + 2 * ss}; }
};
constexpr PageSteps stepsOf(int pairs) {
  PageSteps steps;
  for (int i = 0; i < pairs; ++i) steps = steps.oneMore();
  return steps;
}
constexpr std::size_t kStretches = 4, kPairBytes = 8;
constexpr int kPairsOfStretch = 127; // for a page of 4096 bytes; three pairs come before
} // namespace

std::array<uint8_t, kMarkBytes> pageMark(int64_t page) {
  constexpr uint32_t kMark = 0x45474150; // "PAGE"
  const uint32_t words[2] = {kMark, static_cast<uint32_t>(page)};
  std::array<uint8_t, kMarkBytes> mark;
  std::memcpy(mark.data(), words, sizeof words);
  return mark;
}

std::array<uint8_t, kChecksumBytes> pageChecksum(std::span<const uint8_t> content) {
  const std::size_t pairs = content.size() / kPairBytes;
  constexpr std::size_t kSideBySide = kStretches * kPairsOfStretch;
  const std::size_t before = pairs >= kSideBySide ? (pairs - kSideBySide) : pairs;
  PageSums sums;
  for (std::size_t i = 0; i < before; ++i) sums.add(content.data() + i * kPairBytes);
  if (before < pairs) {
    constexpr PageSteps kSteps = stepsOf(kPairsOfStretch);
    std::array<PageSums, kStretches> stretches{};
    const uint8_t* start = content.data() + before * kPairBytes;
    for (int i = 0; i < kPairsOfStretch; ++i)
      for (std::size_t s = 0; s < kStretches; ++s) stretches[s].add(start + (s * kPairsOfStretch + std::size_t(i)) * kPairBytes);
    for (const PageSums& stretch : stretches)
      sums = {kSteps.ff * sums.first + kSteps.fs * sums.second + stretch.first,
              kSteps.sf * sums.first + kSteps.ss * sums.second + stretch.second};
  }
  std::array<uint8_t, kChecksumBytes> sum;
  std::memcpy(sum.data(), &sums.first, 4);
  std::memcpy(sum.data() + 4, &sums.second, 4);
  return sum;
}

const char* checkedFileSystem() {
  static sqlite3_vfs fileSystem = [] {
    sqlite3_initialize();
    return makeFileSystem();
  }();
  static const int code = sqlite3_vfs_register(&fileSystem, 0);
  (void)code; // registering fails only if SQLite itself cannot start, and then nothing opens
  return fileSystem.zName;
}

void writeChecksums(sqlite3* db) {
  int reserved = kMarkBytes + kChecksumBytes;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  sqlite3_file_control(db, "main", kStartChecksums, nullptr);
}

bool hasChecksums(sqlite3* db) {
  bool has = false;
  sqlite3_file_control(db, "main", kAskForChecksums, &has);
  return has;
}

std::optional<int64_t> damagedPage(sqlite3* db) {
  int64_t page = 0;
  sqlite3_file_control(db, "main", kAskForDamagedPage, &page);
  return page > 0 ? std::optional(page) : std::nullopt;
}

int writeError(sqlite3* db) {
  int number = 0;
  sqlite3_file_control(db, "main", kAskForWriteError, &number);
  return number;
}

} // namespace reports
