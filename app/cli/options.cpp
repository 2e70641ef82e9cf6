#include "app/cli/options.h"

#include "reports/core/join.h"
#include "reports/core/spelling.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace app::cli {

Check::Check(const CLI::Validator& validator) : m_validator(std::make_shared<CLI::Validator>(validator)) {}

namespace {
template<class T> bool reads(const std::string& text, T& value) {
  const char *end = text.data() + text.size(), *begin = text.data() + (text.starts_with("+") ? 1 : 0);
  const auto [at, error] = std::from_chars(begin, end, value);
  return error == std::errc() && at == end;
}
} // namespace

Check isNotNegative() {
  return Check(CLI::Validator(
      [](std::string& text) {
        double value = 0;
        return reads(text, value) && std::isfinite(value) && value >= 0 ? std::string()
                                                                        : "'" + text + "' is not a number of 0 or more";
      },
      "NONNEGATIVE", "nonNegative"));
}

Check isBetween(double least, double most) {
  const std::string range = fmt::format("{} to {}", least, most);
  return Check(CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        return reads(text, value) && value >= least && value <= most ? std::string()
                                                                     : "'" + text + "' is not a number from " + range;
      },
      fmt::format("FLOAT in [{} - {}]", least, most), "between"));
}

Check isNamed() {
  return Check(CLI::Validator([](std::string& text) { return text.empty() ? std::string("a name is missing") : std::string(); },
                              "", "named"));
}

Check isWholeNumber() {
  return Check(CLI::Validator(
      [](std::string& text) {
        int64_t value = 0;
        return reads(text, value) ? std::string() : "'" + text + "' is not a whole number of 64 bits";
      },
      "", "wholeNumber"));
}

Check isPositive() {
  return Check(CLI::Validator(
      [](std::string& text) {
        double value = 0;
        return reads(text, value) && std::isfinite(value) && value > 0 ? std::string() : "'" + text + "' is not a number above 0";
      },
      "POSITIVE", "positive"));
}

Check isInRange(std::int64_t least, std::int64_t most) {
  return Check(CLI::Validator(
      [=](std::string& text) {
        int64_t value = 0;
        return reads(text, value) && value >= least && value <= most
                   ? std::string()
                   : fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
      },
      fmt::format("INT in [{} - {}]", least, most), "inRange"));
}

// choicesOf() reads the words from the description.
Check isOneOf(const std::vector<std::string>& words) {
  return Check(CLI::Validator(
      [=](std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return "'" + text + "' is not one of " + reports::joined(words);
      },
      "{" + reports::joined(words, {}, ",") + "}", "oneOf"));
}

Option& Option::required() {
  m_option->required();
  return *this;
}
Option& Option::check(const Check& check) {
  m_option->check(check.validator());
  return *this;
}
Option& Option::expected(int least, int most) {
  m_option->expected(least, most);
  return *this;
}
Option& Option::oneValueEach() {
  m_option->allow_extra_args(false);
  return *this;
}
Option& Option::everyOccurrence() {
  m_option->take_all()->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}
Option& Option::delimiter(char between) {
  m_option->delimiter(between);
  return *this;
}
Option& Option::asSize() {
  CLI::AsSizeValue size(false);
  m_option->transform(CLI::Validator(
      [size](std::string& text) {
        const std::string wrong = "'" + text + "' is not an amount of memory, such as 8GiB or 500MB";
        try {
          return size(text).empty() ? std::string() : wrong;
        } catch (const CLI::Error&) { // thrown by AsSizeValue for text that is not a size
          return wrong;
        }
      },
      size.get_description(), "size"));
  return *this;
}
Option& Option::excludes(const Option& other) {
  m_option->excludes(other.m_option);
  return *this;
}
Option& Option::each(std::function<void(const std::string&)> seen) {
  m_option->each(std::move(seen));
  return *this;
}
Option& Option::group(const std::string& title) {
  m_option->group(title);
  return *this;
}
Option& Option::showDefault() {
  m_option->capture_default_str();
  return *this;
}
Option& Option::showDefault(const std::string& value) {
  m_option->default_str(value);
  return *this;
}

template<class T> Option Options::addOption(const std::string& name, T& value, const std::string& help) {
  return Option(*m_app.add_option(name, value, help));
}
template Option Options::addOption(const std::string&, std::string&, const std::string&);
template Option Options::addOption(const std::string&, std::vector<std::string>&, const std::string&);
template Option Options::addOption(const std::string&, int&, const std::string&);
template Option Options::addOption(const std::string&, std::int64_t&, const std::string&);
template Option Options::addOption(const std::string&, std::uint64_t&, const std::string&);
template Option Options::addOption(const std::string&, double&, const std::string&);

Option Options::addFlag(const std::string& name, bool& value, const std::string& help) {
  return Option(*m_app.add_flag(name, value, help));
}
Option Options::addWord(const std::string& name, const std::function<void(const std::string&)>& read, const std::string& help) {
  return Option(*m_app.add_option_function<std::string>(name, read, help));
}
Option Options::addWords(const std::string& name, const std::function<void(const std::vector<std::string>&)>& read,
                         const std::string& help) {
  return Option(*m_app.add_option_function<std::vector<std::string>>(name, read, help));
}
Option Options::addFlag(const std::string& name, const std::function<void()>& given, const std::string& help) {
  return Option(*m_app.add_flag_callback(name, given, help));
}

