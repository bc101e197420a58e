// What can be plotted of a body, of the contacts of two bodies, or of a joint or spring: numbers over all frames, with units. A plot's title
// and a line's name together are the name of the same number in `stickslip series`: "force on box" and ".x", "box" and ".vx".

const XYZ = ["x", "y", "z"], DOT_XYZ = XYZ.map((axis) => `.${axis}`);

class Quantities {
  constructor(run) { this.run = run; }

  // A thing is { body }, { pair: [a, b] } or { link }; its quantities by key.
  of(thing) {
    if (thing.pair) return this.ofPair(thing.pair);
    return thing.link !== undefined ? this.ofLink(thing.link) : this.ofBody(thing.body);
  }

  // Lines of these names, from a function that gives their numbers at a frame.
  lines(title, names, unit, at) { return { title, unit, make: () => this.each(names, at) }; }

  ofBody(body) {
    const { run } = this, { name, mass } = run.bodies[body];
    const motion = (k) => (frame) => { const m = run.motion(frame, body), v = k === "angular" ? m.angular : m.linear; return v ?? [NaN, NaN, NaN]; };
    const all = {
      position: this.lines(name, DOT_XYZ, "m", (frame) => run.position(frame, body)),
      velocity: this.lines(name, [".vx", ".vy", ".vz"], "m/s", motion("linear")),
      speed: this.lines(`${name}.speed`, [""], "m/s", (frame) => [length(run.motion(frame, body).linear)]),
      spin: this.lines(name, [".wx", ".wy", ".wz"], "rad/s", motion("angular")),
      total: this.lines(`force on ${name}`, DOT_XYZ, "N", (frame) => run.loadOn(frame, body).force),
      torque: this.lines(`torque on ${name}`, DOT_XYZ, "N m", (frame) => run.loadOn(frame, body).torque),
    };
    if (mass !== null) all.kinetic = this.lines(`kinetic energy of ${name}`, [""], "J", (frame) => [run.kinetic(frame, body)]);
    return all;
  }

  ofPair([a, b]) {
    const { run } = this, both = `between ${run.bodies[a].name} and ${run.bodies[b].name}`, sums = (frame) => run.ofPair(frame, [a, b]);
    return {
      force: this.lines(`force ${both}`, [".normal", ".friction"], "N", (frame) => { const s = sums(frame); return [s.normal, s.friction]; }),
      gap: this.lines(`gap ${both}`, [""], "m", (frame) => { const { gap } = sums(frame); return [Number.isFinite(gap) ? gap : NaN]; }),
    };
  }

  ofLink(link) {
    const { run } = this, { name } = run.about.links[link];
    return {
      force: this.lines(`${name}.force`, DOT_XYZ, "N", (frame) => run.linkForce(frame, link)),
      torque: this.lines(`${name}.torque`, DOT_XYZ, "N m", (frame) => run.linkTorque(frame, link)),
    };
  }

  // One line for each name, from a function that gives all of them at a frame.
  each(names, at) {
    const { frames } = this.run, colours = names.length > 1 ? ["--first", "--second", "--third"] : ["--accent"];
    const lines = names.map((name, k) => ({ name, colour: colours[k], data: new Float32Array(frames) }));
    for (let frame = 0; frame < frames; frame++) at(frame).forEach((value, k) => { lines[k].data[frame] = value; });
    return lines;
  }
}
