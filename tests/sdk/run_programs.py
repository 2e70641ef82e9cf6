#!/usr/bin/env python3
"""Builds and runs programs that others wrote for Poplar with Tilescope's SDK, and prints one line for each.

usage: run_programs.py SDK FOLDER MANIFEST [NAME...]

SDK is the installed tree (build/sdk), FOLDER holds fetched programs. Nothing is written to FOLDER: each program is copied to a
temporary folder first; programs with the same folder, where, env and build lines are built once. MANIFEST is a JSON list of objects:
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
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time


def environment(sdk):
    words = {"CPATH": "include", "LIBRARY_PATH": "lib", "LD_LIBRARY_PATH": "lib", "PATH": "bin", "CMAKE_PREFIX_PATH": ""}
    env = dict(os.environ, POPLAR_SDK_ENABLED=str(sdk))
    for name, below in words.items():
        env[name] = str(sdk / below) + (os.pathsep + env[name] if env.get(name) else "")
    return env


def shell(line, where, env, seconds):
    try:
        done = subprocess.run(["bash", "-c", line], cwd=where, env=env, timeout=seconds, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        out = late.stdout or b""
        return -1, (out.decode(errors="replace") if isinstance(out, bytes) else out) + f"\nnot done after {seconds} s"


def reason(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if re.search(r"error|terminate|what\(\)|undefined reference", line, re.I):
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


def check(program, folder, env, keep, builds):
    if not (folder / program["folder"]).is_dir():
        return "missing", f"no folder {program['folder']}", ""
    env = dict(env, **program.get("env", {}))
    key = json.dumps([program.get(part) for part in ("folder", "where", "env", "build")])
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
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sdk, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    programs = json.loads(pathlib.Path(sys.argv[3]).read_text())
    names = sys.argv[4:]
    env = environment(sdk)
    passed = 0
    wanted = [p for p in programs if not names or p["name"] in names]
    builds = {}
    with tempfile.TemporaryDirectory() as keep:
        for program in wanted:
            start = time.monotonic()
            verdict, why, output = check(program, folder, env, keep, builds)
            passed += verdict == "passes"
            print(f"{program['name']:24} {verdict:14} {time.monotonic() - start:6.1f} s  {why}", flush=True)
            if names and verdict != "passes":
                print(output[-4000:])
    print(f"{passed} of {len(wanted)} pass")
    sys.exit(passed != len(wanted))


if __name__ == "__main__":
    main()
