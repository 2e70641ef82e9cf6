// The sections of the page as JSON, and their common parts. A section is null if the report has no data for it. `cuts` lists the
// parts that are left out because they are too large for a page.
#pragma once

#include "analyser/columns/table.h"
#include "analyser/session/format.h"
#include "analyser/session/palette.h"
#include "analyser/session/session.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <stop_token>

namespace analyser::html {

using PageJson = nlohmann::ordered_json;

struct PagePart {
  Session& session;
  std::stop_token stop;
  PageJson& cuts; // sentences

  // Adds e.g. "Variables: the 2,000 largest of 12,345." if some are left out.
  void cut(const std::string& what, std::size_t kept, std::size_t all) const;
};

PageJson summaryPart(const PagePart& page, PageJson& verdicts);
PageJson insightsPart(const PagePart& page, PageJson& verdicts);
PageJson memoryPart(const PagePart& page);
PageJson livenessPart(const PagePart& page);
PageJson programPart(const PagePart& page);
PageJson tracePart(const PagePart& page);
PageJson pipelinePart(const PagePart& page);
PageJson blocksPart(const PagePart& page);
PageJson hostPart(const PagePart& page);

PageJson operationsTable(const PagePart& page);
PageJson variablesTable(const PagePart& page);
PageJson peakTable(const PagePart& page); // variables alive at the peak
PageJson verticesTable(const PagePart& page);
PageJson exchangesTable(const PagePart& page);

// `kind` sets how cells are printed: name, text, bytes, count, cycles, percent, number, nanoseconds, bars.
PageJson column(const std::string& title, const char* kind, const std::string& tip);
// `under`: the section that shows the table.
PageJson pageTable(const char* id, const char* title, const char* under, const columns::Table& table);
PageJson paint(Colour colour);
// [length, value, length, value …]
PageJson runsOf(std::span<const int64_t> values);
PageJson runsOf(std::span<const Bytes> values);

} // namespace analyser::html
