"""The worked examples of the help are what the program prints today.

    help_examples.py TILESCOPE_CLI HELP_FOLDER

Each row of FIGURES runs a command of a page and compares the figures that the page prints beside it, with the digits that it prints. The
blocks of compare.md are the beginning of the output of `compare`, word for word. The table of accuracy.md is that of `validate-model`; its rows
of whole models, which take minutes to run, are those of model-fidelity.md and of the list of cases. An error shows what the page should say;
TILESCOPE_UPDATE_HELP=1 writes it there."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap

PROGRAM, HELP = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
BERT = "bert --set preset=large --set sequence=384 --precision fp16 --no-numbers"
FITS = "--recompute standard --offload optimiser --shard-state --half-sums --available-memory"
FOUR = f"{BERT} --machine bow-pod16 --pipeline 4 --replicas 4"
C600 = "resnet50 --machine c600 --set norm=folded --partials half --io-tiles 64 --batches-per-step 128 --no-numbers"
BASE = ("bert --machine c600 --set preset=base --set training=0 --set sequence=384 --set masked=1 --set gelu=tanh --available-memory 0.4 "
        "--partials half --set batch=36 --no-numbers --precision")

LLM = "llm --precision fp16 --set hidden=4096 --set heads=32 --set prompt=1984 --no-numbers"

# page, command, the text around the figures, the figures: mib, kib (fullest tile), ms (of the run), per_second (samples), token (cycles of a
# step that makes a token)
FIGURES = [
    ("training.md", FOUR, r"needs ([\d.]+) MiB on the fullest tile", ["mib"]),
    ("training.md", f"{FOUR} {FITS} 0.2", r"takes (\d+) KiB and (\d+) ms per step instead", ["kib", "ms"]),
    ("training.md", FOUR, r"ms per step instead of (\d+) ms", ["ms"]),
    ("training.md", f"{FOUR} {FITS} 0.1", r"With `--available-memory 0.1` it takes (\d+) KiB and (\d+) ms", ["kib", "ms"]),
    ("training.md", f"{FOUR} {FITS} 0.2 --set batch=2", r"A micro-batch of two sequences fits as well \((\d+) KiB\)", ["kib"]),
    ("training.md", f"{BERT} --machine bow-pod16 --pipeline 16 --recompute pipeline --half-sums", r"\((\d+) KiB, (\d+) ms, but one replica\)",
     ["kib", "ms"]),
    ("training.md", f"{BERT} --machine bow-pod64 --pipeline 16 --replicas 4 --recompute pipeline --shard-state",
     r"the state on the chip \((\d+) KiB, (\d+) ms\)", ["kib", "ms"]),
    ("training.md", f"{BERT} --machine bow-pod64 --pipeline 4 --replicas 16 {FITS} 0.1", r"`--available-memory 0.1` \((\d+) KiB, (\d+) ms\)",
     ["kib", "ms"]),
    ("onnx-models.md", f"{BASE} fp16", r"([\d,]+) rows per second in fp16", ["per_second"]),
    ("onnx-models.md", f"{BASE} fp8", r"rows per second in fp16, ([\d,]+) in fp8", ["per_second"]),
] + [
    ("onnx-models.md", f"{C600} --set batch={batch} --precision {precision}", rf"\| {batch} \|{before} ([\d,]+) \|", ["per_second"])
    for batch in (1, 4, 8, 16, 32, 64) for precision, before in (("fp16", ""), ("fp8", r" [\d,]+ \|"))
] + [
    ("samples.md", f"{LLM} {where}{attention}", rf"\| {row} \|{before} ([\d,]+) \|", ["token"])
    for row, where in (("in the tiles' memory, one layer", "--set layers=1"), (r"over four IPUs,[^|]*", "--machine m2000 --ipus 4 --set layers=4"),
                       (r"in streaming memory, one layer[^|]*", "--set layers=1 --set cache=streaming"))
    for attention, before in (("", ""), (" --set attention=sparq", r" [\d,]+ \|"))
]

# The runs that the blocks of compare.md compare, in the order of the page.
COMPARED = [
    ("matvec --set split=7", "matvec --set split=1"),
    ("mnist-train --precision fp32", "mnist-train --precision fp16"),
    ("mnist-train --set batch=16", "mnist-train --set batch=64"),
    ("bert --set preset=base --set training=1 --machine bow-pod16 --pipeline 16 --precision fp16",
     "bert --set preset=base --set training=1 --machine bow-pod16 --pipeline 16 --precision fp16 --recompute pipeline"),
    ("resnet50 --precision fp16 --set norm=batch", "resnet50 --precision fp16 --set norm=folded"),
]

# The rows of accuracy.md that sum up cases of `validate-model`, by workload.
ACCURACY = {
    "product on the matrix unit of one tile": ["tile-matmul"],
    "dense product on the whole chip": ["matmul"],
    "sparse product": ["sparse-matmul"],
    "matrix times vector": ["matvec"],
    "stencil, heat equation, 1 to 16 IPUs": ["heat"],
    "image blur, 1 to 16 IPUs": ["gaussian-blur"],
    "halo exchange": ["halo-exchange"],
    "triad, memory bandwidth": ["triad"],
    "element-wise operations": ["elementwise", "scaled-add"],
    "bytes of the ten memory categories of one program": ["mnist-train"],
}


class Reports:
    """Runs each command once."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    def of(self, command):
        if command not in self.made:
            report = str(pathlib.Path(self.folder) / f"{len(self.made)}.tsr")
            words = command.split() + ([] if "--no-numbers" in command else ["--no-numbers"])
            ended = subprocess.run([PROGRAM, "run", *words, "-o", report], capture_output=True, text=True)
            assert ended.returncode in (0, 1), f"run {command}: {ended.stderr}"  # 1: it does not fit
            self.made[command] = report
        return self.made[command]

    def figures(self, command):
        summary = json.loads(subprocess.check_output([PROGRAM, "summary", self.of(command), "--json"]))
        tile, seconds = summary["memory"]["max_tile_bytes"], summary["seconds"]
        samples = float(summary["metadata"].get("samples", 0))
        program = summary["metadata"].get("token_program")
        token = next((run["total_cycles"] for run in summary["runs"] if program and run["name"].startswith(f"{program} #")), 0)
        return {"mib": tile / 2**20, "kib": tile / 2**10, "ms": seconds * 1e3, "per_second": samples / seconds, "token": token}


