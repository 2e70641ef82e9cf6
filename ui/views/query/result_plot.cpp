#include "ui/views/query/result_plot.h"

#include "ui/parts/picture_menu.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/plot_axes.h"
#include "ui/plot/plot_table.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <qcustomplot.h>

#include <cmath>

namespace ui::query {

using analyser::query::Result;

namespace {

constexpr int kRows = -1, kAll = -1;             // item data of the first entry of each box
constexpr int kLine = 0, kPoints = 1, kBars = 2; // indices of the styles
constexpr std::size_t kMostNames = 40;           // most rows that are labelled with their names
constexpr int kNameLetters = 24;
constexpr double kSlant = -30; // degrees

std::optional<double> numberIn(const analyser::query::Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value); real && std::isfinite(*real)) return *real;
  return std::nullopt;
}

bool rises(const Result& result, std::size_t column) {
  std::optional<double> before;
  for (const auto& row : result.rows) {
    const auto value = numberIn(row[column]);
    if (!value || (before && *value <= *before)) return false;
    before = value;
  }
  return true;
}

// Whether the numbers are identifiers, not measures: of a row, a tile, a position in an order.
bool isNumberOfThing(const std::string& column) {
  static const QRegularExpression kThing(
      QStringLiteral("(^|_)(id|ids|ipu|tile|ordinal|index|idx|number|rowid|step|lane|depth|track|parent)$"),
      QRegularExpression::CaseInsensitiveOption);
  return kThing.match(theme::reportText(column)).hasMatch();
}

// The initial column of the plot: the last one that is not an id, tile number or the like; else the last column.
std::size_t measureOf(const Result& result, const std::vector<std::size_t>& numbers) {
  const auto measure =
      std::find_if(numbers.rbegin(), numbers.rend(), [&](std::size_t c) { return !isNumberOfThing(result.columns[c]); });
  return measure == numbers.rend() ? numbers.back() : *measure;
}

// Bars with a gap of a fifth of the least distance between two positions.
QCPAbstractPlottable* addBars(QCustomPlot& plot, const QVector<double>& x, const QVector<double>& y, const QColor& colour) {
  QVector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  double least = std::numeric_limits<double>::infinity();
  for (qsizetype k = 1; k < sorted.size(); ++k)
    if (sorted[k] > sorted[k - 1]) least = std::min(least, sorted[k] - sorted[k - 1]);
  auto* bars = new QCPBars(plot.xAxis, plot.yAxis);
  bars->setData(x, y);
  bars->setWidthType(QCPBars::wtPlotCoords);
  bars->setWidth(std::isfinite(least) ? 0.8 * least : 0.8);
  bars->setBrush(colour), bars->setPen(Qt::NoPen);
  return bars;
}

QCPAbstractPlottable* addGraph(QCustomPlot& plot, const QVector<double>& x, const QVector<double>& y, const QColor& colour,
                               bool points) {
  auto* graph = new QCPGraph(plot.xAxis, plot.yAxis);
  graph->setData(x, y);
  graph->setPen(QPen(colour, 1.5));
  if (!points) return graph;
  graph->setLineStyle(QCPGraph::lsNone);
  graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
  return graph;
}

// Prints "40 M" as all other plots do, or the full number if three digits cannot distinguish two ticks.
class NumberTicker : public QCPAxisTicker {
protected:
  double getTickStep(const QCPRange& range) override { return m_step = QCPAxisTicker::getTickStep(range); }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
    constexpr double kShort = 1e4, kLargest = 9e18, kDigits = 200;
    const bool isLong = m_step * kDigits < std::abs(tick);
    if (std::abs(tick) < kShort || std::abs(tick) > kLargest || (isLong && m_step < 1))
      return QCPAxisTicker::getTickLabel(tick, locale, format, precision);
    return isLong ? theme::count(std::llround(tick)) : theme::withoutZeros(theme::countShort(tick));
  }

private:
  double m_step = 0;
};

