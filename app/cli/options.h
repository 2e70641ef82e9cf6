// The options of a command, declared without the parser's header: CLI11 is one large header, and every source that includes it
// compiles all of its classes. Only options.cpp does. Checks are here if CLI11 lacks one or has a flaw: it silently clamps a
// number that is too large, prints the range of "not negative" with three hundred digits, and accepts "nan" between any two
// numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
} // namespace CLI

namespace app::cli {

// A condition on the value of an option.
class Check {
public:
  explicit Check(const CLI::Validator& validator);
  const CLI::Validator& validator() const { return *m_validator; }

private:
  std::shared_ptr<const CLI::Validator> m_validator;
};
Check isNotNegative(); // a finite number of 0 or more
Check isPositive();
Check isBetween(double least, double most);
Check isInRange(std::int64_t least, std::int64_t most);
Check isWholeNumber(); // fits 64 bits
Check isNamed();       // not empty: an unset shell variable is not a file name
Check isOneOf(const std::vector<std::string>& words);

// A declared option. It lives as long as its command.
class Option {
public:
  explicit Option(CLI::Option& option) : m_option(&option) {}

  Option& required();
  Option& check(const Check& check);
  Option& expected(int least, int most); // number of values
  Option& oneValueEach();                // each further value needs the option again
  Option& everyOccurrence();             // like oneValueEach(), and every value is kept
  Option& delimiter(char between);
  Option& asSize(); // accepts "8GiB" as a number
  Option& excludes(const Option& other);
  Option& each(std::function<void(const std::string&)> seen);
  Option& group(const std::string& title); // title in the help
  // The help shows the default: the variable's value, or this text.
  Option& showDefault();
  Option& showDefault(const std::string& value);

private:
  CLI::Option* m_option;
};

class Options {
public:
  explicit Options(CLI::App& app) : m_app(app) {}

  // Instantiated in options.cpp for the types of options.
  template<class T> Option addOption(const std::string& name, T& value, const std::string& help = {});
  Option addFlag(const std::string& name, bool& value, const std::string& help);
  // The option's word is passed to the function.
  Option addWord(const std::string& name, const std::function<void(const std::string&)>& read, const std::string& help);
  Option addWords(const std::string& name, const std::function<void(const std::vector<std::string>&)>& read,
                  const std::string& help);
  Option addFlag(const std::string& name, const std::function<void()>& given, const std::string& help);

  Options addCommand(const std::string& name, const std::string& summary);
  void requireCommand(); // one of its subcommands must be given
  void whenChosen(const std::function<void()>& chosen);
  void footer(const std::string& text);   // sets the last text of the help
  std::vector<std::string> given() const; // after parsing: the options that were given, by their first name with dashes

private:
  CLI::App& m_app;
};

// Words for completion and for the manual page.
struct OptionWords {
  std::vector<std::string> names; // "-o", "--report"
  std::string help;
  bool takesValue = false;
  std::vector<std::string> choices; // values that its check lists; empty: any value
  std::string defaultValue;         // as the help shows it; empty: none is shown
  bool isNumber = false;
  // By sample: values if the sample's name is on the line before; other lines have `choices`.
  std::map<std::string, std::vector<std::string>> choicesOfSample = {};
};
struct CommandWords {
  std::string name, summary;
  std::vector<OptionWords> options, positionals;
  std::vector<std::string> words; // possible values of an argument
  std::vector<CommandWords> commands;
};

// Parses words with the options. parse() returns the error, or "".
class OptionParser {
public:
  // `version` adds --version, `description` adds --help.
  explicit OptionParser(const std::string& description = {}, const std::string& program = {}, const std::string& version = {});
  ~OptionParser();

  Options options();
  std::string parse(const std::vector<std::string>& words);
  std::string parseLine(const std::string& line);
  // Whether --help or --version was given. If so, prints the answer.
  bool answered(std::ostream& out, std::ostream& err) const;
  bool hasCommand(const std::string& name) const; // whether the words contain the command
  std::string help() const;
  CommandWords words() const;

private:
  template<class Words> std::string read(Words words);
  std::string unknownOption(const std::vector<std::string>& words) const;

  std::unique_ptr<CLI::App> m_app;
  std::function<void(std::ostream&, std::ostream&)> m_answer;
};

} // namespace app::cli
