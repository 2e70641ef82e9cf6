#include "reports/sqlite/sql_functions.h"

#include "reports/core/categories.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/statement.h"

#include <sqlite3.h>

#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reports {

namespace {

void resultText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void nameFunction(sqlite3_context* context, int count, std::string_view (*name)(int64_t), sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) != SQLITE_INTEGER) return sqlite3_result_null(context);
  const int64_t n = sqlite3_value_int64(arguments[0]);
  if (n < 0 || n >= count) return sqlite3_result_null(context);
  resultText(context, name(n));
}
void activityFunction(sqlite3_context* context, int, sqlite3_value** arguments) {
  nameFunction(
      context, kActivityCount, [](int64_t n) { return activityName(Activity(n)); }, arguments);
}
void categoryFunction(sqlite3_context* context, int, sqlite3_value** arguments) {
  nameFunction(
      context, kMemoryCategoryCount, [](int64_t n) { return memoryCategoryName(MemoryCategory(n)); }, arguments);
}
// An error of the report becomes one of the statement; no exception leaves the function.
template<class F> void answerFrom(sqlite3_context* context, F&& body) {
  try {
    body();
  } catch (const Error& error) {
    sqlite3_result_error(context, error.message().c_str(), -1);
    if (error.code() == ErrorCode::Damaged) sqlite3_result_error_code(context, SQLITE_CORRUPT);
    if (error.code() == ErrorCode::Cancelled) sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void textFunction(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) != SQLITE_INTEGER) return sqlite3_result_null(context);
  auto& reader = *static_cast<Reader*>(sqlite3_user_data(context));
  answerFrom(context, [&] {
    const int64_t id = sqlite3_value_int64(arguments[0]);
    if (reader.hasText(id)) resultText(context, reader.text(id));
  });
}

// The parents and names of all debug contexts, read when a path is first requested.
class ContextPaths {
public:
  explicit ContextPaths(Reader& reader) : m_reader(reader) {}
  // Names from the root to the context, with slashes; nullopt for an unknown context.
  std::optional<std::string> path(int64_t id) {
    if (m_contexts.empty()) read();
    std::vector<std::string_view> names;
    for (auto at = m_contexts.find(id); at != m_contexts.end(); at = m_contexts.find(at->second.parent)) {
      if (names.size() > m_contexts.size()) return std::nullopt; // a damaged report: the parents form a circle
      if (m_reader.hasText(at->second.name)) names.push_back(m_reader.text(at->second.name));
    }
    if (names.empty()) return std::nullopt;
    std::string path;
    for (auto name = names.rbegin(); name != names.rend(); ++name) path.append(path.empty() ? "" : "/").append(*name);
    return path;
  }

private:
  struct Context {
    int64_t parent = -1, name = -1;
  };
  void read() {
    Statement contexts(m_reader.connection(), "SELECT id, coalesce(parent_id, -1), name_id FROM debug_context");
    while (contexts.step()) {
      int64_t id = 0;
      contexts.read(0, id, "debug_context.id");
      Context& context = m_contexts[id];
      contexts.read(1, context.parent, "debug_context.parent_id");
      contexts.read(2, context.name, "debug_context.name_id");
    }
  }
  Reader& m_reader;
  std::unordered_map<int64_t, Context> m_contexts;
};

void pathFunction(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) != SQLITE_INTEGER) return sqlite3_result_null(context);
  auto& paths = *static_cast<ContextPaths*>(sqlite3_user_data(context));
  answerFrom(context, [&] {
    if (const auto path = paths.path(sqlite3_value_int64(arguments[0]))) resultText(context, *path);
  });
}

} // namespace

void registerSqlFunctions(Reader& reader) {
  using Function = void (*)(sqlite3_context*, int, sqlite3_value**);
  const std::pair<const char*, Function> functions[] = {
      {"text", textFunction}, {"activity_name", activityFunction}, {"memory_category_name", categoryFunction}};
  for (const auto& [name, function] : functions) {
    const int code =
        sqlite3_create_function_v2(reader.connection().handle(), name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                                   &reader, function, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) reader.connection().fail(code, "register function");
  }
  // SQLite deletes the paths with the function, also if it cannot be registered.
  const int code = sqlite3_create_function_v2(
      reader.connection().handle(), "path", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, new ContextPaths(reader),
      pathFunction, nullptr, nullptr, [](void* paths) { delete static_cast<ContextPaths*>(paths); });
  if (code != SQLITE_OK) reader.connection().fail(code, "register function");
}

} // namespace reports
