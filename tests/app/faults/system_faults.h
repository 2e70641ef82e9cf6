// Fails the n-th allocation, or the n-th system call that opens, writes, syncs or renames files. Works only in this test program,
// whose own operators new and system calls come before those of the libraries. A test arms it in a child process, where an abort
// is an exit status.
#pragma once

#include <cstdint>

namespace tests {

enum class Fault { Allocation, SqliteAllocation, FileCall };

// The n-th event of the kind from now on, counted from 0 over all threads, fails once. For SQLite, call this before its first use.
void failOnce(Fault fault, std::int64_t n);
bool hasFailed();
std::int64_t faultEvents(); // of the armed kind, so far

} // namespace tests
