// Fails the n-th allocation, or the n-th call of the system that opens, writes, syncs or renames files: in this test program alone,
// which has operators new and system calls of its own in front of the libraries'. Armed in a child process, where an abort is an
// exit status.
#pragma once

#include <cstdint>

namespace tests {

enum class Fault { Allocation, SqliteAllocation, FileCall };

// The n-th event of the kind from now on, counted from 0 over all threads, fails once. Of SQLite it must come before its first use.
void failOnce(Fault fault, std::int64_t n);
bool hasFailed();
std::int64_t faultEvents(); // of the armed kind, so far

} // namespace tests
