#include "simcore/samples/belief_propagation.h"

#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;
using reports::ceilDiv;

namespace {

// A worker's share: points [firstPoint, lastPoint) and differences [firstFactor, lastFactor), as positions in the variables.
struct Portion {
  int64_t firstPoint = 0, lastPoint = 0, firstFactor = 0, lastFactor = 0, tile = 0;
};

// The tile of each point: equal parts of the row-major order, or blocks as square as the number of tiles allows.
std::vector<int64_t> tilesOfPoints(const Survey& s, int64_t tiles, bool blocks) {
  const int64_t points = s.rows * s.columns;
  std::vector<int64_t> tile(static_cast<std::size_t>(points));
  int64_t down = 1;
  if (blocks) {
    const auto rim = [&](int64_t d) { return ceilDiv(s.rows, d) + ceilDiv(s.columns, tiles / d); };
    for (int64_t d = 2; d <= tiles; ++d)
      if (tiles % d == 0 && rim(d) < rim(down)) down = d;
  }
  const int64_t across = tiles / down;
  for (int64_t p = 0; p < points; ++p) {
    const int64_t row = p / s.columns, column = p % s.columns;
    tile[std::size_t(p)] = blocks ? row * down / s.rows * across + column * across / s.columns : p * tiles / points;
  }
  return tile;
}

// Gaussian belief propagation. Beliefs and messages are normal distributions in information form: (precision x mean, precision).
// A factor keeps its last message to each of its points, so a round needs no second copy: a point adds up its messages; a factor
// subtracts its own message from the belief of one point and sends the rest to the other.
class Propagation {
public:
  Propagation(MeasuredGraph& g, const Survey& survey, int64_t tiles, bool blocks) : m_g(g), m_survey(survey) {
    deal(tilesOfPoints(survey, tiles, blocks), tiles);
  }

  Tensor build(int64_t rounds) {
    addVariables();
    addCodelets();
    ops::zero(m_g.builder(m_g.main()), m_messages);
    Sequence round("round", m_g.context());
    updateBeliefs(round);
    updateMessages(round);
    m_g.main().add(program::repeat(rounds, round, "rounds", m_g.context()));
    updateBeliefs(m_g.main());
    marginals(m_g.main());
    std::vector<Tensor> byPoint;
    for (const int64_t place : m_placeOfPoint) byPoint.push_back(m_marginals.slice(place, place + 1));
    return concat(byPoint);
  }

private:
  int64_t points() const { return m_survey.rows * m_survey.columns; }
  int64_t factors() const { return int64_t(m_survey.differences.size()); }

  // Gives a tile's points to its workers in equal numbers; a difference belongs to the worker of its first point.
  void deal(const std::vector<int64_t>& tile, int64_t tiles) {
    const int64_t workers = m_g.machine().tile.workers;
    m_pointAt.resize(tile.size());
    std::iota(m_pointAt.begin(), m_pointAt.end(), 0);
    const auto tileOf = [&](int64_t point) { return tile[std::size_t(point)]; };
    std::stable_sort(m_pointAt.begin(), m_pointAt.end(), [&](int64_t a, int64_t b) { return tileOf(a) < tileOf(b); });
    m_placeOfPoint.resize(tile.size());
    for (std::size_t place = 0; place < m_pointAt.size(); ++place) m_placeOfPoint[std::size_t(m_pointAt[place])] = int64_t(place);
    std::vector<std::vector<int64_t>> ofPoint(tile.size());
    for (int64_t f = 0; f < factors(); ++f) ofPoint[std::size_t(m_survey.differences[std::size_t(f)].first)].push_back(f);
    for (int64_t t = 0, begin = 0; t < tiles; ++t) {
      int64_t end = begin;
      while (end < points() && tileOf(m_pointAt[std::size_t(end)]) == t) ++end;
      for (int64_t w = 0; w < workers; ++w) {
        Portion p{begin + (end - begin) * w / workers, begin + (end - begin) * (w + 1) / workers, int64_t(m_factorAt.size()), 0,
                  t};
        for (int64_t i = p.firstPoint; i < p.lastPoint; ++i)
          for (const int64_t f : ofPoint[std::size_t(m_pointAt[std::size_t(i)])]) m_factorAt.push_back(f);
        p.lastFactor = int64_t(m_factorAt.size());
        if (p.firstPoint < p.lastPoint) m_portions.push_back(p);
      }
      begin = end;
    }
  }

