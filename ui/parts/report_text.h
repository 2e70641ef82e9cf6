// Text of a report, as the views call it; see ui/theme/report_text.h.
#pragma once

#include "analyser/session/format.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"

#include <QObject>

namespace ui::shell {

using theme::reportText;

} // namespace ui::shell
