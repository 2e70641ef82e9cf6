#include "reports/exchange/chrome_event.h"

namespace reports::exchange {

namespace {

JsonToken* memberFor(ChromeEvent& e, std::string_view key) {
  switch (key.size()) {
  case 1: return key == "s" ? &e.s : nullptr;
  case 2:
    if (key == "ph") return &e.ph;
    if (key == "ts") return &e.ts;
    if (key == "id") return &e.id;
    if (key == "bp") return &e.bp;
    return key == "sf" ? &e.stackFrame : nullptr;
  case 3:
    if (key == "cat") return &e.cat;
    if (key == "dur") return &e.dur;
    if (key == "pid") return &e.pid;
    if (key == "tid") return &e.tid;
    return key == "id2" ? &e.id2 : nullptr;
  case 4:
    if (key == "name") return &e.name;
    return key == "args" ? &e.args : nullptr;
  case 5: return key == "scope" ? &e.scope : nullptr;
  case 7:
    if (key == "bind_id") return &e.bindId;
    return key == "flow_in" ? &e.flowIn : nullptr;
  case 8: return key == "flow_out" ? &e.flowOut : nullptr;
  default: return nullptr;
  }
}

} // namespace

Scan scanEvent(JsonCursor& cursor, ChromeEvent& event) {
  event = {};
  JsonCursor in = cursor;
  in.skip();
  JsonToken key, value;
  for (bool first = true;; first = false) {
    if (const Scan scan = in.key(key, first); scan != Scan::Good) return scan;
    if (!key) break;
    if (const Scan scan = in.value(value); scan != Scan::Good) return scan;
    JsonToken* member = memberFor(event, key.text);
    if (!member) continue;
    const bool isNull = value.kind == JsonToken::Word && value.text == "null";
    *member = isNull ? JsonToken() : value;
  }
  cursor = in;
  return Scan::Good;
}

} // namespace reports::exchange
