#include "app/gui/view_list.h"

#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/host_difference.h"
#include "ui/views/compare/insights_difference.h"
#include "ui/views/compare/page_differences.h"
#include "ui/views/compare/summary_difference.h"
#include "ui/views/home/home_view.h"
#include "ui/views/host/host_view.h"
#include "ui/views/insights/insights_view.h"
#include "ui/views/liveness/liveness_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/operations/operations_view.h"
#include "ui/views/program/program_view.h"
#include "ui/views/query/query_view.h"
#include "ui/views/run/run_view.h"
#include "ui/views/summary/summary_view.h"
#include "ui/views/sweep/sweep_view.h"
#include "ui/views/trace/trace_view.h"

#include <QObject>

namespace app::gui {

namespace {

using ui::shell::Needs;
using ui::shell::Section;

template<class V> ui::shell::View* make(const ui::shell::ViewParts& parts) { return new V(parts); }

} // namespace

ui::shell::ViewList viewList() {
  using namespace ui;
  return {
      {"home", QObject::tr("Home"), QObject::tr("Open a report, go back to a recent one, or run a sample"), Section::Top,
       Needs::Nothing, make<home::HomeView>},
      {"summary", QObject::tr("Summary"), QObject::tr("Does it fit, how long does it take, and where do bytes and cycles go?"),
       Section::Report, Needs::Report, make<summary::SummaryView>, make<compare::SummaryDifference>},
      {"insights", QObject::tr("Insights"), QObject::tr("What is wrong, what does it cost, and what should I try?"),
       Section::Report, Needs::Report, make<insights::InsightsView>, make<compare::InsightsDifference>},
      {"memory",
       QObject::tr("Memory"),
       QObject::tr("Which tiles are full, and of what?"),
       Section::Report,
       Needs::Report,
       make<memory::MemoryView>,
       {},
       true},
      {"liveness",
       QObject::tr("Liveness"),
       QObject::tr("When is memory needed, and which variables need it then?"),
       Section::Report,
       Needs::Report,
       make<liveness::LivenessView>,
       {},
       true},
      {"program",
       QObject::tr("Program"),
       QObject::tr("What does the program do, step by step, and what does each step cost?"),
       Section::Report,
       Needs::Report,
       make<program::ProgramView>,
       {},
       true},
      {"operations",
       QObject::tr("Operations"),
       QObject::tr("Which operations of the model cost most?"),
       Section::Report,
       Needs::Report,
       make<operations::OperationsView>,
       {},
       true},
      {"trace", QObject::tr("Trace"), QObject::tr("What does every IPU and every tile do at every moment?"), Section::Report,
       Needs::Report, make<trace::TraceView>, make<compare::TraceDifferenceView>},
      {"host", QObject::tr("Host"), QObject::tr("What does the host do while the machine waits for it?"), Section::Report,
       Needs::Report, make<host::HostView>, make<compare::HostDifference>},
      {"query", QObject::tr("Query"), QObject::tr("What else does the report know? Ask it in SQL"), Section::Report,
       Needs::Report, make<query::QueryView>},
      {"compare", QObject::tr("Compare"), QObject::tr("What changed between two reports?"), Section::Bottom, Needs::Comparison,
       make<compare::CompareView>},
      {"run", QObject::tr("Run"), QObject::tr("Simulate a sample or an ONNX model on a machine of your choice"), Section::Bottom,
       Needs::Nothing, make<run::RunView>},
      {"sweep", QObject::tr("Sweep"), QObject::tr("Which settings take the fewest cycles, and fit?"), Section::Bottom,
       Needs::Nothing, make<sweep::SweepView>},
  };
}

} // namespace app::gui