  enum class Of { Points, Factors };
  Tensor portioned(const std::string& name, ElementType type, const Shape& shape, Of of) {
    const Tensor t = m_g.graph().addVariable(type, shape, name, m_g.context());
    for (const Portion& p : m_portions) {
      const auto [begin, end] = of == Of::Points ? std::pair(p.firstPoint, p.lastPoint) : std::pair(p.firstFactor, p.lastFactor);
      if (begin < end) m_g.graph().setTileMapping(t.slice(begin, end), TileId(std::size_t(p.tile)));
    }
    return t;
  }

  void addVariables() {
    m_priors = portioned("priors", ElementType::Float, {points(), 2}, Of::Points);
    m_beliefs = portioned("beliefs", ElementType::Float, {points(), 2}, Of::Points);
    m_marginals = portioned("marginals", ElementType::Float, {points(), 2}, Of::Points);
    m_degrees = portioned("degrees", ElementType::Int32, {points()}, Of::Points);
    m_terms = portioned("terms", ElementType::Float, {factors(), 2}, Of::Factors);
    m_messages = portioned("messages", ElementType::Float, {factors(), 4}, Of::Factors);
    m_sentTo.resize(std::size_t(points()));
    std::vector<float> priors, terms;
    for (const int64_t point : m_pointAt) {
      priors.push_back(float(m_survey.heights[std::size_t(point)] * m_survey.heightPrecision));
      priors.push_back(float(m_survey.heightPrecision));
    }
    for (std::size_t f = 0; f < m_factorAt.size(); ++f) {
      const Survey::Difference& d = m_survey.differences[std::size_t(m_factorAt[f])];
      terms.insert(terms.end(), {float(d.value), float(m_survey.differencePrecision)});
      const Tensor both = m_messages.slice(int64_t(f), int64_t(f) + 1).flatten();
      m_sentTo[std::size_t(placeOf(d.first))].push_back(both.slice(0, 2));
      m_sentTo[std::size_t(placeOf(d.second))].push_back(both.slice(2, 4));
    }
    std::vector<int32_t> degrees;
    for (const auto& list : m_sentTo) degrees.push_back(int32_t(list.size()));
    m_g.initialise(m_priors, [value = HostTensor::of<float>({points(), 2}, priors)] { return value; });
    m_g.initialise(m_terms, [value = HostTensor::of<float>({factors(), 2}, terms)] { return value; });
    m_g.initialise(m_degrees, [value = HostTensor::vector(degrees)] { return value; });
  }

  int64_t placeOf(int64_t point) const { return m_placeOfPoint[std::size_t(point)]; }

  // Costs are instructions of compiled loops: a pair of floats is loaded, added or stored at once, a division takes five
  // (ipu-reference 9.1).
  void addCodelets() {
    const auto list = [](const char* name) {
      CodeletField f{name, FieldDirection::Input, ElementType::Float, FieldShape::VectorList, VectorLayout::OnePtr};
      f.minAlign = 8;
      f.size = 2;
      return f;
    };
    Codelet adding; // per message: pointer, load, addition; per point: degree, prior, result, loop
    adding.name = "UpdateBeliefs";
    adding.fields = {{"priors", FieldDirection::Input},
                     {"degrees", FieldDirection::Input},
                     list("messages"),
                     {"beliefs", FieldDirection::Output}};
    adding.cycles = [](const auto& sizes) { return 30 + 6 * sizes.at("degrees") + 3 * sizes.at("messages[]"); };
    adding.flops = [](const auto& sizes) { return sizes.at("messages"); };
    adding.compute = addUp;
    m_g.graph().addCodelet(adding);
    Codelet sending; // seven loads, two stores, the loop, and twelve arithmetic instructions per point
    sending.name = "UpdateMessages";
    sending.fields = {{"terms", FieldDirection::Input}, list("beliefs"), {"messages", FieldDirection::InOut}};
    sending.cycles = [](const auto& sizes) { return 30 + 34 * sizes.at("terms") / 2; };
    sending.flops = [](const auto& sizes) { return 18 * sizes.at("terms") / 2; };
    sending.compute = sendOn;
    m_g.graph().addCodelet(sending);
    Codelet reading;
    reading.name = "Marginals";
    reading.fields = {{"beliefs", FieldDirection::Input}, {"marginals", FieldDirection::Output}};
    reading.cycles = [](const auto& sizes) { return 30 + 10 * sizes.at("beliefs") / 2; };
    reading.flops = [](const auto& sizes) { return sizes.at("beliefs"); };
    reading.compute = [](VertexFields& f) {
      const auto beliefs = f.values<float>("beliefs");
      auto out = f.mutableValues<float>("marginals");
      for (std::size_t i = 0; i < out.size(); i += 2) {
        out[i + 1] = 1 / beliefs[i + 1];
        out[i] = beliefs[i] * out[i + 1];
      }
    };
    m_g.graph().addCodelet(reading);
  }

