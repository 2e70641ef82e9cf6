#!/usr/bin/env bash
# The same sweep of 64 runs by the local runner, GNU parallel and Slurm (a controller and two nodes on the loopback), each also with
# kill -9 half-way: every merged table is equal. Usage: sweep_cluster.sh TILESCOPE_CLI local|parallel|slurm. Exit code 77: skipped.
set -euo pipefail
cli=$(readlink -f "$1") mode=$2
work=$(mktemp -d)
slurm_pids=()
cleanup() {
  [ ${#slurm_pids[@]} -eq 0 ] || kill -9 "${slurm_pids[@]}" $(of_this_test SLURM_CONF=.*) 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
fail() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }
skip() { printf 'SKIP: %s\n' "$*" >&2; exit 77; }
pause() { read -r -t 0.1 <> <(:) || true; }

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
    pause
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

  # Told to end, it leaves neither files in the making nor leases behind.
  printf '{"graph": "lstm", "parameters": {"batch": [4, 8]}, "arguments": ["--iterations", "100000"]}' >"$work/long.json"
  "$cli" sweep plan "$work/long.json" -o "$work/long" >/dev/null
  "$cli" sweep run "$work/long/manifest.jsonl" --jobs 2 >/dev/null 2>&1 &
  runner=$!
  until [ "$(find "$work/long" -name '*.part.*' | wc -l)" -eq 2 ]; do kill -0 $runner || fail 'long: ended by itself'; pause; done
  kill -TERM $runner
  wait $runner && fail 'long: a sweep that was ended must say so'
  [ -z "$(find "$work/long/runs" -type f)" ] || fail "long: left behind: $(ls "$work/long/runs")"
  echo 'ok: ended'

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

  # Two people start the same script.
  plan doubled
  "$cli" sweep emit "$work/doubled/manifest.jsonl" --for parallel --count 4 >"$work/doubled.sh"
  bash "$work/doubled.sh" >/dev/null &
  local first=$!
  bash "$work/doubled.sh" >/dev/null
  wait $first
  equal doubled

  # As on a full disk: tasks fail, also when they are tried again; with room they are done.
  plan full
  printf '#!/bin/bash\nulimit -f 8\nexec %q "$@"\n' "$cli" >"$work/small-cli"
  chmod +x "$work/small-cli"
  "$cli" sweep emit "$work/full/manifest.jsonl" --for parallel --count 4 >"$work/full.sh"
  "$cli" sweep emit "$work/full/manifest.jsonl" --for parallel --count 4 --program "$work/small-cli" >"$work/full-small.sh"
  bash "$work/full-small.sh" >/dev/null 2>&1 && fail 'a full disk must be said'
  "$cli" sweep merge "$work/full" >/dev/null 2>"$work/full.txt" && fail 'runs that failed must be said'
  [ "$(grep -c '^failed: ' "$work/full.txt")" -eq $runs ] || fail 'the runs that failed are not named'
  bash "$work/full.sh" >/dev/null
  equal full
}

start_controller() { slurmctld -D -f "$work/slurm.conf" >>"$work/slurmctld.log" 2>&1 & controller=$!; slurm_pids+=("$controller"); }
start_node() { slurmd -D -N "$1" -f "$work/slurm.conf" >>"$work/$1.log" 2>&1 & node_pid[$1]=$!; slurm_pids+=("${node_pid[$1]}"); }
up() { # waits until both nodes are there
  for _ in $(seq 600); do
    [ "$(sinfo -h -N -o '%T' 2>/dev/null | grep -c -E '^(idle|mixed|allocated)$')" -eq 2 ] && return
    pause
  done
  cat "$work"/*.log >&2
  skip 'the two nodes of Slurm did not come up here'
}
# A controller that was killed forgets the last seconds. It may believe in tasks that ended long ago: only a node that registers
# tells it better, and nodes register once in 20 pings, so the daemon of such a node is started again; tasks that really run outlive
# that. And it may give the number of a forgotten job to a new one: a node that still runs the old one is then drained, and is
# resumed here. An administrator would do both.
refresh_nodes() {
  local node
  for node in $(squeue -h -t RUNNING -o '%N %M' 2>/dev/null | awk '{ split($2, t, ":"); if (t[1] * 60 + t[2] >= 5) print $1 }' | sort -u); do
    kill "${node_pid[$node]}" 2>/dev/null || true
    wait "${node_pid[$node]}" 2>/dev/null || true
    start_node "$node"
  done
  for node in $(sinfo -h -N -o '%N %T' 2>/dev/null | awk '$2 ~ /^(drain|down)/ { print $1 }' | sort -u); do
    scontrol update NodeName="$node" State=RESUME 2>/dev/null || true
  done
}
finish_jobs() { # waits until the queue is empty; lets go of what Slurm holds after a lost node
  local turn
  for turn in $(seq 2400); do
    squeue -h -o '%i %r' 2>/dev/null >"$work/queue.txt" || true
    [ -s "$work/queue.txt" ] || { squeue -h >/dev/null 2>&1 && return; }
    { grep -i held "$work/queue.txt" || true; } | while read -r job _; do scontrol release "$job" 2>/dev/null || true; done
    [ $((turn % 20)) -ne 0 ] || refresh_nodes
    pause
  done
  cat "$work/queue.txt" "$work"/*.log >&2
  fail 'Slurm did not end its jobs'
}
# The processes of this test whose environment has the line $1.
of_this_test() {
  local process
  for process in /proc/[0-9]*; do
    if grep -z -q -x -e "$1" "$process/environ" 2>/dev/null && grep -z -q -x -F -e "SLURM_CONF=$work/slurm.conf" "$process/environ" 2>/dev/null
    then basename "$process"; fi
  done
}

# auth/none, cred/none: trusts everyone, for tests only. A requeued task waits until its credential expired, and a node is asked for
# tasks that it does not know only after BatchStartTimeout and MessageTimeout: both are short.
configure_slurm() {
  local user host port
  user=$(id -un) host=$(hostname -s) port=$((10000 + $$ % 7000 * 3)) # below the ports that the kernel gives to clients
  mkdir -p "$work/state" "$work/spool-n1" "$work/spool-n2"
  cat >"$work/slurm.conf" <<END
ClusterName=sweep
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
BatchStartTimeout=1
MessageTimeout=3
SlurmctldTimeout=10
SlurmdTimeout=10
SlurmctldPort=$port
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmdSpoolDir=$work/spool-%n
StateSaveLocation=$work/state
SelectType=select/cons_tres
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
  export SLURM_CONF="$work/slurm.conf"
}
emit_slurm() { plan "$1" && "$cli" sweep emit "$work/$1/manifest.jsonl" --for slurm --count "$2" >"$work/$1.sh"; }

slurm() {
  command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v sbatch >/dev/null || skip 'Slurm is not installed'
  declare -gA node_pid=()
  configure_slurm
  start_controller
  start_node n1
  start_node n2
  up

  emit_slurm slurm 32
  sbatch "$work/slurm.sh" >/dev/null
  finish_jobs
  equal slurm

  # Each task is submitted twice at a time: two nodes want the same runs.
  emit_slurm doubled 32
  sbatch "$work/doubled.sh" >/dev/null
  sbatch "$work/doubled.sh" >/dev/null
  finish_jobs
  equal doubled

  # A node is lost with all it does, then the controller, while the other node goes on; the same script is submitted again.
  emit_slurm lost 16
  sbatch "$work/lost.sh" >/dev/null
  await_records lost 8 "$controller"
  local task
  for task in $(of_this_test SLURMD_NODENAME=n1); do kill -9 "$task" 2>/dev/null || true; done
  kill -9 "${node_pid[n1]}" "$controller"
  [ "$(records lost)" -lt $runs ] || fail 'lost too late to show anything'
  start_controller
  start_node n1
  up
  sbatch "$work/lost.sh" >/dev/null
  finish_jobs
  equal lost

  # No file may grow beyond some KiB, as on a full disk: tasks fail, nothing is left behind, and later they are done.
  emit_slurm full 32
  sed 's/^exec/ulimit -f 8; exec/' "$work/full.sh" >"$work/full-small.sh"
  sbatch "$work/full-small.sh" >/dev/null
  finish_jobs
  "$cli" sweep merge "$work/full" >/dev/null 2>"$work/full.txt" && fail 'a full disk must be said'
  [ "$(grep -c '^failed: ' "$work/full.txt")" -eq $runs ] || fail 'the runs that failed are not named'
  sbatch "$work/full.sh" >/dev/null
  finish_jobs
  equal full
}

case $mode in
  local) local_runner ;;
  parallel) gnu_parallel ;;
  slurm) slurm ;;
  *) fail "no mode is called $mode" ;;
esac
