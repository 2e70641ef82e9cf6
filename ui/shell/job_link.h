// Ties a job to its view: the view is busy while it runs, and the page shows the progress of the one it
// waits for. After a cancel the page says so and offers to read again, so that no skeleton stays for ever.
#pragma once

#include "ui/jobs/latest_job.h"

#include <functional>

namespace ui::shell {

class Page;
class View;

// The job whose result the page needs before it can show anything.
void linkMainJob(View& view, Page& page, jobs::JobBase& job, std::function<void()> again);
// A job that fills a part of a page which already shows something.
void linkJob(View& view, jobs::JobBase& job);

} // namespace ui::shell