  static void addUp(VertexFields& f) {
    const auto priors = f.values<float>("priors");
    const auto degrees = f.values<int32_t>("degrees");
    auto out = f.mutableValues<float>("beliefs");
    std::copy(priors.begin(), priors.end(), out.begin());
    int64_t message = 0;
    for (std::size_t i = 0; i < degrees.size(); ++i)
      for (int32_t k = 0; k < degrees[i]; ++k, ++message) {
        const auto sent = f.values<float>("messages", message);
        out[2 * i] += sent[0];
        out[2 * i + 1] += sent[1];
      }
  }

  // A factor of precision l for second - first = d receives (e, p), the belief of its first point without the factor's own
  // message. It sends the message (l (e + d p), l p) / (l + p) to the second point; in the other direction d is subtracted.
  static void sendOn(VertexFields& f) {
    const auto terms = f.values<float>("terms");
    auto messages = f.mutableValues<float>("messages");
    for (std::size_t i = 0; i < terms.size() / 2; ++i) {
      const float value = terms[2 * i], precision = terms[2 * i + 1];
      const auto first = f.values<float>("beliefs", 2 * int64_t(i)), second = f.values<float>("beliefs", 2 * int64_t(i) + 1);
      const auto own = messages.subspan(4 * i, 4);
      const float e1 = first[0] - own[0], p1 = first[1] - own[1], e2 = second[0] - own[2], p2 = second[1] - own[3];
      const float share1 = precision / (precision + p1), share2 = precision / (precision + p2);
      own[0] = share2 * (e2 - value * p2);
      own[1] = share2 * p2;
      own[2] = share1 * (e1 + value * p1);
      own[3] = share1 * p1;
    }
  }

  template<class F> void execute(Sequence& program, const std::string& name, F addTo) {
    const ComputeSetId set = m_g.graph().addComputeSet(name, m_g.context());
    for (const Portion& p : m_portions) addTo(set, p);
    program.add(program::execute(set, m_g.context()));
  }
  VertexRef add(ComputeSetId set, const std::string& codelet, const std::vector<std::pair<std::string, Tensor>>& edges,
                const Portion& p) {
    const VertexRef v = m_g.graph().addVertex(set, codelet, edges);
    m_g.graph().setTileMapping(v, TileId(std::size_t(p.tile)));
    return v;
  }

  void updateBeliefs(Sequence& program) {
    execute(program, "beliefs", [&](ComputeSetId set, const Portion& p) {
      std::vector<Tensor> sent;
      for (int64_t i = p.firstPoint; i < p.lastPoint; ++i)
        sent.insert(sent.end(), m_sentTo[std::size_t(i)].begin(), m_sentTo[std::size_t(i)].end());
      const VertexRef v = add(set, "UpdateBeliefs",
                              {{"priors", m_priors.slice(p.firstPoint, p.lastPoint).flatten()},
                               {"degrees", m_degrees.slice(p.firstPoint, p.lastPoint)},
                               {"beliefs", m_beliefs.slice(p.firstPoint, p.lastPoint).flatten()}},
                              p);
      m_g.graph().connect(v, "messages", sent);
    });
  }

  void updateMessages(Sequence& program) {
    execute(program, "messages", [&](ComputeSetId set, const Portion& p) {
      if (p.firstFactor == p.lastFactor) return;
      std::vector<Tensor> believed;
      for (int64_t f = p.firstFactor; f < p.lastFactor; ++f) {
        const Survey::Difference& d = m_survey.differences[std::size_t(m_factorAt[std::size_t(f)])];
        for (const int64_t point : {d.first, d.second})
          believed.push_back(m_beliefs.slice(placeOf(point), placeOf(point) + 1).flatten());
      }
      const VertexRef v = add(set, "UpdateMessages",
                              {{"terms", m_terms.slice(p.firstFactor, p.lastFactor).flatten()},
                               {"messages", m_messages.slice(p.firstFactor, p.lastFactor).flatten()}},
                              p);
      m_g.graph().connect(v, "beliefs", believed);
    });
  }

  void marginals(Sequence& program) {
    execute(program, "marginals", [&](ComputeSetId set, const Portion& p) {
      add(set, "Marginals",
          {{"beliefs", m_beliefs.slice(p.firstPoint, p.lastPoint).flatten()},
           {"marginals", m_marginals.slice(p.firstPoint, p.lastPoint).flatten()}},
          p);
    });
  }

