"""What lintian says of the packages' texts, without building them.

    package_texts.py SOURCE_FOLDER

The lines of a description are shorter than 80 characters and none begins with a dot, which would be a command; each program that is
installed has a manual page; the library says what depends on it."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
text = (SOURCE / "resources/packaging/packaging.cmake").read_text()

descriptions = re.findall(r'^set\(CPACK_COMPONENT_(\w+)_DESCRIPTION "([^"]*)"\)', text, re.MULTILINE)
assert len(descriptions) == 6, [name for name, _ in descriptions]
for name, description in descriptions:
    for line in description.split("\n"):
        assert len(line) < 80 and not line.startswith("."), f"{name}: {line}"

pages = {page.stem for page in (SOURCE / "resources/man").glob("*.1")} | {"tilescope-cli"}  # which prints its own
programs = {name for line in re.findall(r"install\(TARGETS ([\w -]+) RUNTIME", text) for name in line.split()}
tools = re.search(r"foreach\(tool ([\w -]+)\)", text).group(1).split()
assert {"tilescope", "tilescope-cli", "tilescope-popc"} <= programs and len(tools) == 3, (programs, tools)
missing = (programs | {f"tilescope-{tool}" for tool in tools}) - pages
assert not missing, f"without a manual page: {missing}"

assert "CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA" in text and "activate-noawait ldconfig" in text
# A type of file is known to the desktop, its program and the Open dialog alike.
mime = (SOURCE / "resources/desktop/org.tilescope.Tilescope.mime.xml").read_text()
opened = re.search(r"^MimeType=(.*)$", (SOURCE / "resources/desktop/org.tilescope.Tilescope.desktop").read_text(), re.MULTILINE)
types = set(re.findall(r'mime-type type="([^"]+)"', mime))
unopened = types - set(opened.group(1).split(";"))
assert len(types) > 10 and not unopened, f"types that the .desktop file lacks: {unopened}"
dialog = (SOURCE / "ui/window/report_chooser.cpp").read_text()
shown = {pattern for names in re.findall(r"\(([^()\n]*(?:\"\s+\"[^()\n]*)*)\);;", dialog) for pattern in re.sub(r'"\s+"', "", names).split()}
hidden = {glob for glob in re.findall(r'glob pattern="([^"]+)"', mime) if not any(glob.endswith(p.lstrip("*")) for p in shown)}
assert len(shown) > 10 and not hidden, f"names that the Open dialog hides: {hidden}, it shows {shown}"

print(f"{len(descriptions)} descriptions, {len(pages)} pages")
