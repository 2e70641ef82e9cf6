#include "app/gui/view_list.h"

#include "ui/views/compare/compare_entry.h"
#include "ui/views/home/home_entry.h"
#include "ui/views/host/host_entry.h"
#include "ui/views/insights/insights_entry.h"
#include "ui/views/liveness/liveness_entry.h"
#include "ui/views/memory/memory_entry.h"
#include "ui/views/operations/operations_entry.h"
#include "ui/views/program/program_entry.h"
#include "ui/views/query/query_entry.h"
#include "ui/views/run/run_entry.h"
#include "ui/views/summary/summary_entry.h"
#include "ui/views/sweep/sweep_entry.h"
#include "ui/views/trace/trace_entry.h"

namespace app::gui {

ui::shell::ViewList viewList() {
  return {
      ui::home::entry(),     ui::summary::entry(), ui::insights::entry(),   ui::memory::entry(),
      ui::liveness::entry(), ui::program::entry(), ui::operations::entry(), ui::trace::entry(),
      ui::host::entry(),     ui::query::entry(),   ui::compare::entry(),    ui::run::entry(),
      ui::sweep::entry(),
  };
}

} // namespace app::gui
