#include "simcore/native/count/ir_reader.h"

#include "simcore/native/count/ir_instruction.h"
#include "simcore/native/count/ir_line.h"
#include "simcore/native/count/vector_loops.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::native {

namespace {

constexpr std::size_t kMaxText = 64u << 20;
constexpr std::size_t kMaxInstructions = 2'000'000; // of a module

std::string_view stripped(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class Reader {
public:
  explicit Reader(std::string_view text) : m_text(text) {}

  IrModule read() {
    readTypes();
    m_at = 0;
    m_number = 0;
    while (nextLine()) {
      const auto line = stripped(m_line);
      if (line.empty() || line[0] == ';') continue;
      if (line.substr(0, 7) == "define ")
        readFunction();
      else if (line[0] == '@')
        readGlobal();
      else
        m_module.otherLines.emplace_back(m_line);
    }
    return std::move(m_module);
  }

private:
  bool nextLine() {
    if (m_at >= m_text.size()) return false;
    const auto end = std::min(m_text.find('\n', m_at), m_text.size());
    m_line = m_text.substr(m_at, end - m_at);
    m_at = end + 1;
    ++m_number;
    return true;
  }

  IrLine lineOf(std::string_view text) { return IrLine(text, m_number, m_module); }

  // Reads the named structs. One that uses a later struct is tried again.
  void readTypes() {
    if (m_text.size() > kMaxText) lineOf("").fail("the module is larger than 64 MiB");
    std::vector<std::pair<std::string_view, int64_t>> open;
    while (nextLine())
      if (const auto line = stripped(m_line); line.substr(0, 1) == "%" && line.find(" = type ") != std::string_view::npos)
        open.emplace_back(line, m_number);
    for (int round = 0; round < 16; ++round)
      for (const auto& [text, number] : open) {
        m_number = number;
        IrLine line = lineOf(text);
        const std::string name = line.name();
        line.expect("=");
        line.expect("type");
        m_module.types[name] = line.type();
      }
  }

  void readGlobal() {
    IrGlobal global;
    global.line = m_number;
    global.text = m_line;
    IrLine line = lineOf(global.text);
    global.name = line.name();
    line.expect("=");
    while (true) {
      const auto word = line.next();
      if (word == "global" || word == "constant") {
        global.isConstant = word == "constant";
        break;
      }
      if (word == "alias" || word == "ifunc") line.fail("an alias is not supported");
      if (word == "external" || word == "extern_weak") global.isDeclaration = true;
      if (word == "internal" || word == "private") global.isInternal = true;
      if (word == "thread_local") global.isThreadLocal = true;
      if (line.peek() == "(") line.skipBalanced();
    }
    global.type = line.type();
    m_module.globals.push_back(std::move(global));
  }

  void readHeader(IrFunction& function) {
    function.header = m_line;
    function.line = m_number;
    IrLine line = lineOf(function.header);
    line.expect("define");
    line.skipAttributes();
    const std::string_view before = line.rest();
    function.returns = line.type();
    function.returnsText = stripped(before.substr(0, before.size() - line.rest().size()));
    function.name = line.name();
    line.expect("(");
    while (!line.accept(")")) {
      if (line.peek() == "...") line.fail("functions with a variable number of arguments are not supported");
      IrTypeRef type = line.type();
      line.skipAttributes();
      std::string name = std::to_string(m_unnamed);
      if (line.peek().substr(0, 1) == "%") name = line.name();
      if (name == std::to_string(m_unnamed)) ++m_unnamed;
      define(name, -1, function, line);
      function.arguments.push_back(std::move(type));
      line.accept(",");
    }
  }

  void define(const std::string& name, int instruction, IrFunction& function, IrLine& line) {
    if (!m_values.emplace(name, static_cast<int>(function.definedBy.size())).second)
      line.fail(fmt::format("%{} is defined twice", name));
    function.definedBy.push_back(instruction);
  }

  void readFunction() {
    IrFunction function;
    m_values.clear();
    m_labels.clear();
    m_unnamed = 0;
    readHeader(function);
    while (true) {
      if (!nextLine()) lineOf(function.header).fail("the function has no end");
      const auto text = stripped(m_line);
      if (text == "}") break;
      if (text.empty() || text[0] == ';' || text[0] == '#') continue;
      if (m_line[0] != ' ' && m_line[0] != '\t')
        openBlock(function, text);
      else
        readStatement(function, text);
    }
    close(function);
    m_module.functions.push_back(std::move(function));
  }

  void openBlock(IrFunction& function, std::string_view text) {
    closeBlock(function);
    IrLine line = lineOf(text);
    IrBlock block;
    const auto label = line.next();
    line.expect(":");
    block.name = label;
    block.hasLabel = true;
    block.first = static_cast<int>(function.instructions.size());
    function.blocks.push_back(std::move(block));
  }

  void closeBlock(IrFunction& function) {
    if (!function.blocks.empty()) function.blocks.back().end = static_cast<int>(function.instructions.size());
  }

  void readStatement(IrFunction& function, std::string_view text) {
    if (function.blocks.empty()) { // a block without a label is numbered after the arguments
      function.blocks.push_back({std::to_string(m_unnamed), false, 0, 0});
    }
    std::string statement(text);
    if (statement.substr(0, 7) == "switch ")
      while (statement.find(']') == std::string::npos && nextLine()) statement += " " + std::string(stripped(m_line));
    if (statement.find("call void @llvm.dbg.") != std::string::npos) return;
    std::vector<std::string> labels;
    IrInstruction instruction = readInstruction(statement, m_number, m_module, labels);
    instruction.block = static_cast<int>(function.blocks.size()) - 1;
    const int index = static_cast<int>(function.instructions.size());
    if (!instruction.result.empty()) {
      instruction.value = static_cast<int>(function.definedBy.size());
      IrLine line = lineOf(statement);
      define(instruction.result, index, function, line);
    }
    if (++m_instructions > kMaxInstructions) lineOf(text).fail("the module has more than 2,000,000 instructions");
    function.instructions.push_back(std::move(instruction));
    m_labels.push_back(std::move(labels));
  }

  // Replaces names by indices when all names are known.
  void close(IrFunction& function) {
    closeBlock(function);
    std::map<std::string, int> blocks;
    for (std::size_t b = 0; b < function.blocks.size(); ++b) blocks[function.blocks[b].name] = static_cast<int>(b);
    function.usedBy.resize(function.definedBy.size());
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      IrInstruction& instruction = function.instructions[i];
      IrLine line(instruction.text, instruction.line, m_module);
      for (auto& operand : instruction.operands) {
        if (operand.local.empty()) continue;
        const auto found = m_values.find(operand.local);
        if (found == m_values.end()) line.fail(fmt::format("%{} is not defined", operand.local));
        operand.value = found->second;
        function.usedBy[operand.value].push_back(static_cast<int>(i));
      }
      for (const auto& label : m_labels[i]) {
        const auto found = blocks.find(label);
        if (found == blocks.end()) line.fail(fmt::format("block %{} does not exist", label));
        instruction.labels.push_back(found->second);
      }
    }
    keepScalarLoops(function);
    connect(function);
  }

  void connect(IrFunction& function) {
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
      IrBlock& block = function.blocks[b];
      IrLine line(function.header, function.line, m_module);
      if (block.first == block.end || !function.terminator(static_cast<int>(b)).isTerminator())
        line.fail(fmt::format("block %{} has no terminator", block.name));
      const IrInstruction& last = function.terminator(static_cast<int>(b));
      for (const int target : last.labels)
        if (std::find(block.successors.begin(), block.successors.end(), target) == block.successors.end()) {
          block.successors.push_back(target);
          function.blocks[target].predecessors.push_back(static_cast<int>(b));
        }
      for (int i = block.first; i + 1 < block.end; ++i)
        if (function.instructions[i].isTerminator()) line.fail(fmt::format("block %{} has two terminators", block.name));
    }
    if (function.blocks.empty()) IrLine(function.header, function.line, m_module).fail("the function is empty");
  }

  std::string_view m_text, m_line;
  std::size_t m_at = 0, m_instructions = 0, m_unnamed = 0; // m_unnamed: arguments without a name
  int64_t m_number = 0;
  IrModule m_module;
  std::map<std::string, int> m_values; // of the current function
  std::vector<std::vector<std::string>> m_labels;
};

} // namespace

IrModule readIr(std::string_view text) { return Reader(text).read(); }

} // namespace simcore::native
