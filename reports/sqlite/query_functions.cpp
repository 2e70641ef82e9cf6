#include "reports/sqlite/query_functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <string>

namespace reports {

namespace {

// The bytes of an argument, text or BLOB. Throws std::bad_alloc if SQLite has no memory to convert it.
std::string_view bytesOf(sqlite3_value* value) {
  const void* bytes = nullptr;
  const bool isBlob = sqlite3_value_type(value) == SQLITE_BLOB;
  bytes = isBlob ? sqlite3_value_blob(value) : sqlite3_value_text(value);
  const int size = sqlite3_value_bytes(value);
  if (!bytes && size > 0) throw std::bad_alloc();
  if (!bytes && !isBlob) throw std::bad_alloc();
  return {static_cast<const char*>(bytes), std::size_t(size)};
}

// memmem() is linear, std::string_view::find() is not.
std::size_t positionOf(std::string_view text, std::string_view part, std::size_t from) {
  if (part.empty()) return from;
  if (from >= text.size()) return std::string_view::npos;
  const void* at = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return at ? std::size_t(static_cast<const char*>(at) - text.data()) : std::string_view::npos;
}

bool isLaterByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; } // of a character in UTF-8

// One function's body: returns NULL for a NULL argument, and lets no exception escape.
template<class F> void answer(sqlite3_context* context, int argc, sqlite3_value** argv, F&& body) {
  for (int i = 0; i < argc; ++i)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return sqlite3_result_null(context);
  try {
    body();
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void giveText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// The position of the second argument in the first, from 1; 0 if absent. For two BLOBs in bytes, else in characters.
void instr(sqlite3_context* context, int argc, sqlite3_value** argv) {
  answer(context, argc, argv, [&] {
    const bool isBlob = sqlite3_value_type(argv[0]) == SQLITE_BLOB && sqlite3_value_type(argv[1]) == SQLITE_BLOB;
    if (!isBlob) { // like SQLite: a BLOB beside a text is read as text
      sqlite3_value_text(argv[0]);
      sqlite3_value_text(argv[1]);
    }
    const std::string_view text = bytesOf(argv[0]), part = bytesOf(argv[1]);
    const std::size_t at = positionOf(text, part, 0);
    if (at == std::string_view::npos) return sqlite3_result_int64(context, 0);
    const auto later = isBlob ? 0 : std::count_if(text.begin(), text.begin() + std::ptrdiff_t(at), isLaterByte);
    sqlite3_result_int64(context, sqlite3_int64(at) - later + 1);
  });
}

void replace(sqlite3_context* context, int argc, sqlite3_value** argv) {
  answer(context, argc, argv, [&] {
    const auto text = [&](int i) {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(argv[i]));
      if (!bytes) throw std::bad_alloc();
      return std::string_view(bytes, std::size_t(sqlite3_value_bytes(argv[i])));
    };
    const std::string_view whole = text(0), part = text(1);
    if (part.empty()) return sqlite3_result_value(context, argv[0]);
    const std::string_view with = text(2);
    const auto limit = std::size_t(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
    std::string result;
    for (std::size_t from = 0;;) {
      const std::size_t at = positionOf(whole, part, from);
      result.append(whole.substr(from, at == std::string_view::npos ? at : at - from));
      if (at == std::string_view::npos) break;
      result.append(with);
      if (result.size() > limit) return sqlite3_result_error_toobig(context);
      from = at + part.size();
    }
    giveText(context, result);
  });
}

std::set<std::string_view> charactersOf(std::string_view text) {
  std::set<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && isLaterByte(text[end])) ++end;
    characters.insert(text.substr(at, end - at));
    at = end;
  }
  return characters;
}

enum Side { kLeft = 1, kRight = 2, kBoth = 3 };
template<int kSides> void trim(sqlite3_context* context, int argc, sqlite3_value** argv) {
  answer(context, argc, argv, [&] {
    const auto text = [&](int i) {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(argv[i]));
      if (!bytes) throw std::bad_alloc();
      return std::string_view(bytes, std::size_t(sqlite3_value_bytes(argv[i])));
    };
    std::string_view rest = text(0);
    const auto removed = argc > 1 ? charactersOf(text(1)) : std::set<std::string_view>{" "};
    while ((kSides & kLeft) && !rest.empty()) {
      std::size_t end = 1;
      while (end < rest.size() && isLaterByte(rest[end])) ++end;
      if (!removed.contains(rest.substr(0, end))) break;
      rest.remove_prefix(end);
    }
    while ((kSides & kRight) && !rest.empty()) {
      std::size_t begin = rest.size() - 1;
      while (begin > 0 && isLaterByte(rest[begin])) --begin;
      if (!removed.contains(rest.substr(begin))) break;
      rest = rest.substr(0, begin);
    }
    giveText(context, rest);
  });
}

} // namespace

void registerQueryFunctions(Connection& connection) {
  using Function = void (*)(sqlite3_context*, int, sqlite3_value**);
  struct Entry {
    const char* name;
    int arguments;
    Function function;
  };
  constexpr Entry kFunctions[] = {{"instr", 2, instr},        {"replace", 3, replace},   {"trim", 1, trim<kBoth>},
                                  {"trim", 2, trim<kBoth>},   {"ltrim", 1, trim<kLeft>}, {"ltrim", 2, trim<kLeft>},
                                  {"rtrim", 1, trim<kRight>}, {"rtrim", 2, trim<kRight>}};
  for (const Entry& e : kFunctions) {
    const int code = sqlite3_create_function_v2(connection.handle(), e.name, e.arguments,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr, e.function,
                                                nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) connection.fail(code, std::string("register function ") + e.name);
  }
}

} // namespace reports
