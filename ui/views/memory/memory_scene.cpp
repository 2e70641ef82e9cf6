#include "ui/views/memory/memory_scene.h"

#include "analyser/session/session.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QObject>

#include <algorithm>

namespace ui::memory {

using analyser::memory::TileMetric;
using theme::reportText;

namespace {

reports::Bytes bytesAt(const std::vector<reports::Bytes>& values, int tile) {
  return std::size_t(tile) < values.size() ? values[std::size_t(tile)] : reports::Bytes();
}

reports::Bytes sumOn(const std::vector<reports::Bytes>& values, std::span<const int> tiles) {
  reports::Bytes sum;
  for (const int tile : tiles) sum += bytesAt(values, tile);
  return sum;
}

QString tr(const char* text) { return QObject::tr(text); }

// The tooltip of two reports: A, B and the change, of a tile or of the tiles of an IPU.
template<class Amount, class Part>
plot::Card changeCard(const MemoryScene& scene, const theme::Theme& theme, Amount amount, Part part) {
  plot::Card card;
  const int64_t a = amount(scene), b = amount(*scene.other);
  card.rows = {{tr("A"), scene.amountText(a), theme.series(0)},
               {tr("B"), scene.amountText(b), theme.series(1)},
               {tr("B − A"), scene.changeText(b - a), {}}};
  for (std::size_t p = 0; !scene.metric && p < scene.memory->parts.size(); ++p) {
    const reports::Bytes change = part(scene.other->memory->parts[p].values) - part(scene.memory->parts[p].values);
    if (change != reports::Bytes())
      card.rows.push_back(
          {reportText(scene.memory->parts[p].title), scene.format.bytesDelta(change), scene.partColour(theme, p)});
  }
  return card;
}

// Joins a part of both reports: the values of A's tiles, then those of B's.
analyser::memory::TileSeries joined(const analyser::memory::TileSeries* a, const analyser::memory::TileSeries* b,
                                    std::size_t tilesOfA, std::size_t tilesOfB) {
  analyser::memory::TileSeries both = a ? *a : *b;
  both.values.assign(tilesOfA + tilesOfB, reports::Bytes());
  both.sum = (a ? a->sum : reports::Bytes()) + (b ? b->sum : reports::Bytes());
  if (a) std::copy(a->values.begin(), a->values.end(), both.values.begin());
  if (b) std::copy(b->values.begin(), b->values.end(), both.values.begin() + std::ptrdiff_t(tilesOfA));
  return both;
}

analyser::memory::TileSeries partOf(const analyser::memory::TileSeries& both, std::size_t first, std::size_t count) {
  analyser::memory::TileSeries part = both;
  part.values.assign(both.values.begin() + std::ptrdiff_t(first), both.values.begin() + std::ptrdiff_t(first + count));
  part.sum = part.max = {}, part.maxTile = {};
  for (std::size_t tile = 0; tile < count; ++tile) {
    part.sum += part.values[tile];
    if (part.values[tile] > part.max) part.max = part.values[tile], part.maxTile = reports::TileId(tile);
  }
  return part;
}

} // namespace

void alignParts(analyser::memory::TileMemory& a, analyser::memory::TileMemory& b, std::size_t most) {
  const auto find = [](const analyser::memory::TileMemory& in, const std::string& name) {
    const auto at = std::find_if(in.parts.begin(), in.parts.end(), [&](const auto& part) { return part.name == name; });
    return at == in.parts.end() ? nullptr : &*at;
  };
  const std::size_t ofA = a.total.values.size(), ofB = b.total.values.size();
  std::vector<analyser::memory::TileSeries> both;
  for (const auto& part : a.parts) both.push_back(joined(&part, find(b, part.name), ofA, ofB));
  for (const auto& part : b.parts)
    if (!find(a, part.name)) both.push_back(joined(nullptr, &part, ofA, ofB));
  std::stable_sort(both.begin(), both.end(), [](const auto& x, const auto& y) { return x.sum > y.sum; });
  both = foldSmallParts(std::move(both), most);
  a.parts.clear(), b.parts.clear();
  for (const auto& part : both) a.parts.push_back(partOf(part, 0, ofA)), b.parts.push_back(partOf(part, ofA, ofB));
}

const analyser::Machine& MemoryScene::machine() const {
  const auto& mine = session->machine();
  return other && other->session->machine().tiles() > mine.tiles() ? other->session->machine() : mine;
}

int64_t MemoryScene::amountOf(const MemoryOfReport& report, int tile) {
  if (report.metric) return std::size_t(tile) < report.metric->values.size() ? report.metric->values[std::size_t(tile)] : 0;
  return report.memory ? bytesAt(report.memory->total.values, tile).value() : 0;
}

int64_t MemoryScene::figureOf(int tile) const {
  return other ? amountOf(*other, tile) - amountOf(*this, tile) : amountOf(*this, tile);
}

QString MemoryScene::amountText(int64_t value) const {
  if (!metric) return format.bytes(reports::Bytes(value));
  if (metric->metric == TileMetric::Cycles) return format.cycles(reports::Cycles(value));
  if (metric->metric == TileMetric::Utilisation) return theme::percent(double(value) / 1e6);
  return format.bytes(reports::Bytes(value));
}

QString MemoryScene::changeText(int64_t value) const {
  if (!metric) return format.bytesDelta(reports::Bytes(value));
  if (metric->metric == TileMetric::Cycles) return format.cyclesDelta(reports::Cycles(value));
  if (metric->metric == TileMetric::Utilisation)
    return tr("%1 points").arg(theme::percentDelta(double(value) / 1e6).remove('%').trimmed());
  return format.bytesDelta(reports::Bytes(value));
}

QString MemoryScene::figureText(int64_t value) const { return other ? changeText(value) : amountText(value); }

QString MemoryScene::metricTitle() const {
  QString title = metric ? reportText(analyser::memory::tileMetricTitle(metric->metric)) : QString();
  return format.showsSeconds() ? title.replace(tr("cycles"), tr("time")) : title;
}

bool MemoryScene::isOfMemory() const { return !metric || metric->metric == TileMetric::Alive; }

// Bytes of the tiles of an IPU are summed; cycles and utilisation are averaged, because tiles work in parallel.
int64_t MemoryScene::metricAt(const MemoryOfReport& report, std::span<const int> tiles) const {
  int64_t sum = 0;
  for (const int tile : tiles) sum += amountOf(report, tile);
  return tiles.empty() || analyser::memory::countsBytes(metric->metric) ? sum : sum / int64_t(tiles.size());
}

analyser::Sentence MemoryScene::changeVerdict(std::span<const int> tiles) const {
  using analyser::Sentence;
  using ChangedBytes = Sentence::Change<reports::Bytes>;
  int64_t more = 0, less = 0, most = 0, mostInOther = 0;
  for (const int tile : tiles) {
    const int64_t a = amountOf(*this, tile), b = amountOf(*other, tile);
    more += b > a, less += b < a;
    most = std::max(most, a), mostInOther = std::max(mostInOther, b);
  }
  Sentence verdict;
  if (metric) {
    verdict << metricTitle().toStdString() << ": ";
    if (more + less == 0) return verdict << "the same on every tile of both reports.";
    verdict << "at most " << amountText(mostInOther).toStdString() << " on a tile instead of " << amountText(most).toStdString();
    return verdict << "; " << more << " tiles have more, " << less << " less.";
  }
  if (more + less == 0) return "Every tile holds the same in both reports.";
  const auto &a = memory->total, &b = other->memory->total;
  return verdict << "The fullest tile holds " << ChangedBytes{b.max - a.max} << " (" << b.max << " instead of " << a.max
                 << "), all tiles together " << ChangedBytes{b.sum - a.sum} << "; " << more << " tiles hold more, " << less
                 << " less.";
}

QColor MemoryScene::metricColour(const theme::Theme& theme) const {
  if (!metric) return theme.tokens().disabled;
  if (metric->metric == TileMetric::Alive) return theme.memory(reports::MemoryCategory::Variable);
  const bool isExchange = analyser::memory::countsBytes(metric->metric);
  return theme.activity(isExchange ? reports::Activity::InternalExchange : reports::Activity::Compute);
}

QColor MemoryScene::partColour(const theme::Theme& theme, std::size_t part) const {
  if (!memory) return theme.tokens().disabled; // a legend may be painted once more after clear()
  const auto& parts = memory->parts;
  if (part < parts.size() && parts[part].category) return theme.memory(*parts[part].category);
  if (part < parts.size()) {
    using namespace analyser::memory;
    if (parts[part].name == kAlwaysLive) return theme.alwaysLive();
    if (parts[part].name == kNotAlwaysLive) return theme.notAlwaysLive();
    if (parts[part].name == kOverflowed) return theme.tokens().bad;
  }
  return byCategory ? theme.tokens().disabled : theme.series(int(part));
}

// Variables may have the hues of parts, because their lines have a border. The first variable is the selected one and has the
// text colour.
QColor MemoryScene::variableColour(const theme::Theme& theme, std::size_t variable) const {
  return variable == 0 ? theme.tokens().text : theme.series(int(variable) + 1);
}

plot::Card MemoryScene::tileCard(const theme::Theme& theme, int tile) const {
  plot::Card card;
  if (!memory || tile < 0 || tile >= machine().tiles()) return card;
  if (other)
    card = changeCard(
        *this, theme, [tile](const MemoryOfReport& report) { return amountOf(report, tile); },
        [tile](const auto& values) { return bytesAt(values, tile); });
  card.title = machine().ipus > 1 ? tr("Tile %1, IPU %2").arg(tile).arg(tile / machine().tilesPerIpu) : tr("Tile %1").arg(tile);
  card.hint = tr("Click selects, Shift-click adds");
  if (other) return card;
  const auto at = std::size_t(tile);
  const auto bytes = [this](reports::Bytes b) { return format.bytesExact(b); };
  if (metric) {
    if (at < metric->values.size()) card.rows.push_back({metricTitle(), amountText(metric->values[at]), metricColour(theme)});
    card.rows.push_back({tr("memory"), bytes(bytesAt(memory->total.values, tile)), {}});
    return card;
  }
  card.rows.push_back({tr("without gaps"), bytes(bytesAt(memory->total.values, tile)), {}});
  const reports::Bytes whole = bytesAt(memory->totalWithGaps.values, tile);
  card.rows.push_back(
      {tr("with gaps"),
       tr("%1 (%2)").arg(bytes(whole), theme::percent(ratio(whole, std::max(memory->capacity, reports::Bytes(1))))),
       {}});
  for (std::size_t p = 0; p < memory->parts.size(); ++p)
    if (const auto part = bytesAt(memory->parts[p].values, tile); part.value() > 0)
      card.rows.push_back({reportText(memory->parts[p].title), bytes(part), partColour(theme, p)});
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (const auto& variable = variables[v]; variable && at < variable->values.size())
      card.rows.push_back({reportText(variable->title), bytes(variable->values[at]), variableColour(theme, v)});
  return card;
}

// Sums over the tiles of an IPU hide which of them is full, so the tooltip names that tile.
plot::Card MemoryScene::ipuCard(const theme::Theme& theme, std::span<const int> tiles) const {
  plot::Card card;
  if (!memory || tiles.empty()) return card;
  const auto amount = [&](const MemoryOfReport& report) {
    return metric ? metricAt(report, tiles) : sumOn(report.memory->total.values, tiles).value();
  };
  if (other) card = changeCard(*this, theme, amount, [&](const auto& values) { return sumOn(values, tiles); });
  card.title = tr("IPU %1").arg(tiles.front() / int(tiles.size()));
  card.hint = tr("Click selects all tiles of the IPU");
  if (other) return card;
  const auto add = [&](const QString& title, reports::Bytes bytes, const QColor& colour) {
    card.rows.push_back({title, format.bytes(bytes), colour});
  };
  if (metric) card.rows.push_back({metricTitle(), amountText(metricAt(*this, tiles)), metricColour(theme)});
  add(tr("without gaps"), sumOn(memory->total.values, tiles), {});
  for (std::size_t p = 0; !metric && p < memory->parts.size(); ++p)
    if (const reports::Bytes sum = sumOn(memory->parts[p].values, tiles); sum.value() > 0)
      add(reportText(memory->parts[p].title), sum, partColour(theme, p));
  const int fullest = *std::max_element(tiles.begin(), tiles.end(), [&](int x, int y) {
    return bytesAt(memory->total.values, x) < bytesAt(memory->total.values, y);
  });
  add(tr("fullest, tile %1").arg(fullest), bytesAt(memory->total.values, fullest), {});
  return card;
}

} // namespace ui::memory
