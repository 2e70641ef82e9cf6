"""Five small reports of different kinds, and the command line's figures of them."""
import json
import os
import subprocess

KINDS = {
    "mnist-train": ["--iterations", "3"],
    "bert-pipeline": [],  # four IPUs, functions that several layers share
    "overlapped-io": ["--set", "variant=tuned"],  # tiles for transfers
    "matmul": ["--machine", "gc2", "--set", "m=8192", "--set", "k=4096", "--set", "n=4096"],  # does not fit; folded loops
    "hello-tiles": ["--engine-option", "profiler.programs.filter=.*"],  # timed Blocks
}


def command(cli, *arguments):
    ran = subprocess.run([cli, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ran.returncode == 2:
        raise RuntimeError("%s: %s" % (" ".join(arguments), ran.stderr.decode(errors="replace")))
    return ran.stdout


def make(cli, folder):
    """Paths by kind."""
    os.makedirs(folder, exist_ok=True)
    paths = {}
    for kind, options in KINDS.items():
        paths[kind] = os.path.join(folder, kind, "profile.pop")
        os.makedirs(os.path.dirname(paths[kind]), exist_ok=True)
        command(cli, "run", kind, "--no-numbers", *options, "-o", paths[kind])
    return paths


def summary(cli, path):
    return json.loads(command(cli, "summary", "--json", path))


def query(cli, path, sql):
    rows = json.loads(command(cli, "query", "--json", "--limit", "10000000", path, sql))
    return [tuple(row.values()) for row in rows]
