#include "analyser/html/picture.h"

#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/session/format.h"
#include "analyser/session/palette.h"
#include "reports/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace analyser::html {

namespace {

constexpr double kWidth = 960, kHeight = 420, kLeft = 76, kTop = 58, kRight = 24, kBottom = 56;
constexpr std::size_t kMostColumns = 800; // if there are more positions, they are grouped
constexpr int64_t kLeastOfLimit = 4;      // the limit is a line if the plot reaches 1/4 of it
constexpr double kLegendRow = 18, kLetter = 6.6;

struct Layer {
  std::string title;
  Colour colour;
  std::vector<Bytes> values;
};

struct Plot {
  std::string title, verdict, places; // places: the label below the axis
  std::vector<Layer> layers;          // from the bottom up, equally long
  Bytes limit;                        // a line; 0: none
};

std::string markup(std::string_view text) { return htmlText(printable(text)); }

Bytes sumAt(const Plot& plot, std::size_t place) {
  Bytes sum;
  for (const Layer& layer : plot.layers) sum += layer.values[place];
  return sum;
}

// For each group of neighbouring positions, the one with the highest sum, so that peaks stay visible.
std::vector<std::size_t> drawnPlaces(const Plot& plot) {
  const std::size_t all = plot.layers.front().values.size(), group = (all + kMostColumns - 1) / kMostColumns;
  std::vector<std::size_t> places;
  for (std::size_t begin = 0; begin < all; begin += group) {
    std::size_t best = begin;
    for (std::size_t i = begin; i < std::min(all, begin + group); ++i)
      if (sumAt(plot, best) < sumAt(plot, i)) best = i;
    places.push_back(best);
  }
  return places;
}

std::string words(double x, double y, std::string_view text, std::string_view anchor, uint32_t colour, int size = 12) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor,
                     size, cssColour(colour), markup(text));
}

std::string line(double x1, double y1, double x2, double y2, uint32_t colour, std::string_view dash = "") {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x1, y1, x2, y2,
                     cssColour(colour), dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

// The distance between grid lines: a round number of bytes, for about four lines.
int64_t tickOf(int64_t top) {
  int64_t tick = 1;
  while (tick * 5 < top) tick *= 2;
  return tick;
}

std::string axes(const Plot& plot, int64_t top, std::size_t count) {
  const SurfaceColours& c = kSurfaceColours;
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  std::string text;
  for (int64_t value = 0; value <= top; value += tickOf(top)) {
    const double y = bottom - double(value) / double(top) * (bottom - kTop);
    text += line(kLeft, y, right, y, c.grid.light);
    text += words(kLeft - 6, y + 4, formatBytes(Bytes(value)), "end", c.secondary.light);
  }
  for (int i = 0; i <= 4; ++i) {
    const std::size_t place = (count - 1) * std::size_t(i) / 4;
    text += words(kLeft + (right - kLeft) * i / 4, bottom + 16, formatCount(int64_t(place)), "middle", c.secondary.light);
  }
  return text + words((kLeft + right) / 2, bottom + 34, plot.places, "middle", c.secondary.light);
}

std::string areas(const Plot& plot, const std::vector<std::size_t>& places, int64_t top) {
  const double bottom = kHeight - kBottom, step = (kWidth - kRight - kLeft) / double(places.size());
  const auto y = [&](Bytes value) { return bottom - double(value.value()) / double(top) * (bottom - kTop); };
  std::vector<Bytes> below(places.size());
  std::string text;
  for (const Layer& layer : plot.layers) {
    std::string there, back;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double x = kLeft + step * double(i);
      const Bytes upper = below[i] + layer.values[places[i]];
      there += fmt::format("{}{:.1f} {:.1f}H{:.1f}", i ? "L" : "M", x, y(upper), x + step);
      back = fmt::format("L{:.1f} {:.1f}H{:.1f}", x + step, y(below[i]), x) + back;
      below[i] = upper;
    }
    text += fmt::format("<path d=\"{}{}Z\" fill=\"{}\"><title>{}</title></path>\n", there, back, cssColour(layer.colour.light),
                        markup(layer.title));
  }
  return text;
}

