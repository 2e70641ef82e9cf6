// The sweep that an open report suggests: its run with other values of one or two settings.
#pragma once

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <string>

namespace ui::sweep {

struct Proposal {
  QString graph;         // a sample's name or an absolute path
  QStringList arguments; // options of all runs: those of the report, except varied ones and those that read files
  QString parameters;    // NAME = VALUE, VALUE; one line each
};

// `metadata` gives the report's values by key, empty if missing; `folder` is the report's: relative paths start there. nullopt if
// the report does not name its command line.
std::optional<Proposal> proposalFor(const std::function<std::string(const std::string&)>& metadata, const QString& folder);

} // namespace ui::sweep
