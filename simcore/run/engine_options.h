// Engine options under their Poplar names, so that JSON from Poplar's documents works. Options with an effect in the simulator
// are listed with their defaults. Other well-formed names are kept, reported once, and have no effect.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace simcore::run {

struct EngineOption {
  std::string name, defaultValue, text;
  long long least = std::numeric_limits<long long>::min(); // least value of a number
  bool isPattern = false;                                  // the value is a regular expression; an empty one matches nothing
  bool isText = false;                                     // any text is a valid value
};
// The options that change what is simulated or written: debug.instrument, debug.allowOutOfMemory, prng.seed, …
const std::vector<EngineOption>& knownEngineOptions();

class EngineOptionSet {
public:
  // Throws Error(InvalidInput) for JSON that is not an object of scalars (`where` names its source), and for a value that a known
  // option cannot have. Later calls override earlier ones. True and 1 are true, False and 0 are false.
  void readJson(const std::string& text, const std::string& where);
  void set(const std::string& name, const std::string& value, const std::string& where);

  bool flag(const std::string& name) const; // of a known option
  long long integer(const std::string& name) const;
  std::string text(const std::string& name) const;
  bool isSet(const std::string& name) const { return m_values.count(name) > 0; }
  // Names and values of all known options and of all others that were set.
  std::map<std::string, std::string> all() const;
  // Names that were set and have no effect.
  const std::vector<std::string>& unknown() const { return m_unknown; }

private:
  std::string value(const std::string& name) const;
  std::map<std::string, std::string> m_values;
  std::vector<std::string> m_unknown;
};

} // namespace simcore::run
