#!/usr/bin/env python3
"""gc-info, gc-monitor and gc-inventory as public scripts call them; show() and compare() for notebooks.

    gc_tools.py TILESCOPE_CLI FOLDER [unittest options]
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(HERE, "..", "..", "..", "app", "python")
sys.path.insert(0, PYTHON)
sys.dont_write_bytecode = True

CLI, FOLDER = sys.argv.pop(1), sys.argv.pop(1)
os.environ["TILESCOPE_CLI"] = CLI

import pva  # noqa: E402
import reports_for_pva  # noqa: E402
import tilescope  # noqa: E402


def tool(line, machine="gc200", status=0):
    environment = dict(os.environ, PATH=os.path.join(PYTHON, "tools") + os.pathsep + os.environ["PATH"], TILESCOPE_MACHINE=machine)
    ran = subprocess.run(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    if ran.returncode != status:
        raise AssertionError("%s ended with %d: %s" % (line, ran.returncode, ran.stderr.decode()))
    return (ran.stderr if status else ran.stdout).decode()


class Tools(unittest.TestCase):
    def test_counts_as_scripts_take_them(self):
        self.assertEqual(tool("gc-info --ipu-count"), "16\n")
        self.assertEqual(tool("gc-inventory | grep 'id:' | wc -l").strip(), "16")
        self.assertEqual(4 * len(json.loads(tool("gc-monitor -j"))["cards"]), 16)
        self.assertEqual(json.loads(tool("gc-inventory -j"))["devices"][0]["remote buffers"], "1")
        self.assertEqual([device["id"] for device in json.loads(tool("gc-inventory -j"))["devices"]], [str(i) for i in range(16)])

    def test_list_has_single_devices_and_groups(self):
        listed = tool("gc-info -l")
        self.assertEqual(listed, tool("gc-info -a"))
        single = r"^-\+- Id: \[\d+\], target: \[Fabric\], IPU-M host: \[\S+\], IPU#: \[\d\]$"
        self.assertEqual(len(re.findall(single, listed, re.M)), 16)
        self.assertEqual(re.findall(r"^-\+- Id: \[(\d+)\], target: \[Multi IPU\]$", listed, re.M), [str(i) for i in range(16, 31)])

    def test_device(self):
        text = tool("gc-info -d 0 -i")
        self.assertIn("  ipu architecture: ipu2\n", text)
        self.assertIn("  clock: 1330MHz\n", text)
        self.assertIn("  total board power: N/A\n", text)
        self.assertIn("  num ipus: 4\n", tool("gc-info --device-id 24 --device-info"))
        self.assertIn("ipu21", tool("gc-info --ipu-arch", machine="bow-2000"))
        self.assertIn("target: [PCIe]", tool("gc-info -l", machine="c2"))

    def test_monitor(self):
        self.assertIn("No attached processes in partition", tool("gc-monitor --no-card-info"))
        self.assertNotIn("Serial", tool("gc-monitor --no-card-info"))
        self.assertEqual(tool("gc-monitor").count("M2000"), 16)
        rows = list(csv.DictReader(io.StringIO(tool("gc-monitor --csv"))))
        self.assertEqual([row["ID"] for row in rows], [str(i) for i in range(16)])

    def test_errors(self):
        self.assertIn("unknown machine abacus", tool("gc-info -l", machine="abacus", status=1))
        self.assertIn("device 99 does not exist", tool("gc-info -d 99 -i", status=1))
        os.environ["TILESCOPE_CLI"] = "/absent"
        try:
            self.assertIn("does not start", tool("gc-monitor", status=1))
        finally:
            os.environ["TILESCOPE_CLI"] = CLI


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(FOLDER, exist_ok=True)
        cls.paths = []
        for batch in ("8", "16"):
            path = os.path.join(FOLDER, "batch%s.tsr" % batch)
            reports_for_pva.command(CLI, "run", "mnist-train", "--no-numbers", "--set", "batch=" + batch, "-o", path)
            cls.paths.append(path)

    def test_show(self):
        page = tilescope.show(pva.openReport(self.paths[0]))
        self.assertTrue(page.text.lstrip().lower().startswith("<!doctype html"))
        shown = page._repr_html_()
        self.assertTrue(shown.startswith("<iframe sandbox"))
        self.assertNotIn("<script", shown)  # all of the page is in the attribute of the frame
        path = os.path.join(FOLDER, "page.html")
        page.save(path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), page.text)

    def test_compare(self):
        found = tilescope.compare(*self.paths)
        said = json.loads(reports_for_pva.command(CLI, "compare", *self.paths, "--json"))
        self.assertEqual((found.verdict, found.findings), (said["verdict"], said["findings"]))
        self.assertGreater(len(found), 3)
        self.assertEqual(found._repr_html_().count("<tr>"), 1 + len(found))
        self.assertEqual(len(tilescope.compare(self.paths[0], self.paths[0])), 0)

    def test_errors(self):
        with self.assertRaisesRegex(tilescope.ProgramError, "absent.tsr"):
            tilescope.show(os.path.join(FOLDER, "absent.tsr"))


if __name__ == "__main__":
    unittest.main()
