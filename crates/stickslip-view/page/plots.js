// The strip of plots: what was asked for, then energy, penetration, worst residual, contacts; the marker is the time of the view.

class Plots {
  // `other` is a second run of the same time, drawn dashed.
  constructor(run, canvas, scrub, other = null) {
    Object.assign(this, { canvas, other, asked: [] });
    this.back = document.createElement("canvas");
    this.adopt(run);
    const seek = (event) => {
      const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      const area = this.areas?.find((a) => x >= a.x0 && x <= a.x + a.w + 12 && y >= a.top && y <= a.bottom) ?? this.held;
      if (!area) return;
      this.held = area;
      scrub(this.run.t[0] + Math.min(1, Math.max(0, (x - area.x) / area.w)) * (this.run.end() - this.run.t[0]));
    };
    canvas.addEventListener("pointerdown", (event) => { this.held = null; canvas.setPointerCapture(event.pointerId); seek(event); });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) seek(event); });
  }

  // Shows another state of the run: one that goes on.
  adopt(run) {
    this.run = run;
    this.quantities = new Quantities(run);
    this.fixed = [
      { title: "energy", unit: "J", lines: [{ data: run.energy, colour: "--accent" }, ...this.others("energy")] },
      { title: "penetration", unit: "m", log: true, lines: [{ data: run.penetration, colour: "--accent" }] },
      { title: "worst residual", unit: "m/s", log: true, lines: [{ data: run.residual, colour: "--accent" }, { data: run.bound, colour: "--slide", dash: true, name: "bound" }] },
      { title: "contacts", unit: "", lines: [{ data: run.candidates, colour: "--quiet", name: "candidates" }, { data: run.active, colour: "--accent", name: "active" }] },
    ];
    this.asked = this.asked.map(({ thing, key }) => this.made(thing, key));
    this.list = [...this.asked, ...this.fixed];
  }

  others(name) { return this.other ? [{ data: this.other[name], t: this.other.t, colour: "--other", dash: true, name: "second" }] : []; }

  made(thing, key) {
    const { title, unit, make } = this.quantities.of(thing)[key];
    const lines = make();
    if (this.other && thing.body !== undefined) {
      const body = this.other.bodies.findIndex((b) => b.name === this.run.bodies[thing.body].name);
      const same = body >= 0 ? new Quantities(this.other).ofBody(body)[key]?.make() : null;
      same?.forEach((line) => lines.push({ ...line, t: this.other.t, dash: true, name: "" }));
    }
    return { id: `${JSON.stringify(thing)} ${key}`, thing, key, title, unit, lines };
  }

  has(thing, key) { return this.asked.some(({ id }) => id === `${JSON.stringify(thing)} ${key}`); }

  // Adds a plot, or takes it away.
  toggle(thing, key) {
    const id = `${JSON.stringify(thing)} ${key}`, without = this.asked.filter((plot) => plot.id !== id);
    this.asked = without.length < this.asked.length ? without : [...this.asked, this.made(thing, key)];
    this.list = [...this.asked, ...this.fixed];
    this.prepare();
  }

  // How many plots are beside each other, and how high each is, px.
  layout(width) {
    const unit = this.unit(), columns = Math.max(1, Math.min(width < 45 * unit ? 2 : 4, this.list.length));
    return { columns, rows: Math.ceil(this.list.length / columns), tall: (width < 45 * unit ? 7 : 9.2) * unit };
  }

  unit() { return Number.parseFloat(getComputedStyle(document.body).fontSize) || 14; }

  // Draws everything that does not move; again after a change of size or theme.
  prepare() {
    const { canvas, back } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.parentElement.clientWidth, { columns, rows, tall } = this.layout(width), height = rows * tall;
    canvas.style.height = `${height}px`;
    canvas.width = back.width = Math.max(1, Math.round(width * ratio));
    canvas.height = back.height = Math.max(1, Math.round(height * ratio));
    const g = back.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    this.areas = this.drawAll(g, width, columns, tall);
    this.mark(this.time ?? 0);
  }

  drawAll(g, width, columns, tall) {
    return this.list.map((plot, k) => {
      const w = width / columns, x0 = (k % columns) * w, top = Math.floor(k / columns) * tall;
      return this.draw(g, plot, { x0, top, bottom: top + tall, w, h: tall });
    });
  }

  // All plots as one picture.
  svg() {
    const width = this.canvas.parentElement.clientWidth, { columns, rows, tall } = this.layout(width);
    const g = new SvgContext(width, rows * tall, document.createElement("canvas").getContext("2d"));
    this.drawAll(g, width, columns, tall);
    return g.text(getComputedStyle(document.documentElement).getPropertyValue("--card").trim());
  }

  draw(g, plot, area) {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const { run } = this, unit = this.unit(), small = 0.79 * unit;
    g.font = `${small}px system-ui, sans-serif`;
    let low = Infinity, high = -Infinity;
    for (const { data } of plot.lines) for (const v of data) if (Number.isFinite(v) && (!plot.log || v > 0)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (low > high) { low = plot.log ? 1e-16 : 0; high = plot.log ? 1e-10 : 1; }
    // What varies by no more than rounding is drawn as a straight line.
    if (!plot.log && high - low < 1e-6 * Math.max(Math.abs(low), Math.abs(high))) [low, high] = [Math.min(low, high), Math.max(low, high) + 1e-3 * Math.abs(high)];
    const place = plot.log ? (v) => (v > 0 ? Math.log10(v) : -Infinity) : (v) => v;
    let [a, b] = [place(low), place(high)];
    if (plot.log) { a = Math.floor(a) - 0.5; b = Math.ceil(b) + 0.3; } else {
      if (plot.title === "contacts") a = 0;
      const pad = (b - a) * 0.06 || Math.abs(a) * 0.1 || 1;
      a -= plot.title === "contacts" ? 0 : pad; b += pad;
    }
    // Room for the widest number on the left, for the title above, and for the names of lines beside it or in a line of their own.
    const title = cut(plot.title) + (plot.unit ? ` (${plot.unit})` : ""), named = plot.lines.filter((line) => line.name);
    const wide = (text) => g.measureText(text).width;
    const marks = ticks(a, b, plot.log, Math.max(2, Math.floor((area.h - 2.6 * unit) / (1.15 * unit)))), margin = Math.max(24, ...marks.map(([, words]) => wide(words) + 9));
    const x = area.x0 + margin, w = Math.max(20, area.w - margin - 12);
    const names = named.reduce((sum, line) => sum + wide(line.name) + 10, 0), below = names > 0 && wide(title) + names > w;
    const y = area.top + (below ? 2.2 : 1.43) * unit, h = area.h - (below ? 3.36 : 2.57) * unit;
    g.fillStyle = colour("--ink");
    g.textAlign = "left";
    g.fillText(fitted(g, title, w), x, area.top + 0.93 * unit);
    g.textAlign = "right";
    let name = x + w;
    for (const line of [...named].reverse()) {
      g.fillStyle = colour(line.colour);
      g.fillText(line.name, name, area.top + (below ? 1.8 : 0.93) * unit);
      name -= wide(line.name) + 10;
    }
    const across = (t) => x + (w * (t - run.t[0])) / (run.end() - run.t[0] || 1), up = (v) => y + h - (h * Math.min(1, Math.max(0, (v - a) / (b - a))));
    g.strokeStyle = colour("--line");
    g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    g.fillStyle = colour("--quiet");
    for (const [value, words] of marks) { g.fillText(words, x - 5, up(value) + 0.25 * unit); g.beginPath(); g.moveTo(x, up(value)); g.lineTo(x + w, up(value)); g.stroke(); }
    g.textAlign = "left"; g.fillText(short(run.t[0]), x, y + h + 0.86 * unit);
    g.textAlign = "right"; g.fillText(`${short(run.end())} s`, x + w, y + h + 0.86 * unit);
    for (const line of plot.lines) {
      g.strokeStyle = colour(line.colour);
      g.lineWidth = 1.3;
      g.setLineDash(line.dash ? [4, 3] : []);
      g.beginPath();
      this.trace(g, line, (t) => Math.min(x + w, across(t)), (v) => up(place(v)), plot.log);
      g.stroke();
      g.setLineDash([]);
      g.lineWidth = 1;
    }
    return { ...area, x, y, w, h };
  }

  // Of many frames in one column of pixels the lowest and the highest are drawn; where there is no number there is no line.
  trace(g, { data, t = this.run.t }, across, up, log) {
    let column = null, least = 0, most = 0, last = 0, begun = false;
    const to = (px, py) => { if (begun) g.lineTo(px, py); else g.moveTo(px, py); begun = true; };
    const flush = () => { if (column === null) return; if (least !== most) { to(column, least); to(column, most); } to(column, last); };
    for (let f = 0; f < data.length; f++) {
      if (!Number.isFinite(data[f]) && !log) { flush(); column = null; begun = false; continue; }
      const py = up(data[f]), px = Math.round(across(t[f]) * 2) / 2;
      if (px !== column) { flush(); [column, least, most] = [px, py, py]; }
      least = Math.min(least, py); most = Math.max(most, py); last = py;
    }
    flush();
  }

  mark(t) {
    this.time = t;
    const g = this.canvas.getContext("2d"), ratio = window.devicePixelRatio || 1, { run } = this;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.back, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--slide");
    for (const { x, y, w, h } of this.areas ?? []) {
      const at = x + (w * (t - run.t[0])) / (run.end() - run.t[0] || 1);
      g.beginPath(); g.moveTo(at, y); g.lineTo(at, y + h); g.stroke();
    }
  }
}

// As much of a text as fits.
function fitted(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 3 && g.measureText(`${text.slice(0, end)}…`).width > width) end--;
  return `${text.slice(0, end)}…`;
}

// At most about so many, at round numbers.
function ticks(a, b, log, most) {
  if (log) {
    const every = Math.max(1, Math.ceil((b - a) / most)), out = [];
    for (let k = Math.ceil(a / every) * every; k <= b; k += every) out.push([k, `1e${k}`]);
    return out;
  }
  const rough = (b - a) / most, decade = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((m) => m * decade).find((s) => s >= rough) ?? 10 * decade, out = [];
  // As many digits as tell one mark from the next.
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const words = (v) => { const size = Math.max(Math.abs(a), Math.abs(b)); return size >= 1e5 || size < 1e-3 ? short(v) : v.toFixed(decimals); };
  for (let k = Math.ceil(a / step); k * step <= b; k++) out.push([k * step, k === 0 ? "0" : words(k * step)]);
  return out;
}
