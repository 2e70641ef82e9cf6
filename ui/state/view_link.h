// A link to what a window shows, as text: report, view, range, ruler, selection, and how the view's controls stand. It is copied
// to a mail, given to `tilescope --at`, pasted into the search field, kept per report, and is what a bookmark holds.
//   tilescope:?report=/reports/run.tsr&view=trace&shown=difference&range=100-200&tiles=0,5-8&step=12&operation=3&set.ipu=1
#pragma once

#include "ui/state/view_state.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace ui::shell {

struct ViewLink {
  QStringList reports; // one, or several that are compared; none: those that are open
  Place place;
  FieldValues fields; // of the view

  bool operator==(const ViewLink&) const = default;
};

QString linkText(const ViewLink& link);
// nullopt if the text is not a link. A part that makes no sense is left out: a link of a newer program still leads somewhere.
std::optional<ViewLink> parseLink(const QString& text);
// "Trace of run.tsr, cycles 100 to 200": what a person reads before following it.
QString linkTitle(const ViewLink& link);

} // namespace ui::shell
