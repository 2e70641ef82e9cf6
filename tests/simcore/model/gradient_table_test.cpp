// The table of the help page gradients.md is that of the operators. To bring the page up to date, run the test with
// TILESCOPE_UPDATE_HELP=1.
#include "simcore/model/training/gradient_reasons.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

using namespace simcore;

namespace {

// Notes on gradients that may surprise a reader.
const std::map<std::string, const char*> kNotes{
    {"AveragePool", "up to three dimensions"},
    {"BatchNormalization", "in training not through values that read its statistics"},
    {"Bernoulli", "0"},
    {"Ceil", "0"},
    {"Clip", "also of the limits"},
    {"ConvTranspose", "only if the output padding is smaller than the stride"},
    {"Det", "up to 64 rows; by the determinants of minors, so singular matrices have one too"},
    {"DequantizeLinear", "of what it scales; scales are constants, as in torch's fake quantisation"},
    {"DFT", "of real and complex signals"},
    {"EyeLike", "0"},
    {"Floor", "0"},
    {"GridSample", "of the input and of the grid"},
    {"GRU", "also for sequences of different lengths; up to 1,365 steps"},
    {"Loop", "if its number of iterations is known before the run, up to 4,096"},
    {"LpPool", "0 where a whole window is 0"},
    {"GlobalLpPool", "0 where the whole field is 0"},
    {"LSTM", "also for sequences of different lengths; up to 1,024 steps"},
    {"Max", "equal operands share it"},
    {"MaxPool", "to the first of equal elements"},
    {"MaxRoiPool", "of the maps, not of the regions, as in torchvision"},
    {"Min", "equal operands share it"},
    {"OneHot", "of the two values"},
    {"QuantizeLinear", "to 8-bit integers as torch's fake quantisation: straight through, 0 beyond the range"},
    {"RandomNormalLike", "0"},
    {"RandomUniformLike", "0"},
    {"ReduceMax", "equal elements share it"},
    {"ReduceMin", "equal elements share it"},
    {"ReduceProd", "exact for zeros"},
    {"RNN", "also for sequences of different lengths; up to 2,048 steps"},
    {"RoiAlign", "of the maps, not of the regions, as in torchvision"},
    {"Round", "0"},
    {"Scan", "up to 4,096 iterations"},
    {"Scatter", "of the operand and of the updates"},
    {"ScatterElements", "of the operand and of the updates, for all reductions; products are exact for zeros"},
    {"ScatterND", "of the operand and of the updates, for all reductions; products are exact for zeros"},
    {"Sign", "0"},
    {"STFT", "of the signal and of the window"},
    {"TopK", "of the values"},
};

// A row for each standard operator.
std::string gradientTable() {
  std::map<std::string, const model::Operator*> rows;
  for (const model::Operator* op : model::allOperators())
    if (!*op->domain) rows[op->type] = op;
  std::string text = "| operator | gradient | |\n|---|---|---|\n";
  for (const auto& [type, op] : rows) {
    const auto note = kNotes.find(type);
    text += "| `" + type + "` | " + (op->gradient ? "yes" : "none") + " | " +
            (!op->gradient          ? model::whyNoGradient(*op)
             : note == kNotes.end() ? ""
                                    : note->second) +
            " |\n";
  }
  return text;
}

} // namespace

class GradientTableTest : public QObject {
  Q_OBJECT
private slots:
  void thePageHasTheTable() {
    const std::string path = TILESCOPE_SOURCE_DIR "/resources/docs/help/gradients.md";
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    std::string page = text.str();
    const std::size_t begin = page.find("| operator | gradient |"), end = page.find("\n\n", begin);
    QVERIFY2(begin != std::string::npos && end != std::string::npos, "gradients.md has lost its table");
    const std::string made = gradientTable();
    if (std::getenv("TILESCOPE_UPDATE_HELP")) {
      page.replace(begin, end + 1 - begin, made);
      std::ofstream(path, std::ios::binary) << page;
      return;
    }
    QCOMPARE(QString::fromStdString(page.substr(begin, end + 1 - begin)), QString::fromStdString(made));
  }

  void notesAreOfOperatorsWithAGradient() {
    for (const auto& [type, note] : kNotes)
      QVERIFY2(gradientTable().find("| `" + type + "` | yes | " + note + " |") != std::string::npos, type.c_str());
  }

  // A gradient that is missing has a reason: a new operator needs either.
  void noGradientIsMissingWithoutAReason() {
    int without = 0;
    for (const model::Operator* op : model::allOperators()) {
      const std::string reason = model::whyNoGradient(*op);
      QVERIFY2(reason.empty() == (op->gradient != nullptr), op->type);
      without += !op->gradient && !*op->domain;
    }
    QVERIFY2(without > 20 && without < 45, qPrintable(QString::number(without)));
  }
};

TILESCOPE_TEST(GradientTableTest)
#include "gradient_table_test.moc"
