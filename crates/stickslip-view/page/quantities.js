// What can be plotted of a body, of the contacts of two bodies, or of a joint or spring: numbers over all frames, with names and units.

const XYZ = ["x", "y", "z"];

class Quantities {
  constructor(run) { this.run = run; }

  // A thing is { body }, { pair: [a, b] } or { link }; its quantities by key.
  of(thing) {
    if (thing.pair) return this.ofPair(thing.pair);
    return thing.link !== undefined ? this.ofLink(thing.link) : this.ofBody(thing.body);
  }

  ofBody(body) {
    const { run } = this, { name, mass } = run.bodies[body];
    const lines = (title, unit, names, at) => ({ title: `${cut(name)}: ${title}`, unit, make: () => this.each(names, at) });
    const motion = (k) => (frame) => { const m = run.motion(frame, body), v = k === "angular" ? m.angular : m.linear; return v ?? [NaN, NaN, NaN]; };
    const all = {
      position: lines("position", "m", XYZ, (frame) => run.position(frame, body)),
      velocity: lines("velocity", "m/s", XYZ, motion("linear")),
      speed: lines("speed", "m/s", [""], (frame) => [length(run.motion(frame, body).linear)]),
      spin: lines("spin", "rad/s", XYZ, motion("angular")),
      total: lines("contact force", "N", XYZ, (frame) => run.loadOn(frame, body).force),
      torque: lines("contact torque", "N m", XYZ, (frame) => run.loadOn(frame, body).torque),
    };
    if (mass !== null) all.kinetic = lines("kinetic energy", "J", [""], (frame) => [run.kinetic(frame, body)]);
    return all;
  }

  ofPair([a, b]) {
    const { run } = this, name = `${cut(run.bodies[a].name)} and ${cut(run.bodies[b].name)}`;
    const sums = (frame) => run.ofPair(frame, [a, b]);
    return {
      force: { title: `${name}: force`, unit: "N", make: () => this.each(["normal", "friction"], (frame) => { const s = sums(frame); return [s.normal, s.friction]; }) },
      gap: { title: `${name}: least gap`, unit: "m", make: () => this.each([""], (frame) => { const { gap } = sums(frame); return [Number.isFinite(gap) ? gap : NaN]; }) },
    };
  }

  ofLink(link) {
    const { run } = this, name = cut(run.about.links[link].name);
    return {
      force: { title: `${name}: force`, unit: "N", make: () => this.each(XYZ, (frame) => run.linkForce(frame, link)) },
      torque: { title: `${name}: torque`, unit: "N m", make: () => this.each(XYZ, (frame) => run.linkTorque(frame, link)) },
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
