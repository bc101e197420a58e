// Numbers as people read them.

// Seven digits: the page's numbers have a little more. What is below `floor` is the dust of rounding, and nothing.
function digits(v, floor = 0) {
  if (!Number.isFinite(v)) return String(v);
  const size = Math.abs(v);
  if (size <= floor) return "0";
  return size >= 1e-4 && size < 1e7 ? String(Number(v.toPrecision(7))) : v.toExponential(6).replace(/\.?0+e/, "e");
}

// Numbers of one kind: what is a ten-millionth of the largest of them cannot be told from nothing.
const list = (vector, floor = 0) => {
  const dust = Math.max(floor, 1e-7 * Math.max(...vector.map(Math.abs)));
  return vector.map((v) => digits(v, dust)).join(", ");
};

// A value as a node: of several numbers a line ends behind a comma, never before one.
function spelled(value) {
  const box = element("div"), parts = value.split(", ");
  if (parts.length < 2 || parts.some((part) => !Number.isFinite(Number(part)))) box.textContent = value;
  else parts.forEach((part, k) => box.append(element("span", k + 1 < parts.length ? `${part},` : part, "number"), k + 1 < parts.length ? " " : ""));
  return box;
}

// Of a residual two digits tell all there is.
const roughly = (v) => (v === 0 ? "0" : v.toExponential(1));
const cut = (name) => (name.length > 60 ? `${name.slice(0, 58)}…` : name);
const short = (v) => { const size = Math.abs(v); return size >= 1e5 || (size > 0 && size < 1e-3) ? v.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e") : String(Number(v.toPrecision(4))); };

// The round number (1, 2 or 5 and zeros) at or below a positive one.
function roundBelow(v) {
  const decade = Math.pow(10, Math.floor(Math.log10(v)));
  return [5, 2, 1].map((m) => m * decade).find((s) => s <= v * (1 + 1e-9)) ?? decade;
}

// Below these, numbers of a run mean nothing: places by its size, velocities by its tolerance, forces by the largest of them and by what changes the velocity of the
// lightest body by the tolerance in a step, energies by the largest.
function floorsOf(run) {
  const largest = (array) => { let most = 0; for (const v of array) if (Number.isFinite(v)) most = Math.max(most, Math.abs(v)); return most; };
  const { size, tolerance, h } = run.about, masses = run.bodies.map((b) => b.mass).filter((m) => m > 0), lightest = masses.length ? Math.min(...masses) : 0;
  const force = Math.max(1e-9 * largest(run.force), 1e-9 * largest(run.link_force), (lightest * tolerance) / h);
  return { place: 1e-9 * size, velocity: tolerance, spin: tolerance / size, force, torque: force * size, energy: 1e-9 * largest(run.energy) };
}