class Page:
    """A page and its wanted text."""

    def __init__(self, name):
        self.file = HELP / name
        self.text = self.file.read_text()
        self.wrong = []

    def expect(self, begin, end, said, printed, of):
        """The text from begin to end says `said` of `of`, the program `printed`."""
        if said.split() == printed.split():
            return
        self.wrong.append(f"{self.file.name}: {of} is\n{printed}\n  the page says\n{said}")
        self.text = self.text[:begin] + printed + self.text[end:]

    def finish(self):
        if self.wrong and os.environ.get("TILESCOPE_UPDATE_HELP"):
            self.file.write_text(self.text)
            print("\n".join(self.wrong))
            return []
        return self.wrong


def check_figures(reports):
    pages = {name: Page(name) for name, *_ in FIGURES}
    for name, command, pattern, names in FIGURES:
        page, figures = pages[name], reports.figures(command)
        for group, figure in reversed(list(enumerate(names, 1))):
            found = re.search(pattern.replace(" ", r"\s+"), page.text)
            assert found, f"{name} no longer says {pattern}"
            said = found.group(group)
            page.expect(*found.span(group), said, f"{figures[figure]:,.{len(said.partition('.')[2])}f}", f"{figure} of `run {command}`")
    # the third column of the table of batches is the second by the first
    table = pages["onnx-models.md"]
    for row in re.finditer(r"^\| \d+ \| ([\d,]+) \| ([\d,]+) \| (1\.\d\d) \|", table.text, re.MULTILINE):
        half, eighth = (float(row.group(i).replace(",", "")) for i in (1, 2))
        table.expect(*row.span(3), row.group(3), f"{eighth / half:.2f}", f"fp8 / fp16 of {row.group()}")
    # the last column of the table of SparQ is dense attention by SparQ
    table = pages["samples.md"]
    for row in re.finditer(r"^\| [^|]+ \| ([\d,]+) \| ([\d,]+) \| (\d\.\d\d) \|$", table.text, re.MULTILINE):
        dense, sparse = (float(row.group(i).replace(",", "")) for i in (1, 2))
        table.expect(*row.span(3), row.group(3), f"{dense / sparse:.2f}", f"dense by SparQ of {row.group()}")
    return [line for page in pages.values() for line in page.finish()]


def check_losses():
    """The example of training in fp8: what is random in its last digits is only bounded."""
    page = (HELP / "training.md").read_text()
    said = re.search(r"the loss falls from ([\d.]+) to less than ([\d.]+) in (\d+) updates, in fp8 and in fp16", " ".join(page.split()))
    command = re.search(r"^ +tilescope-cli (run mlp .*--precision fp8 --unit-scaling .*)$", page, re.MULTILINE).group(1)
    assert said and f"--iterations {said.group(3)}" in command, "training.md has another example in fp8"
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for precision in ("fp8", "fp16"):
            words = command.replace("fp8", precision).split() + ["-o", f"{folder}/{precision}.tsr"]
            printed = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout
            first, last = map(float, re.search(r"loss: ([\d.]+) at first, ([\d.e-]+) after", printed).groups())
            if f"{first:.1f}" != said.group(1) or last >= float(said.group(2)):
                wrong.append(f"training.md: in {precision} the loss falls from {first} to {last}")
    return wrong


def beginning(printed, workload, causes):
    """The verdict and that many causes of the output of `compare`, as a block of the page."""
    lines = printed.splitlines()
    verdict = next(i for i, line in enumerate(lines) if line.startswith(workload + ","))
    last = max([i for i, line in enumerate(lines) if re.match(rf"  [1-{causes}]\. ", line)], default=verdict) if causes else verdict
    wrapped = [textwrap.wrap(line, 120, subsequent_indent=" " * (5 if line.startswith("  ") else 0)) for line in lines[verdict:last + 1]]
    return "".join(f"    {line}\n" for lines in wrapped for line in lines)


