#include "simcore/samples/group_conv.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

// "1,4,16": every number divides the channels; "0" stands for all channels (depthwise).
std::vector<int64_t> groupsOf(const Parameters& p, int64_t channels) {
  std::vector<int64_t> groups;
  std::istringstream words(p.text("groups"));
  for (std::string word; std::getline(words, word, ',');) {
    int64_t n = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error == std::errc() && end == word.data() + word.size() && n == 0) n = channels;
    if (error != std::errc() || end != word.data() + word.size() || n < 1 || channels % n)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           fmt::format("'{}' is not a number of groups that divides {} channels", word, channels),
                           reports::option("set") + " groups", "give divisors of the channels with commas; 0: all channels");
    groups.push_back(n);
  }
  if (groups.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "the list of groups is empty", reports::option("set") + " groups");
  return groups;
}

Workload buildSweep(const Parameters& p, const BuildOptions& o) {
  const int64_t batch = p.integer("batch", 1, 4096), channels = p.integer("channels", 1, 1 << 14),
                size = p.integer("size", 1, 4096), kernel = p.integer("kernel", 1, 31);
  const ElementType type = typeOf(p), partials = typeOf(p, "partials");
  const ops::ConvOptions options{p.number("memory", 0.01, 1)};
  Workload load;
  load.name = "group-conv";
  load.title = fmt::format("Convolutions {0} x {0} of {1} channels in groups of {2}", kernel, channels, p.text("groups"));
  load.graph = std::make_shared<Graph>(o.machine);
  Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "");
  const Shape shape{batch, channels, size, size};
  const Tensor x = g.addVariable(type, shape, "x", root);
  g.mapTensorLinearly(x);
  Sequence main;
  const bool io = p.integer("io", 0, 1) == 1;
  // Without streams the values are on the machine from the start, so a run costs only the convolutions.
  const auto feed = [&](const Tensor& t, const std::string& name, uint64_t seed) {
    const auto value = [shape = t.shape(), seed] { return uniformTensor(shape, seed); };
    if (!io)
      return main.add(program::hostCompute(name, root, {}, {t},
                                           [value](const std::vector<HostTensor>&) { return std::vector<HostTensor>{value()}; }));
    main.add(program::copy(g.addHostToDeviceFifo(name, type, t.numElements()), t, name, root));
    load.inputs[name] = {HostTensor::deferred(ElementType::Float, t.shape(), value)};
  };
  std::vector<std::pair<std::string, Tensor>> results;
  Sequence work;
  uint64_t seed = uint64_t(o.seed) + 1;
  feed(x, "x", seed);
  for (const int64_t groups : groupsOf(p, channels)) {
    const std::string name = fmt::format("groups={}", groups);
    const auto context = g.addContext(root, name, "model", "GroupConv");
    ops::ConvParams c;
    c.type = type;
    c.partials = partials;
    c.batch = batch;
    c.groups = groups;
    c.inChannels = c.outChannels = channels / groups;
    c.in = {size, size};
    c.kernel = {kernel, kernel};
    c.padLow = {(kernel - 1) / 2, (kernel - 1) / 2};
    c.padHigh = {kernel / 2, kernel / 2};
    const Tensor weights = g.addVariable(type, {channels, channels / groups, kernel, kernel}, name + "/weights", context);
    results.emplace_back(name, ops::convolution(ops::OpBuilder(g, work, context), x, weights, c, {}, options));
    if (io) {
      const StreamId out = g.addDeviceToHostFifo(name, type, results.back().second.numElements());
      work.add(program::copy(results.back().second, out, name, context));
      load.outputs.push_back(name);
    }
    feed(weights, name + "/weights", ++seed);
  }
  main.add(work);
  load.programs = {{"main", main.program()}};
  return load;
}

} // namespace

Sample groupConv() {
  Sample s;
  s.name = "group-conv";
  s.title = "Convolutions in groups";
  s.text = "The same image through convolutions with fewer and fewer channels per group, down to depthwise, one after the other "
           "in one report. The flops fall far more than the cycles: look at the plans (summary {option plans}) for the method of "
           "each group size (AMP, SLIC, several groups joined, multiply and add), and at the operations for the share of the "
           "peak FLOP rate that each reaches.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "With 128 groups the FLOPs are less than a hundredth of those with one group, but the cycles about a twelfth."},
              {"tilescope:?view=trace&set.tab=range",
               "The convolution with one group takes most cycles, and a larger share of them in exchange than that with 16."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the convolution with one group: its received operands (in) are the largest variable."}};
  s.parameters = {
      {"groups", "1,4,16,64,0", "numbers of groups, divisors of the channels, with commas; 0: all channels (depthwise)"},
      {"channels", "128", "channels of input and output"},
      {"size", "56", "pixels along each side"},
      {"kernel", "3", "pixels of the filter along each side"},
      {"batch", "4", "images"},
      typeParameter("half"),
      {"partials", "float", "half or float: type of partial sums", {"half", "float"}},
      {"memory", "0.6", "share of a tile's memory that temporaries may take"},
      ioParameter()};
  s.build = buildSweep;
  s.variant = {
      "tuned",
      {{"partials", "half"}},
      "Partial sums in half precision take half the memory and half the exchange of the reduction, and the planner can use "
      "faster loops; the price is precision. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
