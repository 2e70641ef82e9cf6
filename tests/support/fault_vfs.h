// An SQLite file system that fails the n-th write, sync, or read of a database, like a full or failing disk. While an object
// exists, it is the default of the process, so that the code under test needs no hook.
#pragma once

#include <cstdint>
#include <string>

namespace tests {

class FaultVfs {
public:
  enum class Call { Write, Sync, Read };
  // The n-th (from 0) call of the kind and all after it fail with the SQLite result `code`; never if n < 0.
  FaultVfs(Call call, int64_t n, int code);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  int64_t calls() const; // of the kind, so far
};

} // namespace tests
