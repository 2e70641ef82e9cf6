#include "reports/recording/recording_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>

namespace tilescope_trace {

namespace {

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t(1'000'000'000) + time.tv_nsec;
}

std::string programName() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string name = length > 0 ? std::string(path, std::size_t(length)) : std::string("program");
  return name.substr(name.rfind('/') + 1);
}

std::string defaultFileName() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char time[32];
  std::strftime(time, sizeof time, "%Y%m%d-%H%M%S", &local);
  return programName() + "_" + time + "_" + std::to_string(getpid()) + ".tsrec";
}

// Prints a message in one system call, because a signal handler may interrupt the program's own output.
void say(const std::string& words) {
  const std::string line = "tilescope_trace: " + words + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void complain(const std::string& what, const std::string& file, int reason) {
  say(file + ": " + what + ": " + std::strerror(reason));
}

// Reserves disk space, so that a full disk is an error here and not a fault in a later write.
int grow(int file, std::uint64_t bytes, std::uint64_t from) {
  for (;;)
    if (const int error = posix_fallocate(file, off_t(from), off_t(bytes)); error != EINTR)
      return error; // retry after EINTR: a signal does not mean that the disk is full
}

void* mapFile(int file, std::uint64_t bytes, std::uint64_t from) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, off_t(from));
  return at == MAP_FAILED ? nullptr : at;
}

} // namespace

RecordingFile& recordingFile() {
  static RecordingFile* const file = [] {
    auto* made = new RecordingFile; // never destroyed: threads may still record while the process ends
    pthread_atfork([] { recordingFile().lockForFork(); }, [] { recordingFile().unlockInParent(); },
                   [] { recordingFile().restartInChild(); });
    return made;
  }();
  return *file;
}

bool RecordingFile::open(const Options& options) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  closeLocked();
  return options.enable && openLocked(options);
}