QSharedPointer<QCPAxisTicker> namesOf(const Result& result, std::size_t column) {
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  const auto isShort = [](const QString& text) { return text.size() <= kNameLetters; };
  for (std::size_t r = 0; r < result.rows.size(); ++r)
    if (const auto* text = std::get_if<std::string>(&result.rows[r][column])) {
      const QString whole = theme::reportText(*text);
      const QString path = isShort(whole) ? whole : theme::pathWithoutMiddle(whole, isShort);
      ticker->addTick(double(r), path.isEmpty() ? whole.left(kNameLetters - 1) + QChar(0x2026) : path);
    }
  return ticker;
}

} // namespace

std::vector<std::size_t> numberColumns(const Result& result) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    bool any = false, only = true;
    for (const auto& row : result.rows) {
      const bool isNumber = numberIn(row[c]).has_value();
      any |= isNumber, only &= isNumber || std::holds_alternative<analyser::query::Null>(row[c]);
    }
    if (any && only) columns.push_back(c);
  }
  return columns;
}

ResultPlot::ResultPlot(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kHalf, 0, 0);
  column->setSpacing(theme::kHalf);
  m_choices = new QWidget;
  auto* line = new QHBoxLayout(m_choices);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(theme::kGrid);
  const auto addBox = [&](const QString& title) {
    auto* label = theme::plainLabel(title);
    auto* box = new QComboBox;
    box->setAccessibleName(title);
    label->setBuddy(box);
    line->addWidget(label), line->addWidget(box);
    connect(box, &QComboBox::activated, this, &ResultPlot::draw);
    return box;
  };
  m_up = addBox(tr("Draw"));
  m_across = addBox(tr("over"));
  m_style = addBox(tr("as"));
  m_style->addItem(tr("Line"), "line");
  m_style->addItem(tr("Points"), "points");
  m_style->addItem(tr("Bars"), "bars");
  connect(m_style, &QComboBox::activated, this, [this](int style) { m_chosenStyle = style; });
  line->addStretch(1);
  column->addWidget(m_choices);
  column->addWidget(m_note = theme::plainLabel());
  m_note->setProperty("role", "secondary");
  column->addWidget(m_plot = new QCustomPlot, 1);
  m_plot->setAccessibleName(tr("Plot of the result"));
  m_plot->setProperty(shell::kPicture, true);
  m_plot->setProperty(plot::kTwin, tr("Result of the query"));
  m_plot->setFocusPolicy(Qt::StrongFocus);
  m_plot->setContextMenuPolicy(Qt::NoContextMenu);        // the view has its own menu
  m_plot->setAttribute(Qt::WA_NoMousePropagation, false); // if on, as QCustomPlot sets it, right clicks do not reach the view
  m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  m_plot->setMinimumSize(200, 100);
  m_plot->legend->setVisible(false);
  connect(m_plot, &QCustomPlot::mouseDoubleClick, this, &ResultPlot::draw); // shows everything again
  connect(&theme, &theme::Theme::changed, this, &ResultPlot::restyle);
  connect(&theme, &theme::Theme::posed, this, [this] { // restyle() resets the ranges
    const QCPRange x = m_plot->xAxis->range(), y = m_plot->yAxis->range();
    restyle();
    m_plot->xAxis->setRange(x), m_plot->yAxis->setRange(y);
  });
  setResult(nullptr);
  restyle();
}

void ResultPlot::restyle() {
  plot::styleAxes(*m_plot, m_theme);
  m_plot->legend->setBrush(m_theme.tokens().surface), m_plot->legend->setBorderPen(QPen(m_theme.tokens().line));
  m_plot->legend->setTextColor(m_theme.tokens().text), m_plot->legend->setFont(m_theme.small());
  draw();
}

void ResultPlot::addFields(shell::ViewFields& fields) {
  fields.items("plot.up", *m_up);
  fields.items("plot.across", *m_across);
  fields.items("plot.style", *m_style);
}

