#include "tests/app/faults/system_faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int> g_armed{-1};
std::atomic<std::int64_t> g_left{0}, g_events{0};
std::atomic<bool> g_failed{false};

bool fails(tests::Fault fault) {
  if (g_armed.load(std::memory_order_relaxed) != int(fault)) return false;
  ++g_events;
  if (g_left.fetch_sub(1) != 0) return false;
  g_failed = true;
  return true;
}

bool failsFileCall() {
  if (!fails(tests::Fault::FileCall)) return false;
  errno = EIO;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails(tests::Fault::Allocation)) return nullptr;
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void* allocateOrThrow(std::size_t bytes, std::size_t alignment = 1) {
  if (void* memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

sqlite3_mem_methods g_sqlite{};
void* sqliteAllocate(int bytes) { return fails(tests::Fault::SqliteAllocation) ? nullptr : g_sqlite.xMalloc(bytes); }
void* sqliteReallocate(void* memory, int bytes) {
  return fails(tests::Fault::SqliteAllocation) ? nullptr : g_sqlite.xRealloc(memory, bytes);
}

// The function of this name behind ours.
template<class Function> Function behind(const char* name) { return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name)); }

} // namespace

namespace tests {

void failOnce(Fault fault, std::int64_t n) {
  if (fault == Fault::SqliteAllocation && sqlite3_config(SQLITE_CONFIG_GETMALLOC, &g_sqlite) == SQLITE_OK) {
    sqlite3_mem_methods methods = g_sqlite;
    methods.xMalloc = sqliteAllocate;
    methods.xRealloc = sqliteReallocate;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) std::abort();
  }
  g_left = n;
  g_events = 0;
  g_failed = false;
  g_armed = int(fault);
}
bool hasFailed() { return g_failed; }
std::int64_t faultEvents() { return g_events; }

} // namespace tests

// ---- C++ allocations -------------------------------------------------------------------------------------------------------

void* operator new(std::size_t bytes) { return allocateOrThrow(bytes); }
void* operator new[](std::size_t bytes) { return allocateOrThrow(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocateOrThrow(bytes, std::size_t(alignment)); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return allocateOrThrow(bytes, std::size_t(alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, std::size_t(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, std::size_t(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { std::free(memory); }

// ---- calls about files -----------------------------------------------------------------------------------------------------

extern "C" {

#define TILESCOPE_OPENS(NAME)                                                                                                    \
  int NAME(const char* path, int flags, ...) {                                                                                   \
    va_list rest;                                                                                                                \
    va_start(rest, flags);                                                                                                       \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                                \
    va_end(rest);                                                                                                                \
    static const auto real = behind<int (*)(const char*, int, ...)>(#NAME);                                                      \
    return failsFileCall() ? -1 : real(path, flags, mode);                                                                       \
  }
TILESCOPE_OPENS(open)
TILESCOPE_OPENS(open64)
#undef TILESCOPE_OPENS

FILE* fopen64(const char* path, const char* mode) {
  static const auto real = behind<FILE* (*)(const char*, const char*)>("fopen64");
  return failsFileCall() ? nullptr : real(path, mode);
}
ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = behind<ssize_t (*)(int, const void*, size_t)>("write");
  return file > 2 && failsFileCall() ? -1 : real(file, bytes, size);
}
ssize_t writev(int file, const iovec* parts, int count) {
  static const auto real = behind<ssize_t (*)(int, const iovec*, int)>("writev");
  return file > 2 && failsFileCall() ? -1 : real(file, parts, count);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  static const auto real = behind<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return failsFileCall() ? -1 : real(file, bytes, size, offset);
}
ssize_t pread64(int file, void* bytes, size_t size, off64_t offset) {
  static const auto real = behind<ssize_t (*)(int, void*, size_t, off64_t)>("pread64");
  return failsFileCall() ? -1 : real(file, bytes, size, offset);
}
int fsync(int file) {
  static const auto real = behind<int (*)(int)>("fsync");
  return failsFileCall() ? -1 : real(file);
}
int fdatasync(int file) {
  static const auto real = behind<int (*)(int)>("fdatasync");
  return failsFileCall() ? -1 : real(file);
}
int ftruncate64(int file, off64_t size) noexcept {
  static const auto real = behind<int (*)(int, off64_t)>("ftruncate64");
  return failsFileCall() ? -1 : real(file, size);
}
int fchmod(int file, mode_t mode) noexcept {
  static const auto real = behind<int (*)(int, mode_t)>("fchmod");
  return failsFileCall() ? -1 : real(file, mode);
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = behind<int (*)(const char*, const char*)>("rename");
  return failsFileCall() ? -1 : real(from, to);
}
// Closes the file even if it returns an error, as Linux does.
int close(int file) {
  static const auto real = behind<int (*)(int)>("close");
  const int result = real(file);
  return file > 2 && failsFileCall() ? -1 : result;
}

} // extern "C"
