#include "app/gui/view_list.h"

#include "ui/views/home/home_entry.h"
#include "ui/views/run/run_entry.h"
#define VIEW(v) __has_include("ui/views/" #v "/" #v "_view.cpp")
#if __has_include("ui/views/summary/summary_view.cpp")
#include "ui/views/summary/summary_entry.h"
#define HAS_SUMMARY
#endif
#if __has_include("ui/views/memory/memory_view.cpp")
#include "ui/views/memory/memory_entry.h"
#define HAS_MEMORY
#endif

namespace app::gui {

ui::shell::ViewList viewList() {
  return {
      ui::home::entry(),
#ifdef HAS_SUMMARY
      ui::summary::entry(),
#endif
#ifdef HAS_MEMORY
      ui::memory::entry(),
#endif
      ui::run::entry(),
  };
}

} // namespace app::gui
