#!/usr/bin/env python3
"""Builds and runs programs that others wrote for Poplar with Tilescope's SDK, and prints one line for each.

usage: run_programs.py [--jobs N] SDK FOLDER MANIFEST [NAME...]

SDK is the installed tree (build/sdk), FOLDER holds fetched programs. Nothing is written to FOLDER: each program is copied to a
temporary folder first; programs with the same folder, where, env and build lines are built once and run one after the other. N programs
(default 1) run at the same time. MANIFEST is a JSON list of objects:
  name     what the line calls it
  folder   below FOLDER, copied
  where    below that, where the lines run (default: the folder itself)
  build    lines for the shell
  run      a line for the shell
  env      more environment (optional)
  expect   regular expressions that the output must contain (optional)
  exit     what the run returns (default 0)
  seconds  that the run may take (default 120)
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time


def environment(sdk):
    words = {"CPATH": "include", "LIBRARY_PATH": "lib", "LD_LIBRARY_PATH": "lib", "PATH": "bin", "CMAKE_PREFIX_PATH": ""}
    env = dict(os.environ, POPLAR_SDK_ENABLED=str(sdk))
    for name, below in words.items():
        env[name] = str(sdk / below) + (os.pathsep + env[name] if env.get(name) else "")
    return env


children = set()  # that run now


def shell(line, where, env, seconds):
    child = subprocess.Popen(["bash", "-c", line], cwd=where, env=env, text=True, errors="replace", start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    children.add(child.pid)
    try:
        output = child.communicate(timeout=seconds)[0]
        return child.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # what the line started, too
        return -1, child.communicate()[0] + f"\nnot done after {seconds} s"
    finally:
        children.discard(child.pid)


def reason(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if re.search(r"(?<!-W)error|terminate|what\(\)|undefined reference", line, re.I):
            return line[:160]
    return (lines or ["no output"])[-1][:160]


def built(program, folder, env, place):
    """The verdict, why and output of a failed build, or None."""
    shutil.copytree(folder / program["folder"], place, symlinks=True)
    for line in program.get("build", []):
        code, output = shell(line, place / program.get("where", "."), env, 600)
        if code != 0:
            return "does not build", reason(output), output
    return None


def build_of(program):
    return json.dumps([program.get(part) for part in ("folder", "where", "env", "build")])


def check(program, folder, env, keep, builds):
    if not (folder / program["folder"]).is_dir():
        return "missing", f"no folder {program['folder']}", ""
    env = dict(env, **program.get("env", {}))
    key = build_of(program)
    if key not in builds:
        place = pathlib.Path(keep) / program["name"]
        builds[key] = place, built(program, folder, env, place)
    place, failed = builds[key]
    if failed:
        return failed
    where = place / program.get("where", ".")
    code, output = shell(program["run"], where, env, program.get("seconds", 120))
    if code != program.get("exit", 0):
        return "fails", f"exit {code}: {reason(output)}", output
    for pattern in program.get("expect", []):
        if not re.search(pattern, output, re.M):
            return "wrong", f"the output lacks /{pattern}/", output
    return "passes", "", output


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("--jobs", type=int, default=1)
    for word in ("sdk", "folder", "manifest"):
        words.add_argument(word, type=pathlib.Path)
    words.add_argument("names", nargs="*")
    words = words.parse_args()
    env = environment(words.sdk.resolve())
    wanted = [p for p in json.loads(words.manifest.read_text()) if not words.names or p["name"] in words.names]
    groups = {}
    for program in wanted:
        groups.setdefault(build_of(program), []).append(program)
    builds = {}
    verdicts = []
    printing = threading.Lock()
    stopped = threading.Event()

    def check_all(group, keep):
        for program in group:
            if stopped.is_set():
                return
            start = time.monotonic()
            verdict, why, output = check(program, words.folder, env, keep, builds)
            with printing:
                verdicts.append(verdict)
                print(f"{program['name']:24} {verdict:14} {time.monotonic() - start:6.1f} s  {why}", flush=True)
                if words.names and verdict != "passes":
                    print(output[-4000:])

    with tempfile.TemporaryDirectory() as keep, concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        try:
            for done in [pool.submit(check_all, group, keep) for group in groups.values()]:
                done.result()
        except KeyboardInterrupt:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for child in list(children):
                os.killpg(child, signal.SIGKILL)
            raise
    passed = verdicts.count("passes")
    print(f"{passed} of {len(wanted)} pass")
    sys.exit(passed != len(wanted))


if __name__ == "__main__":
    main()