def check_comparisons(reports):
    page = Page("compare.md")
    examples = page.text.index("## Examples")
    blocks = list(re.finditer(r"(?:^    .*\n)+", page.text[examples:], re.MULTILINE))
    assert len(blocks) == len(COMPARED), f"compare.md has {len(blocks)} examples, the test {len(COMPARED)}"
    for block, (base, other) in reversed(list(zip(blocks, COMPARED))):
        printed = subprocess.run([PROGRAM, "compare", reports.of(base), reports.of(other), "--top", "2"], capture_output=True, text=True).stdout
        causes = len(re.findall(r"^ {6}\d\. ", block.group(), re.MULTILINE))
        page.expect(examples + block.start(), examples + block.end(), block.group(), beginning(printed, other.split()[0], causes), f"`{other}`")
    return page.finish()


def error_text(error):
    return f"{error:.1f} %" if error < 9.95 else f"{error:.0f} %"


def check_accuracy():
    page = Page("accuracy.md")
    cases = json.loads(subprocess.run([PROGRAM, "validate-model", "--json"], capture_output=True, text=True, check=True).stdout)["cases"]
    for title, workloads in ACCURACY.items():
        row = re.search(rf"^\| {re.escape(title)} \| (\d+) \| ([\d.]+ %) \| ([\d.]+ %) \|$", page.text, re.MULTILINE)
        assert row, f"accuracy.md has no row {title}"
        of = [case for case in cases if case["workload"] in workloads]
        judged = [case for case in of if case["verdict"] in ("pass", "fail")] or of
        errors = [abs(case["error"]) * 100 for case in judged]
        figures = [str(len(errors)), error_text(statistics.median(errors)), error_text(max(errors))]
        for group, figure in reversed(list(enumerate(figures, 1))):
            page.expect(*row.span(group), row.group(group), figure, f"{title}, column {group + 1}")
    errors = [abs(case["error"]) * 100 for case in cases if case["verdict"] in ("pass", "fail")]
    within = sum(case["verdict"] == "pass" for case in cases)
    said = re.search(r"against (\d+) published figures of single\s+programs the median error is ([\d.]+ %), with (\d+) within", page.text)
    for group, figure in ((3, str(within)), (2, error_text(statistics.median(errors))), (1, str(len(errors)))):
        page.expect(*said.span(group), said.group(group), figure, f"sentence, figure {group}")
    return page.finish()


def check_models():
    """The rows of whole models: accuracy.md sums up model-fidelity.md, which has a figure for each case of models.json."""
    page, tables = Page("accuracy.md"), (HELP / "model-fidelity.md").read_text()
    cases = json.loads((HELP / "../../validation/models.json").read_text())["cases"]
    runs, fitting = sum("value" in case for case in cases), sum(case.get("fits", False) for case in cases)
    rows = re.findall(r"^\| W\d+[^|]*\|.*\| ([\d.; ]+) \|$", tables, re.MULTILINE)
    errors = [abs(float(ratio) - 1) * 100 for row in rows for ratio in row.split(";")]
    within = sum(error < 15.5 for error in errors)
    said = re.search(r"median error of throughput is ([\d.]+) %, and (\d+) of (\d+) runs are within 15 %.*\sAll (\d+) configurations", tables,
                     re.DOTALL)
    median, wrong = float(said.group(1)), []
    if len(errors) != runs or (int(said.group(2)), int(said.group(3)), int(said.group(4))) != (within, runs, fitting):
        wrong = [f"model-fidelity.md: {within} of {len(errors)} runs are within 15 % by its tables; the list has {runs} runs, {fitting} that fit"]
    if abs(statistics.median(errors) - median) > 0.6:  # ratios are printed with two digits
        wrong.append(f"model-fidelity.md: the median error of its tables is {statistics.median(errors):.0f} %, not {median} %")
    for pattern, figures in [
            (r"Against (\d+) published runs of whole models the median error of throughput is ([\d.]+ %), and (\d+) are within 15 %",
             [str(runs), f"{said.group(1)} %", str(within)]),
            (r"All (\d+) published model configurations", [str(fitting)]),
            (r"\| throughput of whole models [^|]*\| (\d+) \| ([\d.]+ %) \| ([\d.]+ %) \|", [str(runs), f"{said.group(1)} %", error_text(max(errors))]),
            (r"do they fit\? \| (\d+) \| all fit", [str(fitting)]),
            (r"The (\d+) configurations take up to", [str(fitting)])]:
        found = re.search(pattern, page.text)
        assert found, f"accuracy.md no longer says {pattern}"
        for group, figure in reversed(list(enumerate(figures, 1))):
            page.expect(*found.span(group), found.group(group), figure, f"{found.group()}, figure {group}")
    return wrong + page.finish()


def main():
    with tempfile.TemporaryDirectory() as folder:
        reports = Reports(folder)
        wrong = check_figures(reports) + check_losses() + check_comparisons(reports) + check_accuracy() + check_models()
        print(f"{len(reports.made)} runs")
    assert not wrong, "\n" + "\n".join(wrong)


main()
