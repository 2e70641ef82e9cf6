"""Reports of Tilescope in a notebook.

    import tilescope

    tilescope.show("report.tsr")            # the report as a page, in the notebook
    tilescope.compare("old.tsr", "new.tsr")  # what differs, as a table

Both take a path or a report that pva.openReport() opened. They need the program tilescope-cli.
"""

import html
import json
import os

from . import _program
from ._program import ProgramError  # noqa: F401


def _path_of(report):
    file = getattr(report, "_file", None)
    return os.fspath(file.path if file is not None else report)


class Page:
    """A report as one HTML page. A notebook shows it in a frame; save(path) writes the file."""

    def __init__(self, text, height):
        self.text, self.height = text, height

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self):
        # The page has scripts of its own: they stay in the frame.
        return '<iframe sandbox="allow-scripts" srcdoc="%s" style="width: 100%%; height: %dpx; border: 0"></iframe>' % (
            html.escape(self.text, quote=True), self.height)

    def __repr__(self):
        return "Page(%d characters)" % len(self.text)


def show(report, height=700):
    """The report as a page; in a notebook it appears as the result of a cell."""
    return Page(_program.output("export", _path_of(report), "--format", "html"), int(height))


class Comparison:
    """The differences of two reports: `verdict` is a sentence, `findings` are dictionaries, largest effect first."""

    def __init__(self, facts):
        self.facts = facts

    @property
    def verdict(self):
        return self.facts.get("verdict", "")

    @property
    def findings(self):
        return self.facts.get("findings", [])

    def __iter__(self):
        return iter(self.findings)

    def __len__(self):
        return len(self.findings)

    @staticmethod
    def _cells(finding):
        relative = finding.get("relative")
        numbers = ["{:,}".format(finding[key]) if isinstance(finding.get(key), (int, float)) else "" for key in
                   ("base", "other", "difference")]
        return [str(finding.get("cause", "")), str(finding.get("key", ""))] + numbers + [
            "" if relative is None else "%+.1f %%" % (100 * relative), str(finding.get("unit", ""))]

    _names = ("cause", "key", "base", "other", "difference", "relative", "unit")

    def _repr_html_(self):
        def row(cells, kind):
            return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (kind, html.escape(cell), kind) for cell in cells)

        return "<p>%s</p><table>%s%s</table>" % (html.escape(self.verdict), row(self._names, "th"), "".join(
            row(self._cells(finding), "td") for finding in self.findings))

    def __repr__(self):
        return "\n".join([self.verdict] + ["  " + finding.get("text", "") for finding in self.findings])


def compare(base, other):
    """The differences of two reports, and their causes."""
    return Comparison(json.loads(_program.output("compare", _path_of(base), _path_of(other), "--json")))
