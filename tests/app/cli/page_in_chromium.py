#!/usr/bin/env python3
"""Opens a page from `tilescope-cli export --format html` in headless Chromium, uses it like a reader, and checks the results.

    page_in_chromium.py TILESCOPE_CLI FOLDER

Exit code 77, with a line that says why: Chromium is not installed, or it cannot run here.
"""
import json
import os
import re
import shutil
import subprocess
import sys

SKIPPED, LONGEST = 77, 120
# Runs before the page's own script: records the text drawn in plots, which is not in the text of the page.
BEFORE = """
<script>
const written = [];
for (const name of ['fillText', 'strokeText']) {
  const own = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function(text, ...place) { written.push(String(text)); return own.call(this, text, ...place); };
}
var beyond = 0; // marks to the right of their picture
const ownRect = CanvasRenderingContext2D.prototype.fillRect;
CanvasRenderingContext2D.prototype.fillRect = function(x, ...more) { beyond += x > this.canvas.clientWidth; return ownRect.call(this, x, ...more); };
</script>
"""
# Runs in the page after its own script: sorts, filters, hides, zooms, and counts the marks in plots.
ACTS = """
<script>
const found = { ready: document.body.dataset.ready === '1', errors: [] };
try {
  found.sections = [...document.querySelectorAll('section')].map(s => s.id);
  found.links = [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1));
  const colours = canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), seen = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size;
  };
  found.pictures = [...document.querySelectorAll('canvas')].map(c => [c.closest('section').id, c.getAttribute('aria-label'), colours(c)]);
  const table = document.querySelector('#table-variables'), place = table.closest('section');
  const column = n => [...table.querySelectorAll('tbody tr')].map(tr => Number(tr.children[n].title));
  const falls = v => v.every((x, i) => i === 0 || x <= v[i - 1]), rises = v => v.every((x, i) => i === 0 || x >= v[i - 1]);
  found.sortedAtFirst = falls(column(1));
  table.querySelectorAll('th')[1].click();
  found.sortedByClick = rises(column(1));
  const before = table.querySelectorAll('tbody tr').length;
  const filter = [...place.querySelectorAll('input')].find(i => i.getAttribute('aria-label').includes('Variables'));
  filter.value = 'constants worklists', filter.dispatchEvent(new Event('input'));
  found.filtered = [before, table.querySelectorAll('tbody tr').length, table.querySelector('tbody tr').textContent];
  const tree = document.querySelector('#table-program-tree'), second = () => tree.querySelectorAll('tbody tr')[1].textContent;
  const fold = () => [...tree.querySelectorAll('button.fold')].find(b => !b.disabled).click();
  found.opened = [second()]; // the row below the first step
  fold(), found.opened.push(second());
  fold(), found.opened.push(second());
  const curve = place.querySelector('canvas'), shot = () => curve.toDataURL(), whole = shot();
  place.querySelector('.legend button').click();
  found.hides = shot() !== whole;
  place.querySelector('.legend button').click();
  found.shows = shot() === whole;
  curve.dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
  found.zooms = shot() !== whole;
  curve.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
  found.fits = shot() === whole;
  const box = curve.getBoundingClientRect();
  curve.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + box.width / 2, clientY: box.top + 100, bubbles: true }));
  found.card = document.getElementById('tip').textContent;
  const steps = document.querySelector('#trace canvas'), lanes = steps.getBoundingClientRect();
  steps.dispatchEvent(new MouseEvent('mousemove', { clientX: lanes.left + lanes.width / 2, clientY: lanes.top + 30, bubbles: true }));
  found.step = document.getElementById('tip').textContent;
  found.wide = document.documentElement.scrollWidth <= innerWidth;
  const bad = /NaN|undefined|Infinity|\\[object/;
  found.bad = [...new Set(written.filter(text => bad.test(text)))];
  for (const part of document.body.querySelectorAll('*:not(script)'))
    for (const node of part.childNodes) if (node.nodeType === 3 && bad.test(node.data)) found.bad.push(node.data.slice(0, 200));
  for (const part of document.body.querySelectorAll('[title], [aria-label]'))
    for (const name of ['title', 'aria-label']) if (bad.test(part.getAttribute(name) || '')) found.bad.push(part.getAttribute(name));
} catch (error) { found.errors.push(String(error) + ' ' + error.stack); }
const said = document.createElement('pre');
said.id = 'found', said.textContent = JSON.stringify(found);
document.body.append(said);
</script>
"""


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LONGEST, **more)


def dom(browser, folder, page, *flags, size="1280,800"):
    try:
        ran = run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=" + size, "--virtual-time-budget=10000",
                   "--user-data-dir=" + os.path.join(folder, "profile"), *flags, "--dump-dom", "file://" + os.path.abspath(page)])
    except subprocess.TimeoutExpired:
        skip("Chromium did not end within %d s" % LONGEST)
    text = ran.stdout.decode(errors="replace")
    if "<html" not in text:
        skip("Chromium cannot run here: " + ran.stderr.decode(errors="replace")[-300:])
    return text


