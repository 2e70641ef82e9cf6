#include "reports/exchange/chrome_event.h"

#include "reports/core/join.h"
#include "reports/core/text.h"

namespace reports::exchange {

namespace {

// Up to eight characters as one number, so that a name is found without comparing texts.
constexpr uint64_t nameCode(std::string_view name) {
  uint64_t code = 0;
  for (const char c : name) code = code << 8 | uint8_t(c);
  return code;
}

JsonToken* memberFor(ChromeEvent& e, std::string_view key) {
  if (key.size() > 8) return nullptr;
  switch (nameCode(key)) {
  case nameCode("s"): return &e.s;
  case nameCode("ph"): return &e.ph;
  case nameCode("ts"): return &e.ts;
  case nameCode("id"): return &e.id;
  case nameCode("bp"): return &e.bp;
  case nameCode("sf"): return &e.stackFrame;
  case nameCode("cat"): return &e.cat;
  case nameCode("dur"): return &e.dur;
  case nameCode("pid"): return &e.pid;
  case nameCode("tid"): return &e.tid;
  case nameCode("id2"): return &e.id2;
  case nameCode("name"): return &e.name;
  case nameCode("args"): return &e.args;
  case nameCode("scope"): return &e.scope;
  case nameCode("stack"): return &e.stack;
  case nameCode("tts"): return &e.threadTime;
  case nameCode("tdur"): return &e.threadDuration;
  case nameCode("bind_id"): return &e.bindId;
  case nameCode("flow_in"): return &e.flowIn;
  case nameCode("flow_out"): return &e.flowOut;
  default: return nullptr;
  }
}

} // namespace

void ChromeUnknownMembers::add(std::string_view name) {
  auto found = m_counts.find(name);
  if (found == m_counts.end()) found = m_counts.emplace(std::string(name), 0).first;
  ++found->second;
}

void ChromeUnknownMembers::addOf(const ChromeEvent& e) {
  for (const std::string_view name : e.unknown) add(name);
  const char phase = e.phase();
  const auto isOneOf = [phase](std::string_view phases) { return phases.find(phase) != std::string_view::npos; };
  if (phase == '\0' || phase == 'M') return;
  for (const auto& [token, name] : {std::pair(&e.threadTime, "tts"), std::pair(&e.threadDuration, "tdur")})
    if (*token && !scaledOf(*token, 1)) add(std::string(name) + " that is not a number");
  if (phase == 'X') return;
  const char* const of = isOneOf("stf")    ? " of a flow"
                         : phase == 'C'    ? " of a counter"
                         : isOneOf("EeFD") ? " of an end"
                         : isOneOf("BbSN") ? " of a begin"
                                           : " of a mark";
  const bool isNowhere = isOneOf("stfC"); // flows and counters have no details
  const auto addIf = [&](bool isLost, const char* name) {
    if (isLost) add(std::string(name) + of);
  };
  addIf(isNowhere && e.threadTime, "tts");
  addIf((isNowhere || isOneOf("BEbeSFND")) && e.threadDuration, "tdur");
  addIf((isNowhere || isOneOf("EbenSFTpNDO")) && e.stackFrame, "sf");
  addIf(isNowhere && e.stack, "stack");
  addIf(isOneOf("stf") && e.args && e.args.text != "{}", "args");
  addIf(e.dur && phase != 'T' && realOf(e.dur).value_or(1) != 0, "dur");
}

void ChromeUnknownMembers::addTo(TraceAssembly& assembly) const {
  if (m_counts.empty()) return;
  int64_t events = 0;
  for (const auto& [name, n] : m_counts) events += n, assembly.counts().notShown["member " + validUtf8(name)] += n;
  const std::string list = joined(m_counts, [](const auto& m) { return displayText(m.first, 60); });
  assembly.counts().mend(Mend::MembersNotShown, events);
  assembly.sink().add(ReportIssueRow{0, "notice", assembly.source().name,
                                     "members of events that are not shown: " + displayText(list, 400), "", events});
}

Scan scanEvent(JsonCursor& cursor, ChromeEvent& event) {
  std::vector<std::string_view> unknown = std::move(event.unknown); // keeps its memory
  unknown.clear();
  event = {};
  event.unknown = std::move(unknown);
  JsonCursor in = cursor;
  in.skip();
  JsonToken key, value;
  for (bool first = true;; first = false) {
    if (const Scan scan = in.key(key, first); scan != Scan::Good) return scan;
    if (!key) break;
    if (const Scan scan = in.value(value); scan != Scan::Good) return scan;
    JsonToken* member = memberFor(event, key.text);
    if (!member) {
      event.unknown.push_back(key.text);
      continue;
    }
    const bool isNull = value.kind == JsonToken::Word && value.text == "null";
    *member = isNull ? JsonToken() : value;
  }
  cursor = in;
  return Scan::Good;
}

bool isTotal(const ChromeEvent& event) {
  return event.phase() == 'X' && event.name.text.starts_with("Total ") &&
         event.args.text.find("\"avg ms\"") != std::string_view::npos;
}

} // namespace reports::exchange