// The legend: a coloured square and a name per layer, in rows. Sets `y` to the top of the row below.
std::string legend(const Plot& plot, double& y) {
  std::string text;
  double x = kLeft;
  for (auto layer = plot.layers.rbegin(); layer != plot.layers.rend(); ++layer) {
    const double width = 24 + kLetter * double(layer->title.size());
    if (x > kLeft && x + width > kWidth - kRight) x = kLeft, y += kLegendRow;
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x, y - 10,
                        cssColour(layer->colour.light));
    text += words(x + 15, y, layer->title, "start", kSurfaceColours.text.light);
    x += width;
  }
  y += kLegendRow;
  return text;
}

// A sentence cut to the width of the plot.
std::string fitting(const std::string& text) {
  const auto most = std::size_t((kWidth - kLeft - kRight) / kLetter);
  return text.size() <= most ? text : text.substr(0, text.rfind(' ', most - 2)) + " \u2026";
}

std::string drawn(const Plot& plot) {
  const SurfaceColours& c = kSurfaceColours;
  const std::vector<std::size_t> places = drawnPlaces(plot);
  int64_t top = 0;
  for (const std::size_t place : places) top = std::max(top, sumAt(plot, place).value());
  const bool hasLine = plot.limit > Bytes() && top > plot.limit.value() / kLeastOfLimit; // else the limit would flatten the plot
  if (hasLine) top = std::max(top, plot.limit.value());
  top = std::max<int64_t>(1, top + top / 20);
  double end = kHeight + 6;
  std::string body = axes(plot, top, plot.layers.front().values.size()) + areas(plot, places, top);
  if (hasLine) {
    const double y = kHeight - kBottom - double(plot.limit.value()) / double(top) * (kHeight - kBottom - kTop);
    body += line(kLeft, y, kWidth - kRight, y, c.bad.light, "6 4");
    body += words(kWidth - kRight, y - 5, "memory of a tile: " + formatBytes(plot.limit), "end", c.bad.light);
  }
  body += legend(plot, end);
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                     "height=\"{1:.0f}\" viewBox=\"0 0 {0} {1:.0f}\" font-family=\"sans-serif\">\n<title>{2}</title>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n",
                     kWidth, end, markup(plot.title), cssColour(c.surface.light)) +
         words(kLeft, 24, plot.title, "start", c.text.light, 15) +
         words(kLeft, 43, fitting(plot.verdict), "start", c.secondary.light) + body + "</svg>\n";
}

Plot memoryPlot(Session& session, const std::stop_token& stop) {
  const memory::TileMemory tiles = memory::tileMemory(session, memory::Breakdown::ByCategory, stop);
  Plot plot{"Memory of the tiles", tiles.verdict.text(), "tile", {}, tiles.capacity};
  for (const memory::TileSeries& part : tiles.parts) {
    const Colour colour = part.category ? memoryColour(*part.category) : restColour();
    const auto same = std::find_if(plot.layers.begin(), plot.layers.end(),
                                   [&](const Layer& layer) { return layer.colour.light == colour.light; });
    if (same == plot.layers.end()) {
      plot.layers.push_back({part.title, colour, part.values});
      continue;
    }
    same->title += ", " + part.title; // one legend entry per colour
    for (std::size_t tile = 0; tile < part.values.size(); ++tile) same->values[tile] += part.values[tile];
  }
  return plot;
}

Plot livenessPlot(Session& session, const std::stop_token& stop) {
  const liveness::Liveness found = liveness::liveness(session, "all", stop);
  Plot plot{"Live memory of all tiles", found.verdict.text(), "step of the program", {}, Bytes()};
  const std::vector<Bytes>& steps = found.curve.notAlwaysLive;
  plot.layers.push_back({"Always live", seriesColour(0), std::vector<Bytes>(steps.size(), found.curve.alwaysLive)});
  plot.layers.push_back({"Not always live", seriesColour(1), steps});
  return plot;
}

} // namespace

std::string picture(Session& session, Picture which, std::stop_token stop) {
  Plot plot = which == Picture::Memory ? memoryPlot(session, stop) : livenessPlot(session, stop);
  if (plot.layers.empty() || plot.layers.front().values.empty())
    throw reports::Error(reports::ErrorCode::Unsupported,
                         which == Picture::Memory ? "the report has no memory of tiles" : "the report has no liveness");
  return drawn(plot);
}

} // namespace analyser::html
