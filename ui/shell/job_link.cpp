#include "ui/shell/job_link.h"

#include "ui/shell/page.h"
#include "ui/shell/view.h"

namespace ui::shell {

void linkJob(View& view, jobs::JobBase& job) {
  QObject::connect(&job, &jobs::JobBase::busyChanged, &view, [&view] { emit view.busyChanged(); });
}

void linkMainJob(View& view, Page& page, jobs::JobBase& job, std::function<void()> again) {
  linkJob(view, job);
  QObject::connect(&job, &jobs::JobBase::progressed, &page, [&page, &job] {
    if (page.isLoading()) page.setLoading(job.phase(), job.fraction());
  });
  QObject::connect(&page, &Page::cancelRequested, &job, &jobs::JobBase::cancel);
  QObject::connect(&job, &jobs::JobBase::cancelled, &page, [&page, again = std::move(again)] {
    if (page.isLoading())
      page.showEmpty(Page::tr("Reading was cancelled"), Page::tr("Nothing was changed in the report."), Page::tr("Read again"),
                     again);
  });
}

} // namespace ui::shell
