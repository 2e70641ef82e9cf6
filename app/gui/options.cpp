#include "app/gui/options.h"

#include "reports/core/error.h"
#include "ui/parts/view.h"
#include "ui/state/report_file.h"
#include "ui/state/view_link.h"

#include <QCommandLineParser>
#include <QTextStream>
#include <QUrl>

namespace app::gui {

namespace {

[[noreturn]] void complain(const QString& message) {
  throw reports::Error(reports::ErrorCode::InvalidInput, message.toStdString(), {}, "see tilescope --help");
}

QSize parseSize(const QString& text) {
  const QStringList parts = text.split('x');
  bool wide = false, high = false;
  const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(&wide), parts[1].toInt(&high)) : QSize();
  if (!wide || !high || size.width() < 640 || size.height() < 480 || size.width() > 16384 || size.height() > 16384)
    complain(QStringLiteral("--size needs WIDTHxHEIGHT from 640x480 to 16384x16384, not \"%1\"").arg(text));
  return size;
}

} // namespace

Destination wholeDestination(const Destination& destination) {
  Destination whole = destination;
  for (QString& report : whole.reports) report = ui::shell::wholeName(report);
  if (auto link = ui::shell::parseLink(destination.at)) {
    for (QString& report : link->reports) report = ui::shell::wholeName(report);
    whole.at = ui::shell::linkText(*link);
  }
  return whole;
}

Options parseOptions(const QStringList& arguments, bool& done) {
  QCommandLineParser parser;
  parser.setApplicationDescription("Shows the memory, liveness and execution of programs for machines with thousands of tiles.");
  parser.addPositionalArgument("REPORT",
                               "A report (.tsr) or a trace, here or as ssh://[user@]host[:port]/path; two to eight are compared; "
                               "an ONNX model (.onnx) goes to the page Run.",
                               "[REPORT [OTHER…]]");
  const QCommandLineOption help({"h", "help"}, "Print this help."), version({"v", "version"}, "Print the version.");
  const QCommandLineOption compare("compare", "Compare two to eight reports with the first: the same as giving them.");
  const QCommandLineOption at("at", "Go where a link leads: the text of \"Copy link to this view\".", "LINK");
  const QCommandLineOption view("view", "Begin with this view, e.g. memory.", "NAME");
  const QCommandLineOption theme("theme", "light or dark; opens a new window even if one runs.", "THEME"),
      size("size", "Size of the window.", "WxH");
  const QCommandLineOption gallery(
      "gallery", "Write a screenshot of every view to DIR, without a display; --view, --theme and --size limit them.", "DIR");
  const QCommandLineOption follow("follow", "Show a trace while it is written; new events appear by themselves.", "FILE");
  const QCommandLineOption newInstance("new-instance", "Open another window, even if an open one would take the reports.");
  const QCommandLineOption everyTab("every-tab", "With --gallery: a screenshot of every tab of a view, too.");
  parser.addOptions({newInstance, help, version, compare, at, view, theme, size, gallery, everyTab, follow});
  if (!parser.parse(arguments)) complain(parser.errorText());

  Options options;
  if (parser.isSet(help) || parser.isSet(version)) {
    QTextStream(stdout) << (parser.isSet(help) ? parser.helpText() : QStringLiteral("tilescope " TILESCOPE_VERSION "\n"));
    done = true;
    return options;
  }
  options.reports = parser.positionalArguments();
  for (QString& report : options.reports) // the desktop passes files as URLs
    if (const QUrl url(report); url.isLocalFile()) report = url.toLocalFile();
  if (options.reports.size() > ui::shell::kMostReports)
    complain(QStringLiteral("more than %1 reports").arg(ui::shell::kMostReports));
  if (parser.isSet(compare) && options.reports.size() < 2) complain("--compare needs two to eight reports");
  options.view = parser.value(view);
  options.newInstance = parser.isSet(newInstance);
  options.at = parser.value(at);
  if (options.reports.size() == 1 && options.reports[0].startsWith(QStringLiteral("tilescope:")) && !parser.isSet(at)) {
    options.at = options.reports.takeFirst(); // after a click on a link, the argument is the link
    options.isAsked = true;
    if (!ui::shell::parseLink(options.at))
      complain(QStringLiteral("this is not a link to a view: \"%1\"").arg(options.at.left(200)));
  }
  if (parser.isSet(at) && !ui::shell::parseLink(options.at))
    complain(QStringLiteral("--at needs a link that begins with tilescope:?, in quotes, not \"%1\"").arg(options.at.left(200)));
  if (parser.isSet(theme)) {
    if (parser.value(theme) != "light" && parser.value(theme) != "dark") complain("--theme needs light or dark");
    options.dark = parser.value(theme) == "dark";
  }
  if (parser.isSet(size)) options.size = parseSize(parser.value(size));
  options.galleryFolder = parser.value(gallery);
  options.everyTab = parser.isSet(everyTab);
  options.follow = parser.value(follow);
  if (parser.isSet(follow) &&
      (options.follow.isEmpty() || !options.reports.isEmpty() || parser.isSet(gallery) || parser.isSet(at)))
    complain("--follow needs one trace file and nothing beside it");
  if (parser.isSet(gallery) && options.galleryFolder.isEmpty()) complain("--gallery needs a folder");
  if (options.everyTab && !parser.isSet(gallery)) complain("--every-tab is for screenshots: name a folder with --gallery");
  for (const QString& file : options.reports)
    if (parser.isSet(gallery) && file.endsWith(".onnx", Qt::CaseInsensitive))
      complain(QStringLiteral("--gallery shows reports: make one with tilescope-cli run %1").arg(file));
  return options;
}

} // namespace app::gui