Options Options::addCommand(const std::string& name, const std::string& summary) {
  return Options(*m_app.add_subcommand(name, summary));
}
void Options::requireCommand() { m_app.require_subcommand(1); }
void Options::whenChosen(const std::function<void()>& chosen) { m_app.callback(chosen); }
std::vector<std::string> Options::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : m_app.get_options())
    if (option->count() > 0 && !option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  return names;
}

void Options::footer(const std::string& text) { m_app.footer(text); }

namespace {
// Formats the help with lines of at most kHelpWidth characters; CLI11 leaves a description on one line.
constexpr std::size_t kHelpWidth = 100;

std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t lineBegin = 0;
  for (const char c : text) {
    lines += c;
    if (c == '\n') lineBegin = lines.size();
    if (lines.size() - lineBegin <= width) continue;
    const std::size_t space = lines.rfind(' ', lineBegin + width);
    if (space == std::string::npos || space <= lineBegin) continue; // a word longer than a line is not broken
    lines[space] = '\n';
    lineBegin = space + 1;
  }
  return lines;
}

class WrappedHelp : public CLI::Formatter {
public:
  // A long list of choices continues below its brace, after a comma.
  std::string make_option_opts(const CLI::Option* option) const override {
    constexpr std::size_t kIndent = 2;
    const std::string opts = Formatter::make_option_opts(option);
    const std::size_t before = kIndent + make_option_name(option, option->get_positional()).size();
    const std::string next(get_column_width(), ' ');
    std::string lines;
    for (std::size_t at = 0, lineAt = before; at < opts.size();) {
      const std::size_t comma = opts.find(',', at), end = comma == std::string::npos ? opts.size() : comma + 1;
      if (at > 0 && lineAt + end - at > kHelpWidth) lines += '\n' + next, lineAt = next.size();
      lines += opts.substr(at, end - at), lineAt += end - at, at = end;
    }
    return lines;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(Formatter::make_option_desc(option), kHelpWidth - get_column_width());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true),
                             wrapped(command->get_description(), kHelpWidth - get_column_width()), get_column_width());
    return out.str();
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(Formatter::make_description(app), kHelpWidth);
  }
  std::string make_footer(const CLI::App* app) const override { return wrapped(Formatter::make_footer(app), kHelpWidth); }
};
} // namespace

OptionParser::OptionParser(const std::string& description, const std::string& program, const std::string& version)
    : m_app(std::make_unique<CLI::App>(description, program)) {
  m_app->formatter(std::make_shared<WrappedHelp>()); // subcommands inherit it
  if (description.empty()) m_app->set_help_flag();
  if (version.empty()) return;
  m_app->set_version_flag("--version", version);
  m_app->require_subcommand(0, 1);
}
OptionParser::~OptionParser() = default;

Options OptionParser::options() { return Options(*m_app); }

template<class Words> std::string OptionParser::read(Words words) {
  try {
    m_app->parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) return e.what();
    m_answer = [this, e](std::ostream& out, std::ostream& err) { m_app->exit(e, out, err); };
  }
  return {};
}
std::string OptionParser::parse(const std::vector<std::string>& words) {
  const std::string wrong = read(std::vector<std::string>(words.rbegin(), words.rend())); // reversed, as CLI11 expects them
  const std::string meant = wrong.empty() ? std::string() : unknownOption(words);
  return meant.empty() ? wrong : meant;
}
std::string OptionParser::parseLine(const std::string& line) { return read(line); }

bool OptionParser::answered(std::ostream& out, std::ostream& err) const {
  if (m_answer) m_answer(out, err);
  return m_answer != nullptr;
}
bool OptionParser::hasCommand(const std::string& name) const { return m_app->got_subcommand(name); }
std::string OptionParser::help() const { return m_app->help(); }

namespace {
// The values that an option's check lists. CLI11 puts them into the name of the type: "TEXT:{half,float}".
std::vector<std::string> choicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

bool isNumber(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
}

CommandWords wordsOf(const CLI::App& app) {
  CommandWords words{app.get_name(), app.get_description(), {}, {}, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      words.positionals.push_back(
          {{option->get_name()}, option->get_description(), true, choicesOf(*option), {}, isNumber(*option)});
      continue;
    }
    OptionWords one{{},
                    option->get_description(),
                    option->get_items_expected_max() > 0,
                    choicesOf(*option),
                    option->get_default_str(),
                    isNumber(*option)};
    for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    words.options.push_back(std::move(one));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.commands.push_back(wordsOf(*command));
  return words;
}
} // namespace

CommandWords OptionParser::words() const { return wordsOf(*m_app); }

// "unknown option --optimizer; --optimiser was probably meant". CLI11 reports only its first error, which may be
// about the value of the misspelt option.
std::string OptionParser::unknownOption(const std::vector<std::string>& words) const {
  CommandWords command = this->words();
  for (const std::string& word : words) {
    if (word == "--") break;
    const auto chosen =
        std::find_if(command.commands.begin(), command.commands.end(), [&](const auto& c) { return c.name == word; });
    if (chosen != command.commands.end()) {
      const CommandWords inner = *chosen;
      command = inner;
      continue;
    }
    if (!word.starts_with("--")) continue;
    const std::string option = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const OptionWords& known : command.options)
      for (const std::string& name : known.names)
        if (name.starts_with("--")) names.push_back(name);
    if (std::find(names.begin(), names.end(), option) != names.end()) continue;
    const std::string meant = reports::likelyMeant(option, names);
    if (!meant.empty()) return "unknown option " + option + "; " + meant + " was probably meant";
    const std::string near = reports::joined(reports::nearestNames(option, names, 3));
    return "unknown option " + option + (near.empty() ? "" : "; similar ones are " + near);
  }
  return {};
}

} // namespace app::cli