bool RecordingFile::openLocked(const Options& options) {
  m_options = options;
  m_name = (options.directory.empty() ? std::string(".") : options.directory) + "/" +
           (options.file.empty() ? defaultFileName() : options.file);
  struct stat there {};
  if (::lstat(m_name.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) { // a device, a pipe, a link, a folder
    say(m_name + ": cannot make the recording: not a regular file");
    return false;
  }
  // The file gets its name after the header is written, so that a process killed before leaves no unreadable file.
  const std::string unfinished = m_name + ".part";
  m_file = ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (m_file < 0) {
    complain("cannot make the recording", m_name, errno);
    return false;
  }
  const int full = grow(m_file, format::kHeaderBytes, 0);
  void* at = full == 0 ? mapFile(m_file, format::kHeaderBytes, 0) : nullptr;
  if (!at) return giveUp(unfinished, full ? full : errno);
  m_header = new (at) format::Header;
  m_header->processId = getpid();
  m_header->startUnix = nanoseconds(CLOCK_REALTIME);
  m_header->startMonotonic = nanoseconds(CLOCK_MONOTONIC);
  const std::string program = programName().substr(0, sizeof m_header->name);
  m_header->nameBytes = std::uint32_t(program.size());
  std::memcpy(m_header->name, program.data(), program.size());
  if (std::rename(unfinished.c_str(), m_name.c_str()) != 0) {
    const int reason = errno;
    munmap(m_header, format::kHeaderBytes);
    m_header = nullptr;
    return giveUp(unfinished, reason);
  }
  m_chunks = 0;
  m_isFull = false;
  m_lost = 0;
  m_threads = 0;
  m_chosen.store(options.channels.empty() ? nullptr : new std::vector<std::string>(options.channels), std::memory_order_release);
  recordingClock.start = m_header->startMonotonic;
  constexpr double kLongest = 1e9; // seconds
  recordingClock.deadline = options.durationSeconds > 0 ? std::int64_t(std::min(options.durationSeconds, kLongest) * 1e9)
                                                        : std::numeric_limits<std::int64_t>::max();
  recordingClock.generation.store(++m_generations, std::memory_order_release);
  return true;
}

bool RecordingFile::giveUp(const std::string& unfinished, int reason) {
  complain("cannot make the recording", m_name, reason);
  ::close(m_file);
  m_file = -1;
  ::unlink(unfinished.c_str());
  return false;
}

void RecordingFile::close() {
  const std::lock_guard<std::mutex> lock(m_mutex);
  closeLocked();
}

// Chunks stay mapped by the threads that own them, which may be writing an event.
void RecordingFile::closeLocked() {
  recordingClock.generation.store(0, std::memory_order_release);
  if (m_file < 0) return;
  m_header->lostEvents = m_lost;
  m_header->isClosed = 1;
  munmap(m_header, format::kHeaderBytes);
  m_header = nullptr;
  ::close(m_file);
  m_file = -1;
}

std::string RecordingFile::name() const {
  const std::lock_guard<std::mutex> lock(m_mutex);
  return m_name;
}

bool RecordingFile::selects(const std::string& channel) const {
  const std::vector<std::string>* chosen = m_chosen.load(std::memory_order_acquire);
  return !chosen || std::find(chosen->begin(), chosen->end(), channel) != chosen->end();
}

format::ChunkHeader* RecordingFile::newChunk(std::uint64_t generation, std::uint32_t thread, std::uint32_t sequence) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  if (m_file < 0 || m_isFull || generation != m_generations) return nullptr;
  const std::uint64_t from = format::kHeaderBytes + m_chunks * format::kChunkBytes;
  if (m_options.limitBytes > 0 && from + format::kChunkBytes > m_options.limitBytes) {
    m_isFull = true;
    say(m_name + ": the limit of " + std::to_string(m_options.limitBytes) + " bytes is reached; later events are left out");
    return nullptr;
  }
  const int full = grow(m_file, format::kChunkBytes, from);
  void* at = full == 0 ? mapFile(m_file, format::kChunkBytes, from) : nullptr;
  if (!at) {
    m_isFull = true;
    complain("later events are left out", m_name, full ? full : errno);
    return nullptr;
  }
  ++m_chunks;
  auto* chunk = new (at) format::ChunkHeader;
  chunk->thread = thread;
  chunk->sequence = sequence;
  chunk->threadId = syscall(SYS_gettid);
  return chunk;
}

void RecordingFile::unmap(format::ChunkHeader* chunk) { munmap(chunk, format::kChunkBytes); }

void RecordingFile::lose() {
  m_lost.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(m_mutex);
  if (m_header) m_header->lostEvents = m_lost;
}

std::uint32_t RecordingFile::addSeries(SeriesName name) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  m_series.push_back(std::move(name));
  return std::uint32_t(m_series.size() - 1);
}

std::uint32_t RecordingFile::addHeatmap(HeatmapName name) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  m_heatmaps.push_back(std::move(name));
  return std::uint32_t(m_heatmaps.size() - 1);
}

const SeriesName& RecordingFile::series(std::uint32_t number) const {
  const std::lock_guard<std::mutex> lock(m_mutex);
  return m_series.at(number);
}

const HeatmapName& RecordingFile::heatmap(std::uint32_t number) const {
  const std::lock_guard<std::mutex> lock(m_mutex);
  return m_heatmaps.at(number);
}

// The file and its mapping belong to the parent: the child writes nothing to them.
void RecordingFile::restartInChild() {
  if (m_file >= 0) {
    munmap(m_header, format::kHeaderBytes);
    m_header = nullptr;
    ::close(m_file);
    m_file = -1;
    recordingClock.generation = 0;
    Options own = m_options;
    if (!own.file.empty()) own.file += "." + std::to_string(getpid());
    if (own.followsForks) openLocked(own);
  }
  m_mutex.unlock();
}

} // namespace tilescope_trace
