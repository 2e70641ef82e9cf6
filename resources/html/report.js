// The page of one report: it draws what the embedded data say and asks nothing of the network.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = () => matchMedia('(prefers-color-scheme: dark)').matches;

function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text; // names in reports are foreign: never as markup
  if (className) e.className = className;
  return e;
}
function three(v) {
  if (v === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(v))));
  return v.toFixed(Math.min(6, digits));
}
function bytes(v) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let u = 0;
  while (Math.abs(v) >= 1024 && u < units.length - 1) v /= 1024, ++u;
  return (u ? three(v) : String(v)) + ' ' + units[u];
}
function count(v) { return String(v).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009'); }
function short(v) {
  const units = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
  let u = 0;
  while (Math.abs(v) >= 1000 && u < units.length - 1) v /= 1000, ++u;
  return (u ? three(v) : String(v)) + units[u];
}
const percent = v => three(v * 100) + ' %';
const printers = { bytes, count, cycles: short, percent, number: v => three(v) };

const tip = byId('tip');
function showTip(event, text) {
  tip.style.display = text ? 'block' : 'none';
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
}

// [length, value, length, value …] as one value a place.
function unpacked(runs) {
  const values = [];
  for (let i = 0; i < runs.length; i += 2) for (let k = 0; k < runs[i]; ++k) values.push(runs[i + 1]);
  return values;
}

// Stacked areas over places; every pixel shows the largest sum of the places in it. Drag zooms, double click shows all.
class Curve {
  constructor(canvas, layers, limit, title, labelOf) {
    Object.assign(this, { canvas, layers, limit, title, labelOf });
    this.all = layers[0] ? layers[0].values.length : 0;
    this.from = 0, this.to = this.all, this.drag = null;
    canvas.height = 260;
    canvas.addEventListener('mousemove', e => this.hover(e));
    canvas.addEventListener('mouseleave', e => showTip(e, ''));
    canvas.addEventListener('mousedown', e => { this.drag = this.placeAt(e); });
    canvas.addEventListener('mouseup', e => this.zoom(e));
    canvas.addEventListener('dblclick', () => { this.from = 0, this.to = this.all; this.draw(); });
    new ResizeObserver(() => this.draw()).observe(canvas);
  }
  placeAt(event) {
    const x = event.offsetX - 72, wide = Math.max(1, this.canvas.clientWidth - 80);
    return Math.min(this.to - 1, Math.max(this.from, this.from + Math.floor(x / wide * (this.to - this.from))));
  }
  zoom(event) {
    const a = this.drag, b = this.placeAt(event);
    this.drag = null;
    if (a === null || Math.abs(b - a) < 2) return;
    this.from = Math.min(a, b), this.to = Math.max(a, b) + 1;
    this.draw();
  }
  hover(event) {
    if (!this.all) return;
    const place = this.placeAt(event);
    const lines = [this.labelOf(place)];
    let sum = 0;
    for (const layer of this.layers) if (!layer.off && layer.values[place]) lines.push(layer.name + '  ' + bytes(layer.values[place])), sum += layer.values[place];
    lines.push('together  ' + bytes(sum));
    showTip(event, lines.join('\n'));
  }
  draw() {
    const scale = devicePixelRatio || 1, wide = this.canvas.clientWidth, high = 260;
    this.canvas.width = wide * scale, this.canvas.height = high * scale, this.canvas.style.height = high + 'px';
    const g = this.canvas.getContext('2d');
    g.scale(scale, scale);
    const left = 72, right = wide - 8, top = 12, bottom = high - 24, span = this.to - this.from;
    const shown = this.layers.filter(l => !l.off);
    const columns = Math.max(1, Math.floor(right - left)), tops = shown.map(() => new Float64Array(columns));
    let most = 1;
    for (let c = 0; c < columns; ++c) {
      const a = this.from + Math.floor(c * span / columns), b = Math.max(a + 1, this.from + Math.floor((c + 1) * span / columns));
      let best = a, bestSum = -1;
      for (let p = a; p < b && p < this.to; ++p) {
        let sum = 0;
        for (const l of shown) sum += l.values[p] || 0;
        if (sum > bestSum) best = p, bestSum = sum;
      }
      let sum = 0;
      shown.forEach((l, i) => { sum += l.values[best] || 0; tops[i][c] = sum; });
      most = Math.max(most, sum);
    }
    if (this.limit && most > this.limit * 0.4) most = Math.max(most, this.limit);
    const y = v => bottom - v / (most * 1.05) * (bottom - top);
    g.font = '12px system-ui, sans-serif';
    g.strokeStyle = colour('--grid'), g.fillStyle = colour('--soft');
    for (let k = 0; k <= 4; ++k) {
      const v = most * k / 4;
      g.beginPath(), g.moveTo(left, y(v)), g.lineTo(right, y(v)), g.stroke();
      g.textAlign = 'right', g.fillText(bytes(Math.round(v)), left - 6, y(v) + 4);
    }
    for (let i = shown.length - 1; i >= 0; --i) {
      g.fillStyle = dark() ? shown[i].dark : shown[i].light;
      g.beginPath(), g.moveTo(left, bottom);
      for (let c = 0; c < columns; ++c) g.lineTo(left + c, y(tops[i][c])), g.lineTo(left + c + 1, y(tops[i][c]));
      g.lineTo(left + columns, bottom), g.fill();
    }
    if (this.limit && this.limit <= most * 1.05) {
      g.strokeStyle = colour('--bad'), g.setLineDash([5, 4]);
      g.beginPath(), g.moveTo(left, y(this.limit)), g.lineTo(right, y(this.limit)), g.stroke(), g.setLineDash([]);
      g.fillStyle = colour('--bad'), g.textAlign = 'left', g.fillText('available: ' + bytes(this.limit), left + 6, y(this.limit) - 4);
    }
    g.fillStyle = colour('--soft'), g.textAlign = 'left', g.fillText(count(this.from), left, high - 6);
    g.textAlign = 'right', g.fillText(count(this.to - 1), right, high - 6);
    g.textAlign = 'center', g.fillText(this.title, (left + right) / 2, high - 6);
  }
}

function legendFor(place, curve) {
  for (const layer of curve.layers) {
    const button = element('button');
    const swatch = element('i');
    swatch.style.background = dark() ? layer.dark : layer.light;
    button.append(swatch, layer.name + ' ' + bytes(layer.values.reduce((a, b) => a + b, 0)));
    button.addEventListener('click', () => { layer.off = !layer.off; button.classList.toggle('off', layer.off); curve.draw(); });
    if (curve.withSums === false) button.lastChild.textContent = layer.name;
    place.append(button);
  }
}

// Cividis, as the window has it.
const cividis = [[0, 32, 76], [0, 67, 106], [60, 77, 110], [98, 98, 117], [124, 123, 120], [157, 149, 116], [193, 176, 105], [229, 206, 82], [255, 234, 70]];
function quantity(share) {
  const at = Math.min(0.9999, Math.max(0, share)) * (cividis.length - 1), i = Math.floor(at), f = at - i;
  return 'rgb(' + cividis[i].map((c, k) => Math.round(c + (cividis[i + 1][k] - c) * f)).join(',') + ')';
}
function drawMap(canvas, memory, metric) {
  const { columns, rows, x, y } = memory.grid, ipus = data.ipus, perIpu = data.tilesPerIpu;
  const across = Math.max(1, Math.min(ipus, Math.ceil(Math.sqrt(ipus * 2)))), down = Math.ceil(ipus / across);
  const scale = devicePixelRatio || 1, wide = canvas.clientWidth, cell = Math.max(1, Math.floor((wide - 8 * across) / across / columns));
  const high = down * (rows * Math.min(cell, 12) + 12), side = Math.min(cell, 12);
  canvas.width = wide * scale, canvas.height = high * scale, canvas.style.height = high + 'px';
  const g = canvas.getContext('2d');
  g.scale(scale, scale);
  const values = metric.values, most = Math.max(1, ...[values.reduce((a, b) => Math.max(a, b), 0)]);
  const least = values.reduce((a, b) => Math.min(a, b), most);
  const places = [];
  for (let tile = 0; tile < values.length; ++tile) {
    const ipu = Math.floor(tile / perIpu), t = tile % perIpu;
    const cx = (ipu % across) * (columns * side + 8) + (x.length ? x[t] : t % columns) * side;
    const cy = Math.floor(ipu / across) * (rows * side + 12) + (y.length ? y[t] : Math.floor(t / columns)) * side;
    g.fillStyle = quantity(most > least ? (values[tile] - least) / (most - least) : 0);
    g.fillRect(cx, cy, Math.max(1, side - 1), Math.max(1, side - 1));
    places.push([cx, cy]);
  }
  byId('map-scale').textContent = metric.print(least) + ' (dark) to ' + metric.print(most) + ' (light)';
  canvas.onmousemove = event => {
    const at = places.findIndex(([cx, cy]) => event.offsetX >= cx && event.offsetX < cx + side && event.offsetY >= cy && event.offsetY < cy + side);
    showTip(event, at < 0 ? '' : 'Tile ' + at + '\n' + metric.print(values[at]));
  };
  canvas.onmouseleave = event => showTip(event, '');
}

// A table that sorts by a click on a title and filters as one types.
function makeTable(place, table) {
  const note = element('p', '', 'soft'), filter = element('input'), scroll = element('div', undefined, 'scroll card');
  filter.type = 'search', filter.placeholder = 'Filter', filter.setAttribute('aria-label', 'Filter of the table');
  const dom = element('table'), head = element('thead'), body = element('tbody'), titles = element('tr');
  let sorted = table.sort, down = true;
  const isNumber = c => table.columns[c].kind !== 'text' && table.columns[c].kind !== 'name';
  table.columns.forEach((column, c) => {
    const th = element('th', column.title, isNumber(c) ? 'number' : '');
    th.title = column.tip || '', th.tabIndex = 0;
    const sort = () => { down = sorted === c ? !down : isNumber(c); sorted = c; fill(); };
    th.addEventListener('click', sort);
    th.addEventListener('keydown', e => { if (e.key === 'Enter') sort(); });
    titles.append(th);
  });
  function fill() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let rows = table.rows.filter(r => words.every(w => r.some(v => String(v).toLowerCase().includes(w))));
    if (sorted >= 0) rows = rows.slice().sort((a, b) => {
      const u = a[sorted], v = b[sorted];
      const order = u === null ? (v === null ? 0 : -1) : v === null ? 1 : u < v ? -1 : u > v ? 1 : 0;
      return down ? -order : order;
    });
    const most = 1000;
    body.replaceChildren(...rows.slice(0, most).map(r => {
      const tr = element('tr');
      r.forEach((v, c) => {
        const kind = table.columns[c].kind;
        const td = element('td', v === null ? '–' : printers[kind] ? printers[kind](v) : v, isNumber(c) ? 'number' : kind === 'name' ? 'name' : '');
        td.title = String(v);
        tr.append(td);
      });
      return tr;
    }));
    note.textContent = count(rows.length) + ' of ' + count(table.rows.length) + ' rows' + (rows.length > most ? ', the first ' + count(most) + ' shown' : '');
    [...titles.children].forEach((th, c) => { th.textContent = table.columns[c].title + (c === sorted ? (down ? ' ▾' : ' ▴') : ''); });
  }
  filter.addEventListener('input', fill);
  head.append(titles), dom.append(head, body), scroll.append(dom);
  place.append(filter, note, scroll);
  fill();
}

