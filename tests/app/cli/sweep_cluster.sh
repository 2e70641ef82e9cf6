#!/usr/bin/env bash
# The same sweep of 64 runs by the local runner, GNU parallel and Slurm (a controller and two nodes on the loopback), each also with
# kill -9 half-way: every merged table is equal. Usage: sweep_cluster.sh TILESCOPE_CLI local|parallel|slurm. Exit code 77: skipped.
set -euo pipefail
cli=$(readlink -f "$1") mode=$2
work=$(mktemp -d)
slurm_pids=()
cleanup() {
  # Tasks of Slurm live in sessions of their own: what belongs to this test names its folder.
  [ ${#slurm_pids[@]} -eq 0 ] || kill -9 "${slurm_pids[@]}" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
fail() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }
skip() { printf 'SKIP: %s\n' "$*" >&2; exit 77; }

# Commands of Slurm may wait for a lost controller for minutes: the whole mode has a time of its own.
if [ "${2:-}" = slurm ] && [ -z "${TILESCOPE_SLURM_INNER:-}" ]; then
  code=0
  TILESCOPE_SLURM_INNER=1 timeout -k 10 400 "$0" "$@" || code=$?
  case $code in 124 | 137) skip 'Slurm did not answer in the time given' ;; esac
  exit $code
fi
runs=64

cat >"$work/spec.json" <<'END'
{"graph": "triad", "arguments": ["--no-numbers"],
 "parameters": {"--iterations": [1, 2, 3, 4], "--machine": ["gc200", "bow"], "--seed": [1, 2, 3, 4, 5, 6, 7, 8]}}
END
plan() { "$cli" sweep plan "$work/spec.json" -o "$work/$1" >/dev/null; }
records() { find "$work/$1/runs" -name '*.json' 2>/dev/null | wc -l; }
table() { "$cli" sweep merge "$work/$1" --csv; }
equal() {
  [ "$(table "$1" | wc -l)" -eq $((runs + 1)) ] || fail "$1: not every run is in the table"
  table "$1" | cmp - "$work/reference.csv" || fail "$1: the merged table differs"
  [ "$(find "$work/$1/runs" -name '*.tsr' | wc -l)" -eq $runs ] || fail "$1: not one report for each run"
  find "$work/$1/runs" -name '*.lease*' -exec tail -n 1 {} + >"$work/leases.txt"
  [ ! -s "$work/leases.txt" ] || fail "$1: a lease was left behind: $(tr '\n' ' ' <"$work/leases.txt")"
  [ -z "$(find "$work/$1" -name '*.part.*')" ] || fail "$1: a file in the making was left behind"
  echo "ok: $1"
}
# Waits until $1 has at least $2 records, while process $3 lives.
await_records() {
  until [ "$(records "$1")" -ge "$2" ]; do
    kill -0 "$3" 2>/dev/null || fail "$1: ended before $2 runs were done"
    read -r -t 0.1 <> <(:) || true
  done
}

plan reference
"$cli" sweep run "$work/reference/manifest.jsonl" --jobs 2 >/dev/null
table reference >"$work/reference.csv"
[ "$(grep -c ',done,' "$work/reference.csv")" -eq $runs ] || fail 'the reference has runs that are not done'

local_runner() {
  plan killed
  "$cli" sweep run "$work/killed/manifest.jsonl" --jobs 2 >/dev/null &
  local runner=$!
  await_records killed 20 $runner
  kill -9 $runner
  wait $runner 2>/dev/null || true
  [ "$(records killed)" -lt $runs ] || fail 'killed too late to show anything'
  "$cli" sweep merge "$work/killed" >/dev/null 2>&1 && fail 'a table with missing runs must say so'
  "$cli" sweep run "$work/killed/manifest.jsonl" --jobs 2 >/dev/null
  equal killed

  plan twice
  "$cli" sweep run "$work/twice/manifest.jsonl" --jobs 1 >/dev/null &
  local first=$!
  "$cli" sweep run "$work/twice/manifest.jsonl" --jobs 1 >/dev/null
  wait $first
  equal twice

  # No file may grow beyond some KiB, as on a full disk: runs fail, nothing is left behind, and later they are done.
  plan full
  (ulimit -f 8; "$cli" sweep run "$work/full/manifest.jsonl" --index 0 --count 4 --jobs 2 >/dev/null 2>"$work/full.txt") && fail 'a full disk must be said'
  grep -q 'failed: ' "$work/full.txt" || fail 'the runs that failed are not named'
  "$cli" sweep run "$work/full/manifest.jsonl" --jobs 2 >/dev/null
  equal full
}

gnu_parallel() {
  command -v parallel >/dev/null || skip 'GNU parallel is not installed'
  export HOME="$work" # it wants to be cited once for each user
  mkdir -p "$work/.parallel" && touch "$work/.parallel/will-cite"
  plan parallel
  "$cli" sweep emit "$work/parallel/manifest.jsonl" --for parallel --count 4 >"$work/parallel.sh"
  setsid bash "$work/parallel.sh" >/dev/null 2>&1 &
  local session=$!
  await_records parallel 16 $session
  kill -9 -- -$session # the script, GNU parallel and all its tasks
  wait $session 2>/dev/null || true
  bash "$work/parallel.sh" >/dev/null
  equal parallel
}

start_controller() { slurmctld -D -f "$work/slurm.conf" >>"$work/slurmctld.log" 2>&1 & controller=$!; slurm_pids+=("$controller"); }
start_node() { slurmd -D -N "$1" -f "$work/slurm.conf" >>"$work/$1.log" 2>&1 & node_pid[$1]=$!; slurm_pids+=("${node_pid[$1]}"); }
up() { # waits until both nodes are there
  for _ in $(seq 600); do
    [ "$(sinfo -h -N -o '%T' 2>/dev/null | grep -c -E '^(idle|mixed|allocated)$')" -eq 2 ] && return
    read -r -t 0.1 <> <(:) || true
  done
  cat "$work"/*.log >&2
  skip 'the two nodes of Slurm did not come up here'
}
finish_jobs() { # waits until the queue is empty; lets go of what Slurm holds after a lost node
  for _ in $(seq 2400); do
    squeue -h -o '%i %r' 2>/dev/null >"$work/queue.txt" || true
    [ -s "$work/queue.txt" ] || { squeue -h >/dev/null 2>&1 && return; }
    { grep -i held "$work/queue.txt" || true; } | while read -r job _; do scontrol release "$job" 2>/dev/null || true; done
    read -r -t 0.1 <> <(:) || true
  done
  skip 'Slurm did not end its jobs in the time given'
}

slurm() {
  command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v sbatch >/dev/null || skip 'Slurm is not installed'
  local user host
  user=$(id -un) host=$(hostname -s)
  mkdir -p "$work/state"
  cat >"$work/slurm.conf" <<END
ClusterName=sweep
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
SlurmctldPort=$((20000 + $$ % 20000))
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmdSpoolDir=$work/spool-%n
StateSaveLocation=$work/state
SelectType=select/cons_tres
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((40000 + $$ % 10000)) CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((50001 + $$ % 10000)) CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
  export SLURM_CONF="$work/slurm.conf"
  mkdir -p "$work/spool-n1" "$work/spool-n2"
  declare -gA node_pid=()
  start_controller
  start_node n1
  start_node n2
  up

  plan slurm
  "$cli" sweep emit "$work/slurm/manifest.jsonl" --for slurm --count 16 >"$work/slurm.sh"
  sbatch "$work/slurm.sh" >/dev/null
  finish_jobs
  equal slurm

  # A node is lost with all it does, then the controller; then the same script is submitted again.
  plan lost
  "$cli" sweep emit "$work/lost/manifest.jsonl" --for slurm --count 16 >"$work/lost.sh"
  sbatch "$work/lost.sh" >/dev/null
  await_records lost 8 "$controller"
  local step
  for step in $(pgrep -P "${node_pid[n1]}" || true) $(pgrep -f "sweep run $work/lost" || true); do
    kill -9 "$step" 2>/dev/null || true
  done
  kill -9 "${node_pid[n1]}" "$controller"
  start_controller
  start_node n1
  up
  sbatch "$work/lost.sh" >/dev/null
  finish_jobs
  equal lost
}

case $mode in
  local) local_runner ;;
  parallel) gnu_parallel ;;
  slurm) slurm ;;
  *) fail "no mode is called $mode" ;;
esac
