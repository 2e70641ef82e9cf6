// A link to the content of a window, as text: report, view, range, ruler, selection, and the values of the view's controls. It
// can be copied to a mail, given to `tilescope --at`, pasted into the search field, kept per report; a bookmark holds one.
// A report has an id beside its file: on another computer it is found by the id, or by the name of the file.
// tilescope:?report=/reports/run.tsr&id=3f2a90bc4711&view=trace&shown=difference&range=100-200&tiles=0,5-8&step=12&operation=3&set.ipu=1
#pragma once

#include "ui/state/view_state.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace ui::shell {

struct ViewLink {
  QStringList reports; // one, or several that are compared; none: the open reports
  Place place;
  FieldValues fields;   // of the view
  QStringList ids = {}; // of the reports, in their order; empty: not known

  bool operator==(const ViewLink&) const = default;
};

QString linkText(const ViewLink& link);
// nullopt if the text is not a link. Skips invalid parts, so that a link of a newer program still opens something.
std::optional<ViewLink> parseLink(const QString& text);
// "Trace of run.tsr, cycles 100 to 200": displayed before the link is followed.
QString linkTitle(const ViewLink& link);

} // namespace ui::shell
