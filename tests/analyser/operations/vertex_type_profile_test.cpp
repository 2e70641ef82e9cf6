#include "analyser/memory/tile_details.h"
#include "analyser/operations/rollup.h"
#include "analyser/operations/tile_profile.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/statement.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdlib>
#include <numeric>

using namespace analyser;

class VertexTypeProfileTest : public QObject {
  Q_OBJECT

  static int64_t sql(Session& session, const std::string& query) {
    reports::Statement statement(session.reader().connection(), query);
    return statement.step() ? std::get<int64_t>(statement.value(0)) : -1;
  }

private slots:
  // By tile, by step and in Memory a vertex type has the cycles that a query gives.
  void everySumIsThatOfSql() {
    const tests::TinyReport report{{.ipus = 1, .tilesPerIpu = 8, .operations = 6}};
    const auto session = Session::open(report.path().string());
    const auto layer = operations::operationsOfLayer(*session, std::string(operations::kVertexTypes));
    const auto& types = layer.operations.rows;
    QVERIFY(types.size() > 2);
    const auto uses = memory::verticesByType(*session, {});
    for (std::size_t i = 0; i < types.size(); ++i) {
      const int member = int(i);
      const auto profile = operations::vertexTypeProfile(*session, layer.steps, {&member, 1}, types[i].name);
      const int64_t wanted = sql(
          *session, "SELECT sum(u.cycles * p.executions) FROM compute_set_vertices u "
                    "JOIN vertex_type t ON t.id = u.vertex_type_id JOIN program_step s ON s.compute_set_id = u.compute_set_id "
                    "JOIN step_profile p ON p.program_step_id = s.id WHERE text(t.name_id) = '" +
                        types[i].name + "'");
      QVERIFY(wanted > 0);
      Cycles sum;
      for (const Cycles cycles : profile.compute) sum += cycles;
      // Each tile is rounded.
      QVERIFY2(std::abs(sum.value() - wanted) <= int64_t(profile.compute.size()), types[i].name.c_str());
      QVERIFY(profile.slowest.valid() && profile.compute[profile.slowest.value()] >= profile.mean);
      // Only tiles with such a vertex have cycles of it.
      for (std::size_t tile = 0; tile < profile.compute.size(); ++tile)
        QVERIFY(profile.compute[tile] == Cycles() || profile.vertices[tile] > 0);
      const auto use = std::find_if(uses.begin(), uses.end(), [&](const auto& u) { return u.type == types[i].name; });
      QVERIFY(use != uses.end());
      QCOMPARE(use->tileCycles, std::optional<int64_t>(wanted));
    }
  }

  // The tiles of a selection have their parts: all of them together have the sum.
  void tilesShareTheCycles() {
    const tests::TinyReport report{{.ipus = 1, .tilesPerIpu = 8, .operations = 6}};
    const auto session = Session::open(report.path().string());
    std::map<std::string, int64_t> sums;
    for (std::size_t tile = 0; tile < 8; ++tile)
      for (const auto& use : memory::verticesByType(*session, std::vector{TileId(tile)}))
        sums[use.type] += use.tileCycles.value_or(0);
    for (const auto& use : memory::verticesByType(*session, {})) QVERIFY(std::abs(sums[use.type] - *use.tileCycles) <= 8);
  }
};

TILESCOPE_TEST(VertexTypeProfileTest)
#include "vertex_type_profile_test.moc"