  MeasuredGraph& m_g;
  const Survey& m_survey;
  std::vector<Portion> m_portions;
  std::vector<int64_t> m_pointAt, m_placeOfPoint, m_factorAt; // point by position; position by point; factor by position
  std::vector<std::vector<Tensor>> m_sentTo;                  // messages to each point, by the point's position
  Tensor m_priors, m_beliefs, m_marginals, m_degrees, m_terms, m_messages;
};

} // namespace

Survey surveyOf(const Parameters& p, int64_t seed) {
  Survey s;
  s.rows = p.integer("rows", 1, 4096), s.columns = p.integer("columns", 2, 4096);
  const double height = p.number("height", 1e-3, 1e3), difference = p.number("difference", 1e-3, 1e3);
  s.heightPrecision = 1 / (height * height), s.differencePrecision = 1 / (difference * difference);
  std::mt19937_64 random(uint64_t(seed) * 0x9e3779b97f4a7c15ull + 71);
  std::normal_distribution<double> error;
  const auto ground = [&](int64_t row, int64_t column) { // the true heights: two waves
    return 2 * std::sin(0.11 * double(row)) + std::cos(0.07 * double(row + 2 * column));
  };
  for (int64_t row = 0; row < s.rows; ++row)
    for (int64_t column = 0; column < s.columns; ++column) {
      const int64_t point = row * s.columns + column;
      s.heights.push_back(ground(row, column) + height * error(random));
      const auto measure = [&](int64_t otherRow, int64_t otherColumn) {
        if (otherRow >= s.rows || otherColumn >= s.columns) return;
        s.differences.push_back({point, otherRow * s.columns + otherColumn,
                                 ground(otherRow, otherColumn) - ground(row, column) + difference * error(random)});
      };
      measure(row, column + 1);
      measure(row + 1, column);
    }
  return s;
}

Sample beliefPropagation() {
  Sample s;
  s.name = "belief-propagation";
  s.title = "Gaussian belief propagation";
  s.text = "Estimates the heights of 96 x 96 points from rough measurements of each height and finer ones of the differences "
           "between neighbours. In every round, points and differences send each other messages, all at once, until the means "
           "are those of the least-squares solution. Look at the two steps of a round in the trace, beliefs and messages, each "
           "after a sync and an exchange: the arithmetic of the messages is most of the cycles. With layout=blocks a tile has a "
           "block of points instead of a stretch of a row, and the exchange falls by two fifths. Information travels one point "
           "per round. On a line (rows=1) means and variances are exact once it has reached all points; on a grid the means "
           "converge, and the variances come out too small. The result (io=1) is the mean and variance of each point.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "A repeat of two supersteps: beliefs from the messages, then messages from the beliefs."},
              {"tilescope:?view=trace&set.tab=range",
               "Computing takes more than ten times as many cycles as exchange: a message is a few numbers."},
              {"tilescope:?view=trace&set.tab=range", "Syncs take more cycles than the exchange that they precede."},
              {"tilescope:?view=insights&set.list=findings",
               "Unused tiles are the only finding: there are fewer groups of points than tiles."}};
  s.parameters = {{"rows", "96", "rows of points"},
                  {"columns", "96", "columns of points"},
                  {"rounds", "60", "rounds; each sends all messages once"},
                  {"height", "1", "standard deviation of a measured height"},
                  {"difference", "0.25", "standard deviation of a measured difference"},
                  {"layout", "rows", "points of a tile: a stretch of a row (rows) or a block (blocks)", {"rows", "blocks"}},
                  {"tiles", "256", "tiles the points are spread over; 0: all"},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const Survey survey = surveyOf(p, o.seed);
    const int64_t rounds = p.integer("rounds", 1, 1 << 20);
    MeasuredGraph g("belief-propagation",
                    fmt::format("Gaussian belief propagation, {} x {} points, {} rounds", survey.rows, survey.columns, rounds),
                    o.machine);
    const bool blocks = p.choice("layout") == "blocks";
    const Tensor result = Propagation(g, survey, tilesOf(p, o.machine), blocks).build(rounds);
    return g.finish(result, p.integer("io", 0, 1));
  };
  s.variant = {
      "tuned",
      {{"tiles", "0"}},
      "All tiles take part, and a worker has one or two points instead of six: compute falls to less than half. A sync and "
      "the latency of an exchange take as long as before, so they are now a quarter of the cycles. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
