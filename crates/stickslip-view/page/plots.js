// The strip of plots: energy, penetration, worst residual, contacts; the marker is the time of the view.

class Plots {
  constructor(run, canvas, scrub) {
    Object.assign(this, { run, canvas });
    this.back = document.createElement("canvas");
    this.list = [
      { title: "energy", unit: "J", lines: [{ data: run.energy, colour: "--accent" }] },
      { title: "penetration", unit: "m", log: true, lines: [{ data: run.penetration, colour: "--accent" }] },
      { title: "worst residual", unit: "m/s", log: true, lines: [{ data: run.residual, colour: "--accent" }, { data: run.bound, colour: "--slide", dash: true, name: "bound" }] },
      { title: "contacts", unit: "", lines: [{ data: run.candidates, colour: "--quiet", name: "candidates" }, { data: run.active, colour: "--accent", name: "active" }] },
    ];
    const seek = (event) => {
      const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      const area = this.areas?.find((a) => x >= a.x0 && x <= a.x + a.w + 12 && y >= a.top && y <= a.bottom) ?? this.held;
      if (!area) return;
      this.held = area;
      scrub(this.run.t[0] + Math.min(1, Math.max(0, (x - area.x) / area.w)) * (run.end() - run.t[0]));
    };
    canvas.addEventListener("pointerdown", (event) => { this.held = null; canvas.setPointerCapture(event.pointerId); seek(event); });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) seek(event); });
  }

  // Draws everything that does not move; again after a change of size or theme.
  prepare() {
    const { canvas, back } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = back.width = Math.max(1, Math.round(width * ratio));
    canvas.height = back.height = Math.max(1, Math.round(height * ratio));
    const g = back.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    const columns = width < 620 ? 2 : 4, rows = this.list.length / columns;
    this.areas = this.list.map((plot, k) => {
      const w = width / columns, h = height / rows, x0 = (k % columns) * w, top = Math.floor(k / columns) * h;
      return this.draw(g, plot, { x0, top, bottom: top + h, w, h });
    });
    this.mark(this.time ?? 0);
  }

  draw(g, plot, area) {
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const { run } = this;
    g.font = "11px system-ui, sans-serif";
    let low = Infinity, high = -Infinity;
    for (const { data } of plot.lines) for (const v of data) if (Number.isFinite(v) && (!plot.log || v > 0)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (low > high) { low = plot.log ? 1e-16 : 0; high = plot.log ? 1e-10 : 1; }
    const place = plot.log ? (v) => (v > 0 ? Math.log10(v) : -Infinity) : (v) => v;
    let [a, b] = [place(low), place(high)];
    if (plot.log) { a = Math.floor(a) - 0.5; b = Math.ceil(b) + 0.3; } else {
      if (plot.title === "contacts") a = 0;
      const pad = (b - a) * 0.06 || Math.abs(a) * 0.1 || 1;
      a -= plot.title === "contacts" ? 0 : pad; b += pad;
    }
    // Room for the widest number on the left, for the title above, and for the names of lines beside it or in a line of their own.
    const title = plot.title + (plot.unit ? ` (${plot.unit})` : ""), named = plot.lines.filter((line) => line.name);
    const wide = (text) => g.measureText(text).width;
    const marks = ticks(a, b, plot.log, Math.max(2, Math.floor((area.h - 36) / 16))), margin = Math.max(24, ...marks.map(([, words]) => wide(words) + 9));
    const x = area.x0 + margin, w = Math.max(20, area.w - margin - 12);
    const names = named.reduce((sum, line) => sum + wide(line.name) + 10, 0), below = names > 0 && wide(title) + names > w;
    const y = area.top + (below ? 31 : 20), h = area.h - (below ? 47 : 36);
    g.fillStyle = colour("--ink");
    g.textAlign = "left";
    g.fillText(title, x, area.top + 13);
    g.textAlign = "right";
    let name = x + w;
    for (const line of [...named].reverse()) {
      g.fillStyle = colour(line.colour);
      g.fillText(line.name, name, area.top + (below ? 25 : 13));
      name -= wide(line.name) + 10;
    }
    const across = (t) => x + (w * (t - run.t[0])) / (run.end() - run.t[0] || 1), up = (v) => y + h - (h * Math.min(1, Math.max(0, (v - a) / (b - a))));
    g.strokeStyle = colour("--line");
    g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    g.fillStyle = colour("--quiet");
    for (const [value, words] of marks) { g.fillText(words, x - 5, up(value) + 3.5); g.beginPath(); g.moveTo(x, up(value)); g.lineTo(x + w, up(value)); g.stroke(); }
    g.textAlign = "left"; g.fillText(short(run.t[0]), x, y + h + 12);
    g.textAlign = "right"; g.fillText(`${short(run.end())} s`, x + w, y + h + 12);
    for (const line of plot.lines) {
      g.strokeStyle = colour(line.colour);
      g.lineWidth = 1.3;
      g.setLineDash(line.dash ? [4, 3] : []);
      g.beginPath();
      // Of many frames in one column of pixels the lowest and the highest are drawn.
      let column = -1, least = 0, most = 0, last = 0;
      const flush = (px) => { for (const v of [least, most, last]) column < 0 ? g.moveTo(px, up(v)) : g.lineTo(px, up(v)); };
      for (let f = 0; f < run.frames; f++) {
        const v = place(line.data[f]), px = Math.round(across(run.t[f]) * 2) / 2;
        if (f === 0) { g.moveTo(px, up(v)); [column, least, most, last] = [px, v, v, v]; continue; }
        if (px !== column) { flush(column); [column, least, most] = [px, v, v]; }
        least = Math.min(least, v); most = Math.max(most, v); last = v;
      }
      flush(column);
      g.stroke();
      g.setLineDash([]);
      g.lineWidth = 1;
    }
    return { ...area, x, y, w, h };
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

const short = (v) => { const size = Math.abs(v); return size >= 1e5 || (size > 0 && size < 1e-3) ? v.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e") : String(Number(v.toPrecision(4))); };

// At most about so many, at round numbers.
function ticks(a, b, log, most) {
  if (log) {
    const every = Math.max(1, Math.ceil((b - a) / most)), out = [];
    for (let k = Math.ceil(a / every) * every; k <= b; k += every) out.push([k, `1e${k}`]);
    return out;
  }
  const rough = (b - a) / most, decade = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((m) => m * decade).find((s) => s >= rough) ?? 10 * decade, out = [];
  for (let k = Math.ceil(a / step); k * step <= b; k++) out.push([k * step, short(k * step)]);
  return out;
}
