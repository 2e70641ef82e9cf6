// The sweep that an open report suggests: its own run, with other values of one or two settings.
#pragma once

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <string>

namespace ui::sweep {

struct Proposal {
  QString graph;         // a sample's name or an absolute path
  QStringList arguments; // options of all runs: those of the report, without varied ones and those that read files
  QString parameters;    // NAME = VALUE, VALUE; a line each
};

// `metadata` gives the report's values by key, empty where it has none; `folder` is the report's: relative paths start there.
// nullopt if the report does not say how it was run.
std::optional<Proposal> proposalFor(const std::function<std::string(const std::string&)>& metadata, const QString& folder);

} // namespace ui::sweep
