// What can be taken away from the page: pictures, films, numbers, links.

function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A name for files: letters, digits and dashes of the title.
const fileName = (title, ending) => `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "run"}.${ending}`;

const quoted = (word) => (/[",\n]/.test(word) ? `"${word.replace(/"/g, '""')}"` : word);

// All plots as one table: a row for each recorded time. Names that begin with a dot go on with the title: "box" and ".x".
function csvOf(run, plots) {
  const whole = (title, name) => (name && !name.startsWith(".") ? `${title} ${name}` : title + (name ?? ""));
  const columns = plots.flatMap(({ title, unit, lines }) => lines.map(({ name, data }) => ({ head: `${whole(title, name)}${unit ? ` [${unit}]` : ""}`, data })));
  const rows = [["t [s]", ...columns.map(({ head }) => quoted(head))].join(",")];
  for (let frame = 0; frame < run.frames; frame++) rows.push([run.t[frame], ...columns.map(({ data }) => data[frame])].join(","));
  return `${rows.join("\n")}\n`;
}

// The calls of a canvas that the plots use, as SVG.
class SvgContext {
  constructor(width, height, measure) {
    Object.assign(this, { width, height, measure, parts: [], path: "", dash: [], lineWidth: 1, strokeStyle: "#000", fillStyle: "#000", textAlign: "left", size: 11 });
  }
  set font(font) { this.measure.font = font; this.size = Number.parseFloat(font); }
  measureText(text) { return this.measure.measureText(text); }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${this.number(x)} ${this.number(y)}`; }
  lineTo(x, y) { this.path += `L${this.number(x)} ${this.number(y)}`; }
  setLineDash(dash) { this.dash = dash; }
  number(v) { return String(Math.round(v * 100) / 100); }
  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}/>`);
  }
  strokeRect(x, y, w, h) { this.parts.push(`<rect x="${this.number(x)}" y="${this.number(y)}" width="${this.number(w)}" height="${this.number(h)}" fill="none" stroke="${this.strokeStyle}"/>`); }
  fillText(text, x, y) {
    const anchor = { left: "start", right: "end", center: "middle" }[this.textAlign];
    const safe = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    this.parts.push(`<text x="${this.number(x)}" y="${this.number(y)}" font-size="${this.size}" font-family="system-ui, sans-serif" text-anchor="${anchor}" fill="${this.fillStyle}">${safe}</text>`);
  }
  text(background) {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}"><rect width="100%" height="100%" fill="${background}"/>${this.parts.join("")}</svg>\n`;
  }
}

// A film of the view while the run plays once, as WebM; null where the browser makes none.
function film(canvas, done) {
  if (!canvas.captureStream || typeof MediaRecorder === "undefined") return null;
  const kind = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((type) => MediaRecorder.isTypeSupported(type));
  if (!kind) return null;
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 }), parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => done(new Blob(parts, { type: kind.split(";")[0] }), kind.startsWith("video/mp4") ? "mp4" : "webm");
  recorder.start();
  return recorder;
}

// A moment as the end of an address: time, what is selected, from where it is seen.
function momentOf(run, state, camera) {
  const words = [`t=${Number(run.t[state.frame].toPrecision(12))}`];
  const { chosen } = state;
  if (chosen.link >= 0) words.push(`joint=${encodeURIComponent(run.about.links[chosen.link].name)}`);
  else if (chosen.body >= 0) words.push(`body=${encodeURIComponent(run.bodies[chosen.body].name)}`);
  const eye = [camera.azimuth, camera.elevation, camera.distance, ...camera.target].map((v) => Number(v.toPrecision(5)));
  return `#${words.join("&")}&eye=${eye.join(",")}`;
}

// The other way; whatever is wrong in an address is passed over.
function readMoment(run, hash, camera) {
  const words = new Map(hash.replace(/^#/, "").split("&").map((word) => { const at = word.indexOf("="); return at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)]; }));
  const text = (key) => { try { return decodeURIComponent(words.get(key) ?? ""); } catch { return ""; } };
  const t = Number.parseFloat(words.get("t"));
  const eye = (words.get("eye") ?? "").split(",").map(Number);
  if (eye.length === 6 && eye.every(Number.isFinite) && eye[2] > 0) {
    [camera.azimuth, camera.elevation, camera.distance] = eye;
    camera.target = eye.slice(3);
  }
  const link = run.about.links.findIndex((l) => l.name === text("joint")), body = run.bodies.findIndex((b) => b.name === text("body"));
  return { t: Number.isFinite(t) ? t : null, what: link >= 0 ? { link } : body >= 0 ? { body } : null };
}
