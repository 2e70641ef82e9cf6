#include "app/cli/sweep_scripts.h"

#include "analyser/session/shell_line.h"
#include "reports/core/json.h"
#include "reports/core/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>

namespace app::cli {

namespace {

// Slurm's default MaxArraySize is 1001, and it spends about a second per task: hence larger tasks.
constexpr std::size_t kMostSlurmTasks = 1000, kSlurmRuns = 20, kKubernetesRuns = 20;
constexpr int kKubernetesMost = 10;

// A shell word, with quotes in any case.
std::string quoted(const std::string& word) {
  const std::string line = analyser::shellLine({word});
  return line.starts_with('\'') ? line : "'" + line + "'";
}

// The arguments of `sweep run` for files that runs may read and programs that they may start.
std::string runWords(const ScriptRequest& r) {
  std::string words = quoted(r.manifest.string());
  for (const std::string& file : r.readable) words += " --read " + quoted(file);
  for (const std::string& file : r.executable) words += " --execute " + quoted(file);
  return words;
}

// Escapes $: Kubernetes replaces $(NAME) in arguments, and $$ by $.
std::string withoutReferences(std::string text) {
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 2)) text.insert(at, 1, '$');
  return text;
}

// A YAML scalar: its double-quoted form is JSON's (YAML 1.2, section 1.3).
std::string yamlText(const std::string& text) { return reports::jsonText(nlohmann::json(text)); }

std::size_t tasksOf(std::size_t runs, std::size_t count) {
  return static_cast<std::size_t>(reports::ceilDiv(static_cast<int64_t>(runs), static_cast<int64_t>(count)));
}

std::string slurm(const ScriptRequest& r) {
  const std::size_t least = tasksOf(r.runs, kMostSlurmTasks);
  const std::size_t count = std::max(r.count ? r.count : std::min(kSlurmRuns, r.runs), least);
  return fmt::format(R"(#!/bin/bash
# {0} runs, {1} a task. Submit with: sbatch THIS_FILE
# Everything may be submitted again at any time: runs that are done are left alone. A job that Slurm holds after a lost node
# ("launch failed requeued held") goes on with: scontrol release JOB
#SBATCH --job-name=tilescope-sweep
#SBATCH --array=0-{2}{3}
#SBATCH --requeue
#SBATCH --output=/dev/null
# What goes wrong is said in one file for all tasks; where it cannot be written the runs go on without.
log={6}
if [ ! -L "$log" ] && {{ [ -f "$log" ] || [ ! -e "$log" ]; }} && {{ : >>"$log"; }} 2>/dev/null; then exec 2>>"$log"; fi
exec {4} sweep run {5} --index $((SLURM_ARRAY_TASK_ID * {1})) --count {1} --jobs "${{SLURM_CPUS_ON_NODE:-1}}"
)",
                     r.runs, count, tasksOf(r.runs, count) - 1, r.most > 0 ? "%" + std::to_string(r.most) : "", quoted(r.program),
                     runWords(r), quoted((r.manifest.parent_path() / "slurm.log").string()));
}

// Runs per task, for about kTasksOfAPlace tasks per slot: then all slots end at about the same time. A task costs 30 ms of
// processor time besides its runs.
std::size_t parallelRuns(const ScriptRequest& r) {
  constexpr std::size_t kTasksOfAPlace = 8, kMostRuns = 20;
  const std::size_t places = r.most > 0 ? static_cast<std::size_t>(r.most) : std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(r.runs / (kTasksOfAPlace * places), 1, kMostRuns);
}

std::string parallel(const ScriptRequest& r) {
  const std::size_t count = r.count ? r.count : parallelRuns(r);
  return fmt::format(R"(#!/bin/bash
# {0} runs, {1} a task. For several machines add --sshlogin HOST,HOST; they need the same folder and program.
# May be started again at any time: runs that are done are left alone.
set -euo pipefail
# A function, because parallel would replace {{}} and {{= =}} in the names of files.
task() {{ {5} sweep run {6} --index "$1" --count {1} --jobs 1; }}
export -f task
export PARALLEL_SHELL=/bin/bash
log={4}
if [ -L "$log" ]; then echo "$log is a symbolic link: remove it first" >&2; exit 2; fi
seq 0 {1} {2} | parallel --jobs {3} --retries 3 --joblog "$log" --env task task
)",
                     r.runs, count, r.runs - 1, r.most > 0 ? std::to_string(r.most) : "100%",
                     quoted((r.manifest.parent_path() / "joblog").string()), quoted(r.program), runWords(r));
}

std::string kubernetes(const ScriptRequest& r) {
  const std::size_t count = r.count ? r.count : std::min(kKubernetesRuns, r.runs);
  return fmt::format(R"(# {0} runs, {1} a task. Set the image and the volume, then: kubectl apply -f THIS_FILE
apiVersion: batch/v1
kind: Job
metadata:
  name: tilescope-sweep
spec:
  completionMode: Indexed
  completions: {2}
  parallelism: {3}
  backoffLimit: {4}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: sweep
          image: YOUR-IMAGE-WITH-TILESCOPE
          command: ["/bin/sh", "-c"]
          args:
            - {5}
          volumeMounts:
            - name: sweep
              mountPath: {6}
      volumes:
        - name: sweep
          persistentVolumeClaim:
            claimName: YOUR-SHARED-VOLUME
)",
                     r.runs, count, tasksOf(r.runs, count),
                     std::min<std::size_t>(r.most > 0 ? std::size_t(r.most) : kKubernetesMost, tasksOf(r.runs, count)),
                     3 * tasksOf(r.runs, count),
                     yamlText(fmt::format("exec {0} sweep run {1} --index $((JOB_COMPLETION_INDEX * {2})) --count {2} --jobs 1",
                                          withoutReferences(quoted(r.program)), withoutReferences(runWords(r)), count)),
                     yamlText(r.manifest.parent_path().string()));
}

} // namespace

std::string sweepScript(const ScriptRequest& r) {
  switch (r.scheduler) {
  case Scheduler::Slurm: return slurm(r);
  case Scheduler::Parallel: return parallel(r);
  case Scheduler::Kubernetes: break;
  }
  return kubernetes(r);
}

} // namespace app::cli
