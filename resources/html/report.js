// The page of one report: it draws what the embedded data say and asks nothing of the network.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const scheme = matchMedia('(prefers-color-scheme: dark)');
const paintOf = pair => pair[scheme.matches ? 1 : 0];
// Functions that draw again when the colours of the system change.
const redraws = [];
scheme.addEventListener('change', () => redraws.forEach(draw => draw()));

function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text; // names in reports are foreign: never as markup
  if (className) e.className = className;
  return e;
}
function swatch(pair) {
  const i = element('i');
  const draw = () => { i.style.background = paintOf(pair); };
  redraws.push(draw), draw();
  return i;
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
function count(v) { return String(v).replace(/\B(?=(\d{3})+(?!\d))/g, ','); }
function short(v) {
  const units = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
  let u = 0;
  while (Math.abs(v) >= 1000 && u < units.length - 1) v /= 1000, ++u;
  return (u || v % 1 ? three(v) : String(v)) + units[u];
}
function nanoseconds(v) {
  const units = ['ns', 'µs', 'ms', 's'];
  let u = 0;
  while (Math.abs(v) >= 1000 && u < units.length - 1) v /= 1000, ++u;
  return three(v) + ' ' + units[u];
}
const percent = v => three(v * 100) + ' %';
const printers = { bytes, count, cycles: short, percent, nanoseconds, number: v => three(v) };

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

// A canvas that shows a part [from, to) of [0, all): drag zooms, double click or 0 shows all, arrows pan, + and − zoom.
class Zoomable {
  constructor(canvas, first, last) {
    Object.assign(this, { canvas, first, last, from: first, to: last, drag: null, left: 72, least: 1 });
    canvas.tabIndex = 0;
    canvas.addEventListener('mousemove', e => this.hover(e));
    canvas.addEventListener('mouseleave', e => showTip(e, ''));
    canvas.addEventListener('mousedown', e => { this.drag = this.placeAt(e); });
    canvas.addEventListener('mouseup', e => {
      const a = this.drag, b = this.placeAt(e);
      this.drag = null;
      if (a !== null && Math.abs(b - a) > (this.to - this.from) / 100) this.show(Math.min(a, b), Math.max(a, b));
    });
    canvas.addEventListener('dblclick', () => this.show(this.first, this.last));
    canvas.addEventListener('keydown', e => this.key(e));
    new ResizeObserver(() => this.draw()).observe(canvas);
    redraws.push(() => this.draw());
  }
  placeAt(event) {
    const wide = Math.max(1, this.canvas.clientWidth - this.left - 8);
    return Math.min(this.to, Math.max(this.from, this.from + (event.offsetX - this.left) / wide * (this.to - this.from)));
  }
  show(from, to) {
    const span = Math.min(this.last - this.first, Math.max(this.least, to - from));
    this.from = Math.min(Math.max(this.first, from), this.last - span), this.to = this.from + span;
    this.draw();
  }
  key(event) {
    const span = this.to - this.from, middle = (this.from + this.to) / 2;
    const to = { ArrowLeft: [this.from - span / 4, this.to - span / 4], ArrowRight: [this.from + span / 4, this.to + span / 4],
                 '+': [middle - span / 4, middle + span / 4], '=': [middle - span / 4, middle + span / 4],
                 '-': [middle - span, middle + span], '0': [this.first, this.last] }[event.key];
    if (!to || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.show(...to);
  }
  begin(high) {
    const scale = devicePixelRatio || 1, wide = this.canvas.clientWidth;
    this.canvas.width = wide * scale, this.canvas.height = high * scale, this.canvas.style.height = high + 'px';
    const g = this.canvas.getContext('2d');
    g.scale(scale, scale);
    g.font = '12px system-ui, sans-serif';
    return g;
  }
}

// Stacked areas over places; every pixel shows the largest sum of the places in it.
class Curve extends Zoomable {
  // A place stands for a `group` of neighbours, of `all` together: numbers at the axis are theirs.
  constructor(canvas, layers, limit, title, labelOf, group = 1, all = layers[0] ? layers[0].values.length : 0) {
    super(canvas, 0, layers[0] ? layers[0].values.length : 0);
    Object.assign(this, { layers, limit, title, labelOf, group, all, print: bytes });
    this.draw();
  }
  hover(event) {
    if (!this.last) return;
    const place = Math.min(this.last - 1, Math.floor(this.placeAt(event)));
    const lines = [this.labelOf(place)];
    let sum = 0;
    for (const layer of this.layers) if (!layer.off && layer.values[place]) lines.push(layer.name + '  ' + this.print(layer.values[place])), sum += layer.values[place];
    lines.push('together  ' + this.print(sum));
    showTip(event, lines.join('\n'));
  }
  draw() {
    if (!this.layers) return;
    const high = 260, g = this.begin(high);
    const left = this.left, right = this.canvas.clientWidth - 8, top = 16, bottom = high - 24, span = this.to - this.from;
    const shown = this.layers.filter(l => !l.off);
    const columns = Math.max(1, Math.floor(right - left)), tops = shown.map(() => new Float64Array(columns));
    let most = 1;
    for (let c = 0; c < columns; ++c) {
      const a = Math.floor(this.from + c * span / columns), b = Math.max(a + 1, Math.floor(this.from + (c + 1) * span / columns));
      let best = a, bestSum = -1;
      for (let p = a; p < b && p < this.last; ++p) {
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
    g.strokeStyle = colour('--grid'), g.fillStyle = colour('--soft');
    for (let k = 0; k <= 4; ++k) {
      const v = most * k / 4;
      g.beginPath(), g.moveTo(left, y(v)), g.lineTo(right, y(v)), g.stroke();
      g.textAlign = 'right', g.fillText(this.print(Math.round(v)), left - 6, y(v) + 4);
    }
    for (let i = shown.length - 1; i >= 0; --i) {
      g.fillStyle = paintOf(shown[i].paint);
      g.beginPath(), g.moveTo(left, bottom);
      for (let c = 0; c < columns; ++c) g.lineTo(left + c, y(tops[i][c])), g.lineTo(left + c + 1, y(tops[i][c]));
      g.lineTo(left + columns, bottom), g.fill();
    }
    if (this.limit && this.limit <= most * 1.05) {
      // On a background of its own: curves that cross the limit are drawn below it.
      g.fillStyle = colour('--surface'), g.fillRect(left, y(this.limit) - 1.5, right - left, 3);
      g.strokeStyle = colour('--bad'), g.setLineDash([5, 4]);
      g.beginPath(), g.moveTo(left, y(this.limit)), g.lineTo(right, y(this.limit)), g.stroke(), g.setLineDash([]);
      const text = 'available: ' + this.print(this.limit), wide = g.measureText(text).width;
      g.fillStyle = colour('--surface'), g.fillRect(left + 4, y(this.limit) - 17, wide + 6, 15);
      g.fillStyle = colour('--bad'), g.textAlign = 'left', g.fillText(text, left + 7, y(this.limit) - 5);
    }
    g.fillStyle = colour('--soft'), g.textAlign = 'left', g.fillText(count(Math.floor(this.from) * this.group), left, high - 6);
    g.textAlign = 'right', g.fillText(count(Math.max(0, Math.min(this.all, Math.ceil(this.to) * this.group) - 1)), right, high - 6);
    g.textAlign = 'center', g.fillText(this.title, (left + right) / 2, high - 6);
  }
}

// Entries hide what they name by a click; `items` have a name, a paint and perhaps a sum.
function addLegend(place, items, changed) {
  const legend = element('div', undefined, 'legend');
  for (const item of items) {
    const button = element('button');
    button.append(swatch(item.paint), item.name + (item.sum === undefined ? '' : ' ' + bytes(item.sum)));
    button.setAttribute('aria-pressed', 'true');
    button.addEventListener('click', () => {
      item.off = !item.off;
      button.classList.toggle('off', item.off), button.setAttribute('aria-pressed', String(!item.off));
      changed();
    });
    legend.append(button);
  }
  place.append(legend);
}

// Cividis, as the window has it.
const cividis = [[0, 32, 77], [0, 51, 111], [57, 72, 107], [87, 92, 109], [112, 113, 115], [138, 135, 121], [166, 157, 117], [196, 181, 108], [228, 207, 91], [255, 234, 70]];
function quantity(share) {
  const at = Math.min(0.9999, Math.max(0, share)) * (cividis.length - 1), i = Math.floor(at), f = at - i;
  return 'rgb(' + cividis[i].map((c, k) => Math.round(c + (cividis[i + 1][k] - c) * f)).join(',') + ')';
}
function drawMap(canvas, scaleText, memory, metric) {
  const { columns, rows, x, y } = memory.grid, ipus = data.ipus, perIpu = data.tilesPerIpu;
  const scale = devicePixelRatio || 1, wide = canvas.clientWidth, mostAcross = Math.floor((wide + 8) / (columns + 8)); // of a pixel a tile
  const across = Math.max(1, Math.min(ipus, mostAcross, Math.ceil(Math.sqrt(ipus * 2)))), down = Math.ceil(ipus / across);
  const cell = Math.max(1, Math.floor((wide - 8 * across) / across / columns));
  const high = down * (rows * Math.min(cell, 12) + 12), side = Math.min(cell, 12);
  canvas.width = wide * scale, canvas.height = high * scale, canvas.style.height = high + 'px';
  const g = canvas.getContext('2d');
  g.scale(scale, scale);
  const values = metric.values, most = values.reduce((a, b) => Math.max(a, b), 1);
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
  scaleText.textContent = metric.print(least) + ' (dark) to ' + metric.print(most) + ' (light)';
  canvas.onmousemove = event => {
    const at = places.findIndex(([cx, cy]) => event.offsetX >= cx && event.offsetX < cx + side && event.offsetY >= cy && event.offsetY < cy + side);
    showTip(event, at < 0 ? '' : 'Tile ' + at + '\n' + metric.print(values[at]));
  };
  canvas.onmouseleave = event => showTip(event, '');
}

const isNumber = column => column.kind !== 'text' && column.kind !== 'name' && column.kind !== 'bars';
// Small bars of a distribution, as an image that scales.
function barsCell(values) {
  const ns = 'http:' + '//www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg'), most = Math.max(1, ...values);
  svg.setAttribute('width', String(values.length * 4)), svg.setAttribute('height', '16');
  values.forEach((v, i) => {
    const bar = document.createElementNS(ns, 'rect'), high = v ? Math.max(1, 16 * v / most) : 0;
    for (const [k, n] of [['x', i * 4], ['y', 16 - high], ['width', 3], ['height', high], ['fill', 'currentColor']]) bar.setAttribute(k, String(n));
    svg.append(bar);
  });
  return svg;
}
function cellOf(column, v) {
  const td = element('td', undefined, isNumber(column) ? 'number' : column.kind === 'name' ? 'name' : '');
  if (column.kind === 'bars') {
    td.append(barsCell(v)), td.title = v.join(', ');
    return td;
  }
  td.textContent = v === null ? '–' : printers[column.kind] ? printers[column.kind](v) : v;
  if (v !== null) td.title = String(v);
  return td;
}

// A table that sorts by a click on a title and filters as one types.
function makeTable(place, table) {
  const note = element('p', '', 'soft'), filter = element('input'), scroll = element('div', undefined, 'scroll card');
  filter.type = 'search', filter.placeholder = 'Filter', filter.setAttribute('aria-label', 'Filter of ' + table.title);
  const dom = element('table'), head = element('thead'), body = element('tbody'), titles = element('tr');
  dom.id = 'table-' + table.id;
  let sorted = table.sort, down = true;
  table.columns.forEach((column, c) => {
    const th = element('th', column.title, isNumber(column) ? 'number' : '');
    th.title = column.tip || '', th.tabIndex = 0, th.scope = 'col';
    const sort = () => { down = sorted === c ? !down : isNumber(column); sorted = c; fill(); };
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
      r.forEach((v, c) => tr.append(cellOf(table.columns[c], v)));
      return tr;
    }));
    note.textContent = count(rows.length) + ' of ' + count(table.rows.length) + ' rows' + (rows.length > most ? ', the first ' + count(most) + ' shown' : '');
    [...titles.children].forEach((th, c) => {
      th.textContent = table.columns[c].title + (c === sorted ? (down ? ' ▾' : ' ▴') : '');
      th.setAttribute('aria-sort', c !== sorted ? 'none' : down ? 'descending' : 'ascending');
    });
  }
  filter.addEventListener('input', fill);
  head.append(titles), dom.append(head, body), scroll.append(dom);
  if (place.firstChild.textContent !== table.title) place.append(element('h3', table.title));
  if (table.verdict) place.append(element('p', table.verdict + '.'));
  const line = element('div', undefined, 'line');
  line.append(filter, note);
  place.append(line, scroll);
  fill();
}