def check(isTrue, what, found):
    if not isTrue:
        print("FAIL: %s\n%s" % (what, json.dumps(found, indent=1)[:6000]))
        sys.exit(1)


# A phone: the page is in a frame 390 pixels wide, because windows have a minimum width.
def fits_a_phone(browser, folder, name, page):
    narrow = os.path.join(folder, name + "-narrow.html")
    with open(narrow, "w", encoding="utf-8") as file:
        file.write("""<!doctype html><iframe id="page" src="%s" style="width: 390px; height: 800px; border: 0"></iframe><script>
page.onload = () => { const root = page.contentDocument.documentElement, said = document.createElement('pre');
  const out = [...root.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 391 && !e.closest('.scroll, .lanes, .w, #tip'));
  said.id = 'found', said.textContent = JSON.stringify([root.scrollWidth, page.contentWindow.beyond, out.slice(0, 5).map(e => e.outerHTML.slice(0, 120))]);
  document.body.append(said); };
</script>""" % os.path.basename(page))
    said = re.search(r'<pre id="found">(.*?)</pre>', dom(browser, folder, narrow, "--allow-file-access-from-files"), re.DOTALL)
    check(said, "the frame says how wide the page is", name)
    width, beyond = json.loads(said.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))[:2]
    check(width <= 390 and beyond == 0, "nothing is wider than 390 pixels, no mark is outside of its picture", said.group(1))


# The text of the page of a run, and the page's file with BEFORE in it.
def page_of(folder, cli, name, arguments):
    report, page = os.path.join(folder, name + ".tsr"), os.path.join(folder, name + ".html")
    for command in ([cli, "run", *arguments, "-o", report], [cli, "export", report, "--format", "html", "-o", page]):
        ran = run(command)
        check(ran.returncode == 0, " ".join(command), ran.stderr.decode(errors="replace"))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    watched = os.path.join(folder, name + "-watched.html")
    with open(watched, "w", encoding="utf-8") as file:
        file.write(text.replace("<head>", "<head>" + BEFORE, 1))
    return text, watched


def look(browser, folder, cli, name, arguments, sections):
    text, watched = page_of(folder, cli, name, arguments)
    acted = os.path.join(folder, name + "-acted.html")
    with open(acted, "w", encoding="utf-8") as file:
        file.write(text.replace("<head>", "<head>" + BEFORE, 1).replace("</body>", ACTS + "</body>"))
    fits_a_phone(browser, folder, name, watched)
    pictures = {}
    for dark in (False, True):
        flags = ["--blink-settings=preferredColorScheme=%d" % (0 if dark else 1)]
        said = re.search(r'<pre id="found">(.*?)</pre>', dom(browser, folder, acted, *flags), re.DOTALL)
        check(said, "the page's script ran to its end", name)
        found = json.loads(said.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        check(not found["errors"], "no errors", found)
        check(not found["bad"], "no NaN or undefined in words, tooltips and pictures", found["bad"])
        for what in ("ready", "sortedAtFirst", "sortedByClick", "hides", "shows", "zooms", "fits", "wide"):
            check(found[what] is True, what, found)
        check(found["sections"] == sections and found["links"] == sections, "sections are " + " ".join(sections), found)
        for section, title, colours in found["pictures"]:
            check(colours >= 3, "the picture %s of %s shows something" % (title, section), found) # two areas and a grid
        check(found["filtered"][0] > found["filtered"][1] >= 1 and "worklists" in found["filtered"][2], "the filter", found)
        check(found["opened"][0] == found["opened"][2] != found["opened"][1], "a step of the program folds and opens", found)
        check("together" in found["card"] and found["card"].startswith("Tile "), "the card of a tile", found)
        check("cycles" in found["step"], "the card of a step", found)
        pictures[dark] = found["pictures"]
    check(len(pictures[False]) == len(pictures[True]), "as many pictures in the dark", pictures)
    print("%s: %d KiB, %d pictures" % (name, len(text) // 1024, len(pictures[False])))


def main():
    cli, folder = sys.argv[1:3]
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not browser:
        skip("chromium is not installed")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    before = ["summary", "insights", "memory", "liveness", "program", "operations", "trace"]
    look(browser, folder, cli, "mnist", ["mnist-train", "--no-numbers", "--engine-option", "profiler.programs.filter=.*"],
         before + ["blocks", "host", "run"])
    look(browser, folder, cli, "pipeline", ["bert-pipeline", "--no-numbers"], before + ["pipeline", "host", "run"])
    many = page_of(folder, cli, "pod", ["triad", "--machine", "bow-pod64", "--ipus", "64", "--no-numbers"])[1]
    fits_a_phone(browser, folder, "pod", many)


if __name__ == "__main__":
    main()