void ResultPlot::setResult(std::shared_ptr<const Result> result) {
  m_result = std::move(result);
  m_numbers = m_result ? numberColumns(*m_result) : std::vector<std::size_t>();
  m_across->clear(), m_up->clear();
  m_across->addItem(tr("the rows in their order"), kRows);
  if (m_numbers.size() > 1) m_up->addItem(tr("all columns"), kAll);
  for (const std::size_t c : m_numbers)
    for (QComboBox* box : {m_across, m_up}) box->addItem(theme::reportText(m_result->columns[c]), int(c));
  if (!m_numbers.empty()) {
    const std::size_t measure = measureOf(*m_result, m_numbers);
    const auto rising =
        std::find_if(m_numbers.begin(), m_numbers.end(), [&](std::size_t c) { return c != measure && rises(*m_result, c); });
    m_up->setCurrentIndex(m_up->findData(int(measure)));
    if (rising != m_numbers.end()) m_across->setCurrentIndex(m_across->findData(int(*rising)));
  }
  const bool isDrawn = !m_numbers.empty();
  m_choices->setVisible(isDrawn), m_plot->setVisible(isDrawn);
  const bool isNamed = isDrawn && m_across->currentIndex() == 0 && nameColumn();
  m_style->setCurrentIndex(m_chosenStyle >= 0 ? m_chosenStyle : isNamed ? kBars : kLine);
  m_note->setVisible(!isDrawn);
  m_note->setText(m_result ? tr("No column of the result holds only numbers.") : tr("Run a query to draw its result."));
  draw();
}

void ResultPlot::setNone(const QString& why) {
  setResult(nullptr);
  if (!why.isEmpty()) m_note->setText(why);
}

std::optional<std::size_t> ResultPlot::nameColumn() const {
  if (!m_result || m_result->rows.empty() || m_result->rows.size() > kMostNames) return std::nullopt;
  for (std::size_t c = 0; c < m_result->columns.size(); ++c)
    if (std::holds_alternative<std::string>(m_result->rows.front()[c])) return c;
  return std::nullopt;
}

void ResultPlot::draw() {
  m_plot->clearPlottables();
  if (!m_result || m_numbers.empty()) return;
  const int across = m_across->currentData().toInt(), chosen = m_up->currentData().toInt(), style = m_style->currentIndex();
  std::vector<std::size_t> drawn;
  for (const std::size_t c : m_numbers)
    if (chosen == kAll ? int(c) != across : int(c) == chosen) drawn.push_back(c);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    QVector<double> x, y;
    for (std::size_t r = 0; r < m_result->rows.size(); ++r) {
      const auto& row = m_result->rows[r];
      const auto at = across == kRows ? std::optional(double(r)) : numberIn(row[std::size_t(across)]);
      const auto value = numberIn(row[drawn[i]]);
      if (at && value) x.push_back(*at), y.push_back(*value);
    }
    const QColor colour = m_theme.series(int(i));
    QCPAbstractPlottable* made =
        style == kBars ? addBars(*m_plot, x, y, colour) : addGraph(*m_plot, x, y, colour, style == kPoints);
    made->setName(theme::reportText(m_result->columns[drawn[i]]));
  }
  const std::optional<std::size_t> names = across == kRows ? nameColumn() : std::nullopt;
  m_plot->xAxis->setTicker(names ? namesOf(*m_result, *names) : QSharedPointer<NumberTicker>::create());
  m_plot->xAxis->setTickLabelRotation(names ? kSlant : 0);
  m_plot->xAxis->setLabel(names             ? theme::reportText(m_result->columns[*names])
                          : across == kRows ? tr("Row")
                                            : m_across->currentText());
  m_plot->yAxis->setTicker(QSharedPointer<NumberTicker>::create());
  m_plot->yAxis->setLabel(drawn.size() == 1 ? theme::reportText(m_result->columns[drawn.front()]) : QString());
  m_plot->legend->setVisible(drawn.size() > 1);
  m_plot->rescaleAxes();
  if (style != kPoints && m_plot->yAxis->range().lower > 0) m_plot->yAxis->setRangeLower(0);
  constexpr double kHeadroom = 0.05; // share of the height: the highest value must not touch the frame
  m_plot->yAxis->setRangeUpper(m_plot->yAxis->range().upper + kHeadroom * m_plot->yAxis->range().size());
  m_plot->setAccessibleDescription(tr("%1 over %2, %3; the table beside it has the numbers")
                                       .arg(m_up->currentText(), m_across->currentText(),
                                            theme::plural(int64_t(m_result->rows.size()), tr("row"), tr("rows"))));
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace ui::query
