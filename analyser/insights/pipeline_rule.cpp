// Idle IPUs, and IPUs that wait for each other: the bubble of a pipeline, or IPUs that work one after the other.
#include "analyser/insights/rules.h"
#include "analyser/insights/stage_balance.h"

#include "analyser/operations/ipu_layers.h"
#include "analyser/session/format.h"
#include "analyser/session/metadata_count.h"
#include "analyser/trace/pipeline.h"

#include <map>
#include <set>

namespace analyser::insights {

namespace {

constexpr double kBubble = 0.10;      // share of the stages' time
constexpr double kWaiting = 0.20;     // share of the working IPUs' time, without a pipeline
constexpr std::size_t kMostNamed = 4; // IPUs in a list

// IPUs that compute, copy or transfer; a sync is not work.
std::set<int64_t> workingIpus(const Facts& facts) {
  std::set<int64_t> working;
  for (const StepFact& step : facts.steps)
    if (step.activity != reports::Activity::Sync)
      for (const auto& [ipu, cycles] : step.cost.onIpus)
        if (cycles > 0) working.insert(ipu);
  return working;
}

struct Costliest {
  const operations::Alike* group = nullptr;
  Cycles cycles; // of the group on the IPU
  reports::ProgramStepId step;
};
// The operations on which one IPU works longest, counting the micro-batches. Steps outside the phases (state that is moved for an
// update) do not count; with several micro-batches, neither do steps that run once per batch (a sum over replicas).
Costliest costliestOn(const Facts& facts, trace::ExecutionTrace& trace, const trace::Pipeline& p, IpuId ipu) {
  std::vector<std::size_t> groupOf(facts.operations.rows.size());
  for (std::size_t g = 0; g < facts.alike.size(); ++g)
    for (const std::size_t row : facts.alike[g].members) groupOf[row] = g;
  struct Sum {
    Cycles cycles, largest;
    reports::ProgramStepId step; // with most cycles
  };
  std::set<StringId> ofPhases;
  for (const trace::NameStatistics& name : trace.statistics(p.phases, {}, facts.stop, ipu)) ofPhases.insert(name.name);
  std::map<std::size_t, Sum> sums; // by group
  const int64_t updates = facts.runs * std::max<int64_t>(1, metadataCount(facts.session, "batches_per_step").value_or(1));
  for (const StepFact& step : facts.steps) {
    if (step.cost.ipu != int64_t(ipu.value()) || step.operation < 0 || step.activity == reports::Activity::Sync) continue;
    if (!ofPhases.contains(step.name) || (p.microBatches > 1 && step.cost.executions <= updates)) continue;
    Sum& sum = sums[groupOf[std::size_t(step.operation)]];
    sum.cycles += step.cycles;
    if (step.cycles > sum.largest) sum.largest = step.cycles, sum.step = step.id;
  }
  Costliest most;
  for (const auto& [group, sum] : sums)
    if (sum.cycles > most.cycles) most = {&facts.alike[group], sum.cycles, sum.step};
  return most;
}

// The stages that wait most, and the mean of the others.
void addWaits(const trace::Pipeline& p, Insight& i) {
  std::vector<const trace::PipelineStage*> stages;
  for (const auto& stage : p.stages) stages.push_back(&stage);
  std::stable_sort(stages.begin(), stages.end(), [](const auto* a, const auto* b) { return a->waiting > b->waiting; });
  const std::size_t named = stages.size() > kMostNamed + 1 ? kMostNamed : stages.size();
  for (std::size_t k = 0; k < named; ++k)
    i.parts.push_back({"IPU " + std::to_string(stages[k]->ipu.value()) + " waits", stages[k]->waiting});
  if (named == stages.size()) return;
  Cycles rest;
  for (std::size_t k = named; k < stages.size(); ++k) rest += stages[k]->waiting;
  const auto others = int64_t(stages.size() - named);
  i.parts.push_back({std::to_string(others) + " others wait, mean", Cycles(rest.value() / others)});
}

// Adds a cut of the repeated layers whose slowest stage takes less time, and the time that it should save: all stages wait for
// the slowest one.
// Returns the cut; empty if there is no better one.
std::string addBalance(const Facts& facts, const trace::Pipeline& p, Cycles phases, Insight& i) {
  if (!facts.isModel()) return {};
  auto works = operations::layerWorkByIpu(facts.session, facts.costs, *facts.program, facts.stop);
  std::vector<StageWork> stages;
  for (const auto& stage : p.stages) stages.push_back({stage.busy, std::move(works[stage.ipu])});
  const auto balance = balancedStages(stages);
  if (!balance) return {};
  // A micro-batch passes all stages once; each further one takes as long as the slowest stage.
  double all = 0, slowest = 0;
  for (const auto& stage : p.stages) all += double(stage.busy.value()), slowest = std::max(slowest, double(stage.busy.value()));
  const double count = double(std::max<int64_t>(1, p.microBatches)), kept = 1 - 1 / count;
  const auto ideal = [&](double longest) { return int64_t(all / count + longest * kept); };
  // Only the slowest stage gains: the other losses of the phases stay.
  const int64_t balanced = ideal(slowest * balance->longest);
  const Cycles saved(std::min(phases.value(), ideal(slowest)) - balanced);
  if (saved <= Cycles()) return {};
  i.parts.push_back({"Balanced stages would save", saved});
  i.trials.push_back(trials::balancedStages(balance->cut())
                         .because("Foreseen: " + formatShortCycles(saved) + " less, " +
                                  formatPercent(ratio(saved, facts.runCycles)) + " of the run."));
  return balance->cut();
}

void sayPipeline(const Facts& facts, trace::ExecutionTrace& trace, const trace::Pipeline& p, Findings& found) {
  const auto& slowest = p.stages[static_cast<std::size_t>(p.slowest)];
  const Cycles mean = p.meanBusy();
  Insight i;
  i.where = std::to_string(p.stages.size()) + " IPUs";
  const Cycles whole = p.isOfRuns ? facts.runCycles : p.fill + p.main + p.flush;
  i.cycles = Cycles(int64_t(double(whole.value()) * p.bubble));
  i.share = p.bubbleOfRuns();
  i.confidence = Confidence::Medium;
  i.evidence = {.view = "trace", .words = "the pipeline in Trace", .tab = "pipeline"};
  for (const Sentence::Part& part : p.verdict.parts()) i.what << part;
  if (mean > Cycles()) i.what << "; the slowest is " << Sentence::Percent{ratio(slowest.busy, mean) - 1} << " over the mean";
  if (const std::string held =
          operations::layerWords(operations::layersByIpu(facts.session, facts.costs, *facts.program, facts.stop)[slowest.ipu]);
      !held.empty())
    i.what << "; IPU " + std::to_string(slowest.ipu.value()) + " holds " << Sentence::Name{held};
  const Costliest most = costliestOn(facts, trace, p, slowest.ipu);
  if (most.group && slowest.busy > Cycles()) {
    (i.what << "; on IPU " + std::to_string(slowest.ipu.value()) + " ").append(most.group->name())
        << (most.group->members.size() > 1 ? " take " : " takes ")
        << Sentence::Percent{std::min(1.0, ratio(most.cycles, slowest.busy))} << " of the work";
    i.evidence.step = most.step, i.evidence.words = "the costliest step of its slowest stage in Trace";
  }
  i.what << ".";
  if (!p.isOfRuns) i.parts.push_back({"Bubble, of the stages' time", Sentence::Percent{p.bubble}});
  i.parts.push_back({"Bubble, of the run", Sentence::Percent{i.share}});
  addWaits(p, i);
  const auto least =
      std::min_element(p.stages.begin(), p.stages.end(), [](const auto& a, const auto& b) { return a.busy < b.busy; });
  const std::string lazy = "IPU " + std::to_string(least->ipu.value());
  // The advice names the cut of the trial: another move of work would contradict it.
  if (const std::string cut = addBalance(facts, p, whole, i); !cut.empty())
    i.advice.push_back("Balance the stages ({option shard} " + cut + "): all of them wait for the slowest, IPU " +
                       std::to_string(slowest.ipu.value()) + ".");
  else if (mean > Cycles() && ratio(slowest.busy, mean) > 1.15)
    i.advice.push_back(p.slowStages() > 1
                           ? std::to_string(p.slowStages()) + " stages are about equally slow, and " + lazy +
                                 " waits most: give it some of their work."
                           : "Move work from IPU " + std::to_string(slowest.ipu.value()) + " to " + lazy +
                                 " ({option shard} with the first node of every stage): all stages wait for the slowest.");
  if (p.microBatches > 0) {
    const std::string more = std::to_string(p.microBatches * 4);
    i.advice.push_back("Run more micro-batches between two updates ({option accumulation} " + more +
                       "): fill and flush take a smaller share of the time.");
    i.trials.push_back(
        trials::microBatchesOf(p.microBatches * 4).because("Fill and flush are paid once for four times the work."));
  }
  i.advice.push_back("Use fewer stages with data-parallel replicas, if the model fits.");
  found.push_back(std::move(i));
}

} // namespace

void findIdleIpus(const Facts& facts, Findings& found) {
  const int64_t ipus = facts.machine.ipus;
  const std::set<int64_t> working = workingIpus(facts);
  const auto used = int64_t(working.size()), idle = ipus - used;
  if (used == 0 || idle <= 0 || facts.runCycles == Cycles()) return;
  Insight i;
  i.where = std::to_string(idle) + " of " + std::to_string(ipus) + " IPUs";
  i.share = double(idle) / double(ipus);
  i.cycles = Cycles(int64_t(double(facts.runCycles.value()) * i.share)), i.confidence = Confidence::Low;
  i.evidence = {.view = "trace", .words = "the IPUs in Trace"};
  i.what << idle << " of " << ipus << (idle == 1 ? " IPUs does" : " IPUs do") << " nothing in the whole run";
  std::string names;
  std::size_t named = 0;
  for (int64_t ipu = 0; ipu < ipus && named < kMostNamed; ++ipu)
    if (!working.contains(ipu)) names += (named++ ? ", " : "") + std::to_string(ipu);
  i.what << ": IPU " + names + (int64_t(named) < idle ? " and others." : ".");
  i.parts = {{"IPUs that work", used}, {"Idle IPUs", idle}};
  if (ipus % used == 0) {
    const std::string replicas = std::to_string(ipus / used * facts.replicas);
    i.advice.push_back("Let them work on other samples: run replicas ({option replicas} " + replicas + ").");
    if (facts.isModel()) i.trials.push_back(trials::replicasOf(ipus / used * facts.replicas));
  }
  i.advice.push_back(
      "Cut the model over them ({option shard} auto), as a pipeline if all are to work at once ({option pipeline} " +
      std::to_string(ipus) + ").");
  i.advice.push_back("Take a machine with fewer IPUs ({option ipus} " + std::to_string(used * facts.replicas) +
                     "): it is as fast.");
  found.push_back(std::move(i));
}

void findPipelineBubble(const Facts& facts, Findings& found) {
  if (facts.machine.ipus < 2 || facts.runCycles == Cycles()) return;
  trace::ExecutionTrace trace(facts.session);
  if (const auto p = trace::pipeline(trace, facts.stop)) {
    if (p->bubble >= kBubble) sayPipeline(facts, trace, *p, found);
    return;
  }
  const std::set<int64_t> working = workingIpus(facts); // IPUs without work are a separate finding
  const auto ipus = int64_t(working.size());
  if (ipus < 2) return;
  int64_t busy = 0; // cycles of steps on each of them
  for (const StepFact& step : facts.steps)
    for (const auto& [ipu, cycles] : step.cost.onIpus)
      if (working.contains(ipu)) busy += cycles;
  const double whole = double(facts.runCycles.value()) * double(ipus);
  const double waiting = whole > 0 ? std::max(0.0, 1 - double(busy) / whole) : 0;
  if (waiting < kWaiting) return;
  Insight i;
  i.title = "IPUs wait for each other"; // narrower than the rule's
  i.where = std::to_string(ipus) + " IPUs";
  i.cycles = Cycles(int64_t(double(facts.runCycles.value()) * waiting)), i.share = waiting, i.confidence = Confidence::Medium;
  i.evidence = {.view = "trace", .words = "the IPUs in Trace"};
  i.what << "The " << ipus << " IPUs wait for each other " << Sentence::Percent{waiting} << " of their time.";
  const std::string stages = std::to_string(ipus);
  i.advice = {"Run the shards as a pipeline ({option pipeline} " + stages +
                  "): then all work at once, each on another micro-batch.",
              "Use replicas instead, if the model fits one IPU."};
  i.trials.push_back(trials::pipelineOf(int(ipus)));
  found.push_back(std::move(i));
}

} // namespace analyser::insights
