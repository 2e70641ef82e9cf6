// Lanes of slices over time: a row for every depth of a track. One zoom for all of them.
class Lanes extends Zoomable {
  constructor(canvas, part, print) {
    super(canvas, part.range[0], part.range[1]);
    this.part = part, this.print = print, this.left = 132;
    this.rows = [];
    for (const track of part.tracks) track.lanes.forEach((lane, depth) => {
      const n = lane.length / 5, starts = new Float64Array(n), ends = new Float64Array(n);
      for (let i = 0, at = part.range[0]; i < n; ++i) at += lane[i * 5], starts[i] = at, ends[i] = at + lane[i * 5 + 1];
      this.rows.push({ track, depth, lane, starts, ends });
    });
    this.high = 24 + this.rows.length * 19 + 8;
    this.draw();
  }
  // Of the first slice that ends behind the place.
  static firstAt(row, place) {
    let low = 0, high = row.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.ends[middle] > place) high = middle; else low = middle + 1;
    }
    return low;
  }
  hover(event) {
    const row = this.rows[Math.floor((event.offsetY - 24) / 19)];
    if (!row || event.offsetX < this.left) return showTip(event, '');
    const place = this.placeAt(event), slack = (this.to - this.from) / this.canvas.clientWidth;
    const i = Lanes.firstAt(row, place - slack);
    if (i >= row.starts.length || row.starts[i] > place + slack) return showTip(event, row.track.title);
    const [, duration, name, category, slices] = row.lane.slice(i * 5, i * 5 + 5);
    const c = this.part.categories[category];
    showTip(event, [this.part.names[name], (c ? c.name + ' · ' : '') + row.track.title,
                    'from ' + this.print(row.starts[i] - this.first) + ', ' + this.print(duration),
                    slices > 1 ? count(slices) + ' short ones, the longest is named' : ''].filter(Boolean).join('\n'));
  }
  draw() {
    if (!this.rows) return;
    const g = this.begin(this.high), right = this.canvas.clientWidth - 8, span = this.to - this.from, wide = right - this.left;
    g.fillStyle = colour('--soft');
    for (let k = 0; k <= 4; ++k) {
      const v = this.from + span * k / 4, x = this.left + wide * k / 4;
      g.textAlign = k === 0 ? 'left' : k === 4 ? 'right' : 'center';
      g.fillText(this.print(v - this.first), x, 14);
    }
    this.rows.forEach((row, r) => {
      const y = 24 + r * 19;
      if (row.depth === 0) g.fillStyle = colour('--soft'), g.textAlign = 'left', g.fillText(row.track.title.slice(0, 20), 4, y + 13);
      for (let i = Lanes.firstAt(row, this.from); i < row.starts.length && row.starts[i] < this.to; ++i) {
        const x0 = this.left + Math.max(0, (row.starts[i] - this.from) / span * wide), x1 = this.left + Math.min(wide, (row.ends[i] - this.from) / span * wide);
        const category = this.part.categories[row.lane[i * 5 + 3]];
        if (!category || category.off) continue;
        const isScope = category.name === 'scope';
        g.globalAlpha = isScope ? 0.4 : 1, g.fillStyle = paintOf(category.paint);
        g.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), 18);
        g.globalAlpha = 1;
        if (x1 - x0 < 48) continue;
        const name = this.part.names[row.lane[i * 5 + 2]] || '', room = Math.floor((x1 - x0 - 8) / 6.5);
        g.fillStyle = isScope ? colour('--text') : inkOn(paintOf(category.paint)), g.textAlign = 'left';
        g.fillText(name.length > room ? name.slice(0, Math.max(0, room - 1)) + '…' : name, x0 + 4, y + 13);
      }
    });
  }
}
// Dark or light ink, whichever has more contrast with a colour: as in the window.
const INKS = ['--dark-ink', '--light-ink'].map(colour);
function inkOn(fill) {
  const channel = (c, k) => { const v = parseInt(c.slice(1 + 2 * k, 3 + 2 * k), 16) / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * channel(c, 0) + 0.7152 * channel(c, 1) + 0.0722 * channel(c, 2) + 0.05;
  return light(fill) / light(INKS[0]) >= light(INKS[1]) / light(fill) ? INKS[0] : INKS[1];
}

// Series over time that hold until their next point; each pixel shows their extremes.
class Lines extends Zoomable {
  constructor(canvas, chart, range) {
    super(canvas, range[0], range[1]);
    this.chart = chart;
    this.draw();
  }
  hover(event) {
    const place = this.placeAt(event), lines = ['at ' + nanoseconds(place - this.first)];
    for (const { name, points } of this.chart.series) {
      let i = 0;
      while (i + 4 < points.length && points[i + 4] <= place) i += 4;
      if (points.length) lines.push((name || this.chart.name) + '  ' + short(points[i + 3]) + ' ' + this.chart.unit);
    }
    showTip(event, lines.join('\n'));
  }
  draw() {
    if (!this.chart) return;
    const high = 120, g = this.begin(high), right = this.canvas.clientWidth - 8, span = this.to - this.from;
    let least = 0, most = 0;
    for (const { points } of this.chart.series)
      for (let i = 0; i < points.length; i += 4) least = Math.min(least, points[i + 1]), most = Math.max(most, points[i + 2]);
    if (most === least) most = least + 1;
    const x = v => this.left + Math.min(1, Math.max(0, (v - this.from) / span)) * (right - this.left), y = v => high - 12 - (v - least) / (most - least) * (high - 28);
    g.fillStyle = colour('--soft'), g.strokeStyle = colour('--grid'), g.textAlign = 'right';
    for (const v of [least, most]) g.beginPath(), g.moveTo(this.left, y(v)), g.lineTo(right, y(v)), g.stroke(), g.fillText(short(v), this.left - 6, y(v) + 4);
    for (const { paint, points } of this.chart.series) {
      g.strokeStyle = paintOf(paint), g.beginPath();
      for (let i = 0; i < points.length; i += 4) {
        const end = i + 4 < points.length ? points[i + 4] : this.last;
        if (end < this.from || points[i] > this.to) continue;
        g.lineTo(x(points[i]), y(points[i + 1])), g.lineTo(x(points[i]), y(points[i + 2])), g.lineTo(x(points[i]), y(points[i + 3])), g.lineTo(x(end), y(points[i + 3]));
      }
      g.stroke();
    }
  }
}

// One bar of parts; `print` gives the words of a part.
function stackOf(parts, print) {
  const stack = element('div', undefined, 'stack'), sum = parts.reduce((a, p) => a + p.value, 0) || 1;
  for (const part of parts) {
    const i = swatch(part.paint);
    i.style.width = part.value / sum * 100 + '%', i.title = part.name + ': ' + print(part.value) + ', ' + percent(part.value / sum);
    stack.append(i);
  }
  return stack;
}
function stacksCard(lines, print) {
  const card = element('div', undefined, 'card stacks');
  for (const [title, parts, note] of lines) card.append(element('span', title, 'soft'), stackOf(parts, print), element('span', note, 'soft'));
  return card;
}
function canvasCard(place, label, className) {
  const card = element('div', undefined, 'card'), canvas = element('canvas'), holder = element('div', undefined, className || '');
  canvas.setAttribute('role', 'img'), canvas.setAttribute('aria-label', label);
  holder.append(canvas), card.append(holder), place.append(card);
  return [card, canvas];
}

// The program: rows open their children; a filter shows what matches with all that is above it.
function makeTree(place, tree) {
  const children = tree.rows.map(() => []), open = new Set(), roots = [];
  tree.parents.forEach((p, i) => (p < 0 ? roots : children[p]).push(i));
  roots.forEach(r => open.add(r));
  const filter = element('input'), note = element('p', '', 'soft'), scroll = element('div', undefined, 'scroll card');
  filter.type = 'search', filter.placeholder = 'Filter', filter.setAttribute('aria-label', 'Filter of the program');
  const dom = element('table'), head = element('thead'), titles = element('tr'), body = element('tbody');
  dom.id = 'table-program-tree';
  for (const column of tree.columns) {
    const th = element('th', column.title, isNumber(column) ? 'number' : '');
    th.title = column.tip, th.scope = 'col', titles.append(th);
  }
  function fill() {
    const word = filter.value.toLowerCase(), keep = new Set();
    if (word) tree.rows.forEach((r, i) => {
      if (!(r[0] + ' ' + r[1]).toLowerCase().includes(word)) return;
      for (let p = i; p >= 0 && !keep.has(p); p = tree.parents[p]) keep.add(p);
    });
    const rows = [];
    const add = (i, depth) => {
      if (rows.length >= 2000 || (word && !keep.has(i))) return;
      const tr = element('tr');
      tree.rows[i].forEach((v, c) => tr.append(cellOf(tree.columns[c], v)));
      const isOpen = word ? true : open.has(i), name = tr.firstChild, text = name.textContent;
      name.textContent = '', name.style.paddingLeft = 8 + depth * 16 + 'px';
      const fold = element('button', children[i].length ? (isOpen ? '▾' : '▸') : '', 'fold');
      fold.disabled = !children[i].length, fold.setAttribute('aria-label', isOpen ? 'close' : 'open');
      fold.addEventListener('click', () => { if (open.has(i)) open.delete(i); else open.add(i); fill(); });
      name.append(fold, text);
      rows.push(tr);
      if (isOpen) children[i].forEach(child => add(child, depth + 1));
    };
    roots.forEach(r => add(r, 0));
    body.replaceChildren(...rows);
    note.textContent = count(rows.length) + ' of ' + count(tree.rows.length) + ' rows' + (rows.length >= 2000 ? '; filter to see others' : ' open');
  }
  filter.addEventListener('input', fill);
  head.append(titles), dom.append(head, body), scroll.append(dom);
  if (tree.verdict) place.append(element('p', tree.verdict + (tree.verdict.endsWith('.') ? '' : '.')));
  const line = element('div', undefined, 'line');
  line.append(filter, note);
  place.append(line, scroll);
  fill();
}

function showSummary(place) {
  const figures = element('div', undefined, 'card figures');
  for (const [title, value] of data.summary.figures) {
    const figure = element('div');
    figure.append(element('span', title, 'soft'), element('b', value));
    figures.append(figure);
  }
  place.append(figures);
  if (!data.summary.cycles.length) return;
  const sum = data.summary.cycles.reduce((a, p) => a + p.value, 0);
  place.append(stacksCard([['Cycles', data.summary.cycles, short(sum) + ' cycles']], v => short(v) + ' cycles'));
  addLegend(place, data.summary.cycles.map(p => ({ name: p.name + ' ' + percent(p.value / sum), paint: p.paint })), () => {});
  const waste = data.summary.waste.reduce((a, [, v]) => a + v, 0);
  place.append(element('p', 'Tile-cycles: ' + data.summary.waste.map(([name, v]) => name + ' ' + percent(v / waste)).join(', ') + '.', 'soft'));
}
function showInsights(place) {
  data.insights.forEach((insight, i) => {
    const card = element('div', undefined, 'card finding'), words = element('div'), saving = element('div', undefined, 'saving');
    words.append(element('h3', insight.title), element('p', insight.what));
    const more = element('details'), list = element('ul');
    more.append(element('summary', 'What to try'));
    for (const line of insight.try) list.append(element('li', line));
    more.append(list), words.append(more);
    const bar = element('div', undefined, 'bar'), fill = element('i');
    fill.style.width = Math.min(100, insight.share * 100) + '%';
    bar.append(fill);
    saving.append(element('div', 'up to ' + insight.saves), bar, element('div', 'confidence ' + insight.confidence, 'soft'));
    card.append(element('div', String(i + 1), 'soft'), words, saving);
    place.append(card);
  });
  if (!data.insights.length) place.append(element('p', data.tilesPerIpu ? 'No rule found anything worth changing.' : 'A trace of a host has no memory and no execution to judge.', 'soft'));
}
function showMemory(place) {
  const memory = data.memory;
  for (const part of memory.parts) part.values = unpacked(part.runs);
  place.append(element('p', memory.verdict));
  const [card, canvas] = canvasCard(place, 'Memory per tile');
  const tileAt = p => memory.tiles ? memory.tiles[p] : p;
  const title = memory.group > 1 ? 'The fullest of every ' + memory.group + ' tiles' : 'Tile';
  const curve = new Curve(canvas, memory.parts, memory.capacity, title, p => 'Tile ' + tileAt(p), memory.group, memory.count);
  addLegend(card, memory.parts, () => curve.draw());
  const metrics = memory.metrics.map(m => ({ name: m.name, values: unpacked(m.runs), print: printers[m.unit] }));
  const [mapCard, map] = canvasCard(place, 'Floor plan');
  const label = element('label', 'Floor plan by '), choice = element('select'), scaleText = element('span', '', 'soft'), line = element('p');
  choice.id = 'map-metric', label.append(choice), line.append(label, ' ', scaleText), mapCard.prepend(line);
  for (const m of metrics) choice.append(element('option', m.name));
  const draw = () => drawMap(map, scaleText, memory, metrics[choice.selectedIndex]);
  choice.addEventListener('change', draw);
  new ResizeObserver(draw).observe(mapCard);
  draw();
}
function showLiveness(place) {
  const l = data.liveness, changing = unpacked(l.runs), steps = unpacked(l.steps);
  const layers = [{ name: 'Always live', paint: l.paint[0], values: changing.map(() => l.always) },
                  { name: 'Not always live', paint: l.paint[1], values: changing }];
  place.append(element('p', l.verdict));
  const [card, canvas] = canvasCard(place, 'Memory alive per program step');
  const curve = new Curve(canvas, layers, l.capacity, 'Program step', p => 'Step ' + p + '  ' + (l.names[steps[p]] || ''));
  addLegend(card, layers, () => curve.draw());
}
function showLanes(place, part, print) {
  if (part.tracks.length) {
    const [card, canvas] = canvasCard(place, place.id, 'lanes');
    const lanes = new Lanes(canvas, part, print);
    const used = new Set(lanes.rows.flatMap(r => [...r.starts.keys()].map(i => r.lane[i * 5 + 3])));
    addLegend(card, part.categories.filter((c, i) => used.has(i)), () => lanes.draw());
  }
}
function showTrace(place) {
  const part = data.trace, print = v => short(Math.round(v)) + ' cycles' + (part.clock ? ' (' + nanoseconds(v / part.clock * 1e9) + ')' : '');
  place.append(element('p', part.verdict));
  showLanes(place, part, print);
  place.append(stacksCard(part.shares.map(s => [s.title,
    s.parts.map(([c, value]) => ({ name: part.categories[c].name, paint: part.categories[c].paint, value })),
    'tiles ' + percent(s.busy) + ' busy, ' + bytes(s.in) + ' in, ' + bytes(s.out) + ' out']), v => short(v) + ' cycles'));
}
function showPipeline(place) {
  const p = data.pipeline, sum = p.phases.reduce((a, q) => a + q.value, 0) || 1;
  place.append(element('p', p.verdict + '.'), stacksCard([['Phases', p.phases, short(sum) + ' cycles']], v => short(v) + ' cycles'));
  addLegend(place, p.phases.map(q => ({ name: q.name + ' ' + percent(q.value / sum), paint: q.paint })), () => {});
}
function showHost(place) {
  place.append(element('p', data.host.verdict));
  const unit = printers[data.host.unit], ticks = data.host.ticks_per_unit;
  showLanes(place, data.host, v => unit(Math.round(v / ticks)));
  for (const chart of data.host.counters) {
    place.append(element('h3', chart.name + (chart.unit ? ', ' + chart.unit : '')));
    const [, canvas] = canvasCard(place, chart.name);
    new Lines(canvas, chart, data.host.range);
  }
}

document.title = data.title + ' – Tilescope';
byId('title').textContent = data.title;
byId('machine').textContent = [data.machine, data.created, 'numbers are ' + data.provenance].filter(Boolean).join(' · ');
for (const line of data.verdicts) if (line) byId('verdicts').append(element('p', line));
const shows = { summary: showSummary, insights: showInsights, memory: showMemory, liveness: showLiveness, program: place => makeTree(place, data.program),
                trace: showTrace, pipeline: showPipeline, blocks: place => place.append(element('p', data.blocks.verdict + '.')), host: showHost };
for (const place of document.querySelectorAll('section')) {
  const tables = data.tables.filter(t => t.under === place.id);
  if (place.id !== 'run' && !data[place.id] && !tables.length) {
    place.remove();
    continue;
  }
  if (shows[place.id] && data[place.id]) shows[place.id](place);
  for (const table of tables) makeTable(place, table);
  const link = element('a', place.firstChild.textContent);
  link.href = '#' + place.id;
  byId('nav').append(link);
}
if (data.cuts.length) {
  const cuts = element('div', undefined, 'card');
  cuts.id = 'cuts';
  cuts.append(element('h3', 'Left out of this page; the report has it'));
  for (const line of data.cuts) cuts.append(element('p', line));
  byId('run').append(cuts);
}
const facts = element('div', undefined, 'card facts');
for (const [key, value] of data.summary.facts) facts.append(element('span', key, 'soft'), element('span', value));
byId('run').append(facts);
document.body.dataset.ready = '1';