document.title = data.title + ' – Tilescope';
byId('title').textContent = data.title;
byId('machine').textContent = data.machine + (data.created ? ' · ' + data.created : '') + ' · numbers are ' + data.provenance;
for (const line of data.verdicts) byId('verdicts').append(element('p', line));
data.insights.forEach((insight, i) => {
  const card = element('div', undefined, 'card finding'), words = element('div'), saving = element('div', undefined, 'saving');
  words.append(element('h3', insight.title), element('p', insight.what));
  const more = element('details'), list = element('ul');
  more.append(element('summary', 'What to try'));
  for (const line of insight.try) list.append(element('li', line));
  more.append(list);
  words.append(more);
  const bar = element('div', undefined, 'bar'), fill = element('i');
  fill.style.width = Math.min(100, insight.share * 100) + '%';
  bar.append(fill);
  saving.append(element('div', 'up to ' + insight.saves), bar, element('div', 'confidence ' + insight.confidence, 'soft'));
  card.append(element('div', String(i + 1), 'soft'), words, saving);
  byId('insights').append(card);
});
if (!data.insights.length) byId('insights').append(element('p', 'No rule found anything worth changing.', 'soft'));
if (data.memory) {
  for (const part of data.memory.parts) part.values = unpacked(part.runs);
  const curve = new Curve(byId('memory-curve'), data.memory.parts, data.memory.capacity, 'Tile', p => 'Tile ' + p);
  legendFor(byId('memory-legend'), curve);
  const metrics = data.memory.metrics.map(m => ({ name: m.name, values: unpacked(m.runs), print: printers[m.unit] }));
  const choice = byId('map-metric');
  for (const m of metrics) choice.append(element('option', m.name));
  const draw = () => drawMap(byId('map'), data.memory, metrics[choice.selectedIndex]);
  choice.addEventListener('change', draw);
  new ResizeObserver(draw).observe(byId('map').parentElement);
} else byId('memory').remove();
if (data.liveness) {
  const l = data.liveness, changing = unpacked(l.runs);
  const layers = [{ name: 'Always live', light: '#0072b2', dark: '#56b4e9', values: changing.map(() => l.always) },
                  { name: 'Not always live', light: '#d55e00', dark: '#e69f00', values: changing }];
  const curve = new Curve(byId('liveness-curve'), layers, l.capacity, 'Program step', p => 'Step ' + p + '  ' + (l.names[l.steps[p]] || ''));
  curve.withSums = false;
  legendFor(byId('liveness-legend'), curve);
} else byId('liveness').remove();
for (const table of data.tables) {
  const section = element('section');
  section.id = table.id;
  section.append(element('h2', table.title));
  byId('tables').append(section);
  makeTable(section, table);
  const link = element('a', table.title);
  link.href = '#' + table.id;
  byId('nav').append(link);
}
for (const [key, value] of data.facts) byId('facts').append(element('span', key, 'soft'), element('span', value));
document.body.dataset.ready = '1';
