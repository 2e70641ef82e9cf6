#include "analyser/html/report_page.h"

#include "analyser/html/page_json.h"

#include <nlohmann/json.hpp>

namespace analyser::html {

extern const char *const kPage, *const kStyle, *const kScript;

namespace {

// JSON inside a script element: neither "</script>" nor a comment can begin in it.
std::string embedded(const PageJson& json) {
  std::string text = json.dump(-1, ' ', true, PageJson::error_handler_t::replace), safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

// The colours of the style sheet, on light and on dark surfaces.
std::string colourRules() {
  const SurfaceColours& c = kSurfaceColours;
  const auto rule = [&](bool isDark) {
    std::string text = ":root {";
    for (const auto& [name, colour] : {std::pair{"back", c.background},
                                       {"surface", c.surface},
                                       {"text", c.text},
                                       {"soft", c.secondary},
                                       {"line", c.line},
                                       {"grid", c.grid},
                                       {"accent", c.accent},
                                       {"bad", c.bad},
                                       {"good", c.good},
                                       {"dark-ink", Colour{kDarkInk, kDarkInk}},
                                       {"light-ink", Colour{kLightInk, kLightInk}}})
      text += std::string(" --") + name + ": " + cssColour(colour.on(isDark)) + ";";
    return text + " }";
  };
  return rule(false) + "\n@media (prefers-color-scheme: dark) { " + rule(true) + " }";
}

void insertPart(std::string& page, std::string_view place, std::string_view part) {
  const auto at = page.find(place);
  if (at != std::string::npos) page.replace(at, place.size(), part);
}

// Adds every table of a section that is not empty.
void addTables(PageJson& tables, PageJson part) {
  if (!part.is_array()) part = PageJson::array({std::move(part)});
  for (PageJson& table : part)
    if (!table["rows"].empty()) tables.push_back(std::move(table));
}

} // namespace

std::string reportPage(Session& session, std::stop_token stop) {
  const ReportIdentity& identity = session.identity();
  PageJson json = PageJson::object(), cuts = PageJson::array(), verdicts = PageJson::array(), tables = PageJson::array();
  const PagePart part{session, stop, cuts};
  json["title"] = printable(identity.title);
  json["machine"] = printable(identity.machine);
  json["created"] = printable(identity.createdUtc);
  json["provenance"] = printable(identity.provenance);
  json["ipus"] = session.machine().ipus;
  json["tilesPerIpu"] = session.machine().tilesPerIpu;
  json["summary"] = summaryPart(part, verdicts);
  json["insights"] = insightsPart(part, verdicts);
  json["verdicts"] = std::move(verdicts);
  const auto section = [&](const char* name, PageJson value) {
    if (value.is_object() && value.contains("tables")) {
      addTables(tables, std::move(value["tables"]));
      value.erase("tables");
    }
    json[name] = std::move(value);
  };
  section("memory", memoryPart(part));
  addTables(tables, variablesTable(part));
  section("liveness", livenessPart(part));
  addTables(tables, peakTable(part));
  section("program", programPart(part));
  addTables(tables, verticesTable(part)), addTables(tables, exchangesTable(part));
  addTables(tables, operationsTable(part));
  section("trace", tracePart(part));
  section("pipeline", pipelinePart(part));
  section("blocks", blocksPart(part));
  section("host", hostPart(part));
  json["tables"] = std::move(tables);
  json["cuts"] = std::move(cuts);
  std::string page = kPage;
  insertPart(page, "%CSS%", kStyle);
  insertPart(page, "%COLOURS%", colourRules());
  insertPart(page, "%JS%", kScript); // before the data, which may contain any text
  insertPart(page, "%DATA%", embedded(json));
  return page;
}

} // namespace analyser::html
