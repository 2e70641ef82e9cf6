// The views of a report, for tests that need a whole window.
#pragma once

#include "ui/views/liveness/liveness_entry.h"
#include "ui/views/memory/memory_entry.h"
#include "ui/views/operations/operations_entry.h"
#include "ui/views/program/program_entry.h"
#include "ui/views/summary/summary_entry.h"
#include "ui/views/trace/trace_entry.h"

namespace tests {

inline ui::shell::ViewList reportViews() {
  return {ui::summary::entry(), ui::memory::entry(),     ui::liveness::entry(),
          ui::program::entry(), ui::operations::entry(), ui::trace::entry()};
}

} // namespace tests
