// A small world for one view: a made-up report, the state views share, and a window-less view of it that a test acts on as a
// user would. A test waits until the view is done, never for a fixed time.
#pragma once

#include "analyser/session/session.h"
#include "tests/support/synthetic_report.h"
#include "tests/ui/views/listed.h"
#include "ui/jobs/job_board.h"
#include "ui/parts/page.h"
#include "ui/parts/splitter_places.h"
#include "ui/parts/view.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/theme/theme.h"

#include <QTest>

#include <memory>

namespace tests {

struct ViewWorld {
  explicit ViewWorld(const ReportShape& shape = {.ipus = 2, .tilesPerIpu = 8, .operations = 4})
      : report(shape), settings(QString::fromStdString((report.folder() / "settings.ini").string())),
        session(analyser::Session::open(report.path().string())) {
    state.setFigures(double(session->machine().clockHz));
  }

  // Shows the view of an id and gives it the report.
  template<class View = ui::shell::View> View& open(const QString& id, ui::shell::SessionPointer other = nullptr) {
    view.reset(listed(id).factory({theme, state, jobs, settings}));
    ui::shell::keepSplitters(*view, id, settings); // as the window does
    view->resize(1100, 760);
    view->show();
    view->setSessions(session, std::move(other));
    return static_cast<View&>(*view);
  }
  bool settle() const {
    return QTest::qWaitFor([this] { return !view->isBusy() && !view->findChild<ui::shell::Page*>()->isLoading(); }, 20000);
  }
  // The child of a type that a screen reader calls so.
  template<class T> T* child(const QString& name) const {
    for (T* candidate : view->template findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }

  TinyReport report;
  ui::theme::Theme theme;
  ui::shell::ViewState state;
  ui::jobs::JobBoard jobs;
  ui::shell::Settings settings;
  ui::shell::SessionPointer session;
  std::unique_ptr<ui::shell::View> view; // last: it uses all the others
};

} // namespace tests
