// The arguments of slices and instants: a JSON object for each details id. A value inside others has a path: "shape.dims[0]".
#pragma once

#include "analyser/columns/column.h"
#include "analyser/session/session.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace analyser::host {

struct Argument {
  int parent = -1; // index into the list; -1: none
  std::string key, path;
  std::string value; // text of a string, number or word; empty for an object and an array with elements
  bool isNumber = false, isLeaf = true;
};
// Parents before their children, in the order of the object; at most `most`. A text that is not an object, or is nested
// deeper than 64 levels, is one argument without a key.
std::vector<Argument> argumentsOf(const std::string& json, std::size_t most = 2000);

const columns::Columns<Argument>& argumentColumns();

// A filter typed by the user: "batch=17", "shape.dims[0]=3", `name="a b"`. The key is the path of an argument, or its end.
struct TypedArgument {
  std::string key, value;
  bool matches(const Argument& argument) const;
};
std::optional<TypedArgument> typedArgument(std::string_view text);

// By details id: whether the details have a matching argument. Only texts for which `mayMatch` is true are parsed.
std::vector<bool> detailsWith(Session& session, const std::function<bool(const std::string& json)>& mayMatch,
                              const std::function<bool(const Argument&)>& isWanted, const std::stop_token& stop = {});

// Reads details one by one; fast if their ids ascend. The session must outlive it.
class DetailsReader {
public:
  explicit DetailsReader(Session& session) : m_session(session) {}
  const std::string& text(int64_t id); // the details with this id; empty if there are none; valid until the next call

private:
  Session& m_session;
  int64_t m_first = 0;
  std::vector<std::string> m_texts; // of one chunk
};

} // namespace analyser::host
