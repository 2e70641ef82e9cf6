#include "tests/support/fault_vfs.h"

#include <sqlite3.h>

#include <new>

namespace tests {

namespace {

// The state of the process's only FaultVfs; SQLite's C interface allows just one.
struct State {
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;
  sqlite3_io_methods methods{};
  const sqlite3_io_methods* realMethods = nullptr;
  FaultVfs::Call call{};
  int64_t failFrom = -1, calls = 0;
  int code = 0;
};
State* g_state = nullptr;

// Our file is the real one with its method table replaced by a copy that has our three functions.
int intercepted(FaultVfs::Call call) {
  if (g_state->call != call) return SQLITE_OK;
  const int64_t n = g_state->calls++;
  return g_state->failFrom >= 0 && n >= g_state->failFrom ? g_state->code : SQLITE_OK;
}
int write(sqlite3_file* file, const void* bytes, int n, sqlite3_int64 offset) {
  const int code = intercepted(FaultVfs::Call::Write);
  return code != SQLITE_OK ? code : g_state->realMethods->xWrite(file, bytes, n, offset);
}
int read(sqlite3_file* file, void* bytes, int n, sqlite3_int64 offset) {
  const int code = intercepted(FaultVfs::Call::Read);
  return code != SQLITE_OK ? code : g_state->realMethods->xRead(file, bytes, n, offset);
}
int sync(sqlite3_file* file, int flags) {
  const int code = intercepted(FaultVfs::Call::Sync);
  return code != SQLITE_OK ? code : g_state->realMethods->xSync(file, flags);
}
int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* outFlags) {
  const int code = g_state->real->xOpen(g_state->real, name, file, flags, outFlags);
  if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB)) return code;
  g_state->realMethods = file->pMethods;
  g_state->methods = *file->pMethods;
  g_state->methods.iVersion = 1; // no memory mapping and no shared memory around us
  g_state->methods.xWrite = write;
  g_state->methods.xRead = read;
  g_state->methods.xSync = sync;
  file->pMethods = &g_state->methods;
  return code;
}

} // namespace

FaultVfs::FaultVfs(Call call, int64_t n, int code) {
  g_state = new State;
  g_state->real = sqlite3_vfs_find(nullptr);
  g_state->vfs = *g_state->real;
  g_state->vfs.zName = "fault";
  g_state->vfs.pNext = nullptr;
  g_state->vfs.xOpen = open;
  g_state->call = call;
  g_state->failFrom = n;
  g_state->code = code;
  sqlite3_vfs_register(&g_state->vfs, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&g_state->vfs);
  sqlite3_vfs_register(g_state->real, 1);
  delete g_state;
  g_state = nullptr;
}

int64_t FaultVfs::calls() const { return g_state->calls; }

} // namespace tests
