// What is seen: bodies, planes, contacts with arrows and cones, trails, joints and springs.

const LIGHT = unit([-0.45, -0.5, 1.1]);

const THEMES = {
  light: {
    background: [0.945, 0.953, 0.965], ground: [0.90, 0.915, 0.93], grid: [0.74, 0.77, 0.81], fixed: [0.66, 0.69, 0.73], edge: [0.12, 0.16, 0.2],
    chosen: [1.0, 0.84, 0.2], stick: [0, 0.447, 0.698], slide: [0.835, 0.369, 0], open: [0.55, 0.6, 0.65], trail: [0.35, 0.3, 0.55], link: [0.2, 0.2, 0.2], other: [0.80, 0.36, 0.60],
    shadow: 0.2, edges: 0.45,
    bodies: [[0.86, 0.77, 0.60], [0.60, 0.75, 0.66], [0.74, 0.68, 0.84], [0.86, 0.68, 0.68], [0.62, 0.71, 0.78], [0.78, 0.79, 0.56], [0.70, 0.64, 0.60]],
  },
  dark: {
    background: [0.075, 0.09, 0.11], ground: [0.115, 0.135, 0.16], grid: [0.24, 0.28, 0.33], fixed: [0.4, 0.44, 0.49], edge: [0.02, 0.03, 0.04],
    chosen: [1.0, 0.86, 0.3], stick: [0.34, 0.71, 0.91], slide: [1.0, 0.54, 0.24], open: [0.6, 0.66, 0.72], trail: [0.72, 0.68, 0.95], link: [0.9, 0.9, 0.9], other: [0.95, 0.55, 0.78],
    shadow: 0.45, edges: 0.6,
    bodies: [[0.74, 0.66, 0.52], [0.52, 0.65, 0.57], [0.64, 0.58, 0.72], [0.74, 0.58, 0.58], [0.53, 0.61, 0.67], [0.67, 0.68, 0.48], [0.60, 0.55, 0.52]],
  },
};

// A profile of [radius, z] turned about the z axis, for arrows, cones and dots.
function turned(profile, sectors) {
  const corners = [], normals = [];
  for (let i = 0; i + 1 < profile.length; i++) {
    const [r0, z0] = profile[i], [r1, z1] = profile[i + 1];
    const slope = unit([z1 - z0, 0, r0 - r1]);
    for (let k = 0; k < sectors; k++) {
      const at = (j) => { const a = (2 * Math.PI * j) / sectors; return [Math.cos(a), Math.sin(a)]; };
      const [c0, s0] = at(k), [c1, s1] = at(k + 1);
      const p = [[r0 * c0, r0 * s0, z0], [r0 * c1, r0 * s1, z0], [r1 * c1, r1 * s1, z1], [r1 * c0, r1 * s0, z1]];
      const n = [[slope[0] * c0, slope[0] * s0, slope[2]], [slope[0] * c1, slope[0] * s1, slope[2]]];
      for (const [j, m] of [[0, 0], [1, 1], [2, 1], [0, 0], [2, 1], [3, 0]]) { corners.push(...p[j]); normals.push(...n[m]); }
    }
  }
  return [new Float32Array(corners), new Float32Array(normals)];
}

// Joints and springs have numbers from here on, contacts those between.
const LINKS = 1 << 23;

class Stage {
  constructor(run, renderer, camera) {
    Object.assign(this, { run, renderer, camera });
    this.theme = THEMES.light;
    this.show = { forces: true, cones: false, trails: false, scenery: true };
    this.chosen = { body: -1, row: -1, link: -1 };
    this.arrowScale = this.arrowHome = run.about.arrow;
    this.arrows = [];
    this.makeBodies();
    this.makeMarks();
    const planes = run.bodies.map((body, index) => ({ body, index })).filter(({ body }) => body.plane);
    this.planes = planes;
    this.colours();
  }

  // Shows another state of the run: one that goes on. Bodies are the same, contacts may be more.
  adopt(run) {
    this.run = run;
    if (this.mostContacts() > this.room) {
      for (const batch of [this.shafts, this.heads, this.cones, this.dots, this.pins]) this.renderer.drop(batch);
      this.makeMarks();
    }
  }

  mostContacts() {
    let most = 1;
    for (let f = 0; f < this.run.frames; f++) most = Math.max(most, this.run.first[f + 1] - this.run.first[f]);
    return most;
  }

  makeBodies() {
    const { run, renderer } = this;
    let corner = 0, edge = 0;
    const meshes = run.about.meshes.map((mesh) => {
      const slice = (array, from, count) => array.subarray(3 * from, 3 * (from + count));
      const item = { corners: slice(run.corners, corner, mesh.corners), normals: slice(run.normals, corner, mesh.corners), edges: slice(run.edges, edge, mesh.edges) };
      corner += mesh.corners;
      edge += mesh.edges;
      return item;
    });
    const members = run.bodies.flatMap((body, index) => (body.parts ?? []).map((part) => ({ index, part })));
    this.members = members;
    this.solids = renderer.batch(members.map(({ part }) => meshes[part.mesh]));
    // What does not change from one picture to the next.
    members.forEach(({ part }, k) => this.solids.data.set([...part.scale, meshes[part.mesh].edges.length ? 0 : 1], FLOATS * k + 8));
  }

  // Arrows, cones and dots for at most as many contacts as one step has.
  makeMarks() {
    const { run, renderer } = this;
    const most = this.mostContacts();
    // A run that goes on may soon have more.
    this.room = run.about.live ? 2 * most + 16 : most;
    // Very many arrows are drawn as lines.
    this.dense = most > 400;
    const none = new Float32Array(0), round = most > 60 ? 6 : 10;
    const mark = (profile, sectors, room = this.room) => {
      const [corners, normals] = turned(profile, sectors);
      return renderer.batch(new Array(room).fill({ corners, normals, edges: none }));
    };
    this.shafts = mark([[1, 0], [1, 1]], round);
    this.heads = mark([[0, 0], [1, 0], [0, 1]], round);
    this.cones = mark([[0, 0], [1, 1]], 2 * round);
    const disc = [-1, -0.7, 0, 0.7, 1].map((z) => [Math.sqrt(Math.max(0, 1 - z * z)), z]);
    this.dots = mark(disc, round);
    this.pins = mark(disc, round, Math.max(1, 2 * run.about.links.length));
  }

  // A body's own colour; else one for each family of names (box[0], box[1], ...), lighter and darker in turn.
  colours() {
    const families = new Map();
    this.tints = this.run.bodies.map((body, index) => {
      if (body.colour) return body.colour;
      if (body.mass === null) return this.theme.fixed;
      const family = body.name.replace(/\[.*$/, "");
      if (!families.has(family)) families.set(family, { colour: this.theme.bodies[families.size % this.theme.bodies.length], count: 0 });
      const entry = families.get(family);
      const tone = [1, 1.16, 0.88][entry.count++ % 3];
      return entry.colour.map((c) => Math.min(1, c * tone));
    });
  }

  setTheme(name) { this.theme = THEMES[name]; this.colours(); }

  // Where a body is, between two frames while playing slowly.
  pose(index, moment) {
    const { run } = this, { frame, part } = moment;
    const place = run.position(frame, index), turn = run.quaternion(frame, index);
    if (!part || frame + 1 >= run.frames) return { place, turn };
    const next = run.position(frame + 1, index);
    let q = run.quaternion(frame + 1, index);
    if (q[0] * turn[0] + q[1] * turn[1] + q[2] * turn[2] + q[3] * turn[3] < 0) q = q.map((x) => -x);
    const mixed = turn.map((x, k) => x + part * (q[k] - x)), l = Math.hypot(...mixed) || 1;
    return { place: place.map((x, k) => x + part * (next[k] - x)), turn: mixed.map((x) => x / l) };
  }

  fillBodies(moment) {
    const { run, solids } = this, { data } = solids, F = run.frames, N = run.n, still = !moment.part;
    let at = 0;
    for (const { index, part } of this.members) {
      const tint = this.tints[index];
      // What is not shown has no size.
      if (run.bodies[index].mass === null) data.set(this.show.scenery ? part.scale : [0, 0, 0], at + 8);
      const plain = part.turn[0] === 1 && part.at[0] === 0 && part.at[1] === 0 && part.at[2] === 0;
      if (still && plain) {
        // The common case without making arrays: 1,000 bodies 60 times a second.
        const i = moment.frame * N + index;
        for (let k = 0; k < 3; k++) data[at + k] = run.place[k * F * N + i];
        for (let k = 0; k < 4; k++) data[at + 4 + k] = run.turn[k * F * N + i];
      } else {
        const body = this.pose(index, moment);
        data.set(add(body.place, rotate(body.turn, part.at)), at);
        data.set(product(body.turn, part.turn), at + 4);
      }
      data[at + 3] = index;
      data[at + 12] = tint[0]; data[at + 13] = tint[1]; data[at + 14] = tint[2];
      at += FLOATS;
    }
    solids.count = this.members.length;
    this.renderer.upload(solids);
  }

  fillMarks(frame) {
    const { run, theme } = this, { from, to } = run.contacts(frame);
    const thin = Math.min(0.045 * run.about.size, 0.0035 * this.camera.distance), ball = 2 * thin;
    const batches = [this.shafts, this.heads, this.cones, this.dots];
    batches.forEach((batch) => { batch.count = 0; });
    this.arrows = [];
    this.arrowLines = [];
    const side = this.dense ? unit(cross(sub(this.camera.target, this.camera.eye()), [0, 0, 1])) : null;
    const put = (batch, place, turn, scale, colour, id) => {
      const at = FLOATS * batch.count++, { data } = batch;
      for (let k = 0; k < 3; k++) { data[at + k] = place[k]; data[at + 8 + k] = scale[k]; data[at + 12 + k] = colour[k]; }
      for (let k = 0; k < 4; k++) data[at + 4 + k] = turn[k];
      data[at + 3] = id;
    };
    const vector = (array, row) => [array[row], array[run.rows + row], array[2 * run.rows + row]];
    const all = this.show.forces || this.show.cones;
    for (let row = from; row < to; row++) {
      const chosen = row === this.chosen.row;
      if (!all && !chosen) continue;
      const mode = run.mode[row], colour = mode === 0 ? theme.open : mode === 1 ? theme.stick : theme.slide;
      const point = vector(run.point, row), id = run.n + row - from;
      if (!this.dense || chosen || mode === 0 || this.picking) put(this.dots, point, [1, 0, 0, 0], [ball, ball, ball].map((r) => (chosen ? 1.8 : mode === 0 ? 0.6 : 1) * r), chosen ? theme.chosen : colour, id);
      if (mode === 0) continue;
      const force = vector(run.force, row), span = times(force, this.arrowScale), l = length(span);
      if (this.dense && this.show.forces && !chosen) {
        const tip = add(point, span), back = add(point, times(span, 1 - Math.min(0.3, (3 * thin) / l))), wide = times(side, Math.min(thin, 0.2 * l)), [r, g, b] = colour;
        for (const [p, q] of [[point, tip], [tip, add(back, wide)], [tip, sub(back, wide)]]) this.arrowLines.push(p[0], p[1], p[2], r, g, b, 1, q[0], q[1], q[2], r, g, b, 1);
        this.arrows.push({ row, from: point, to: tip });
      } else if (this.show.forces || chosen) {
        const turn = fromZ(unit(span)), head = Math.min(5 * thin, 0.5 * l), wide = chosen ? 1.5 * thin : thin;
        put(this.shafts, point, turn, [wide, wide, Math.max(l - head, 1e-9)], colour, id);
        put(this.heads, add(point, times(unit(span), l - head)), turn, [2.4 * wide, 2.4 * wide, head], colour, id);
        this.arrows.push({ row, from: point, to: add(point, span) });
      }
      if (this.show.cones || chosen) {
        const normal = vector(run.normal, row), height = dot(span, normal), mu = run.mu[row];
        if (height > 0) put(this.cones, point, fromZ(normal), [mu * height, mu * height, height], colour, id);
      }
    }
    batches.forEach((batch) => this.renderer.upload(batch));
  }

  trails(frame) {
    const data = [], { run } = this;
    const bodies = this.show.trails ? run.bodies.map((_, k) => k).filter((k) => run.bodies[k].mass !== null).slice(0, 200) : this.chosen.body >= 0 && run.bodies[this.chosen.body].mass !== null ? [this.chosen.body] : [];
    const [r, g, b] = this.theme.trail, back = Math.min(frame, bodies.length > 20 ? 60 : 240);
    for (const body of bodies) {
      let from = run.position(frame - back, body);
      for (let f = frame - back + 1; f <= frame; f++) {
        const to = run.position(f, body), fade = (f - frame + back) / back;
        data.push(...from, r, g, b, 0.9 * fade, ...to, r, g, b, 0.9 * fade);
        from = to;
      }
    }
    return data;
  }

  // Joints as a pin with a line to each body's centre, springs as a zigzag between their ends.
  links(moment) {
    const data = [], [r, g, b] = this.theme.link, { pins, run } = this, thick = Math.min(0.09 * run.about.size, 0.007 * this.camera.distance);
    pins.count = 0;
    const pin = (place, number) => {
      const chosen = number === this.chosen.link, size = (chosen ? 1.6 : 1) * thick, colour = chosen ? this.theme.chosen : [r, g, b];
      pins.data.set([...place, LINKS + number, 1, 0, 0, 0, size, size, size, 0, ...colour, 0], FLOATS * pins.count);
      pins.count++;
    };
    for (const [number, link] of run.about.links.entries()) {
      const ends = link.bodies.map((body, k) => {
        if (body === null) return { centre: link.places[k], end: link.places[k] };
        const { place, turn } = this.pose(body, moment);
        return { centre: place, end: add(place, rotate(turn, link.places[k])) };
      });
      ends.slice(link.spring ? 0 : 1).forEach(({ end }) => pin(end, number));
      if (number === this.chosen.link) data.push(...this.linkArrow(moment.frame, number, ends[1].end));
      const line = (p, q) => data.push(...p, r, g, b, 0.9, ...q, r, g, b, 0.9);
      if (!link.spring) { ends.forEach(({ centre, end }) => line(centre, end)); continue; }
      const [a, z] = [ends[0].end, ends[1].end], along = sub(z, a), side = times(unit(cross(along, Math.abs(along[2]) > 0.9 * length(along) ? [1, 0, 0] : [0, 0, 1])), 0.06 * length(along));
      let from = a;
      for (let k = 1; k <= 16; k++) {
        const to = k === 16 ? z : add(add(a, times(along, k / 16)), times(side, k % 2 ? 1 : -1));
        line(from, to);
        from = to;
      }
    }
    this.renderer.upload(pins);
    return data;
  }

  // The force of the selected joint or spring on its second body.
  linkArrow(frame, link, foot) {
    const span = times(this.run.linkForce(frame, link), this.arrowScale), l = length(span), [r, g, b] = this.theme.chosen;
    if (!(l > 0)) return [];
    const tip = add(foot, span), side = unit(cross(span, sub(this.camera.target, this.camera.eye()))), head = Math.min(0.3 * l, 0.03 * this.camera.distance);
    const back = sub(tip, times(unit(span), head)), wide = times(side, 0.4 * head);
    return [[foot, tip], [tip, add(back, wide)], [tip, sub(back, wide)]].flatMap(([p, q]) => [...p, r, g, b, 1, ...q, r, g, b, 1]);
  }

  planeAt({ body, index }, moment) {
    const { place, turn } = this.pose(index, moment);
    const normal = unit(rotate(turn, body.plane.normal)), point = add(place, times(normal, body.plane.offset));
    const across = unit(cross(Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], normal)), along = cross(normal, across);
    const target = this.camera.target, centre = sub(target, times(normal, dot(normal, sub(target, point))));
    const from = sub(centre, point);
    return { normal, centre, across, along, origin: [dot(from, across), dot(from, along)], d: dot(normal, point) };
  }

  // The bodies of a second run at the same time, as if of glass, over what is drawn.
  drawGhost(moment, scene) {
    const { renderer } = this, { gl } = renderer;
    this.moment = moment;
    this.fillBodies(moment);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    renderer.solids({ ...scene, chosen: -1 }, [this.solids], { opacity: 0.35 });
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    renderer.edges(scene, this.solids, 0.8);
  }

  draw(moment) {
    const { renderer, camera, run } = this, canvas = renderer.canvas;
    renderer.resize();
    const view = camera.matrix(canvas.width / canvas.height);
    const scene = { view, eye: camera.eye(), light: LIGHT, theme: this.theme, chosen: this.chosen.row >= 0 ? -1 : this.chosen.body };
    Object.assign(this, { scene, moment });
    this.fillBodies(moment);
    this.fillMarks(moment.frame);
    renderer.begin(this.theme.background);
    const size = Math.max(14 * run.about.extent.radius, 3 * camera.distance);
    const cell = Math.pow(10, Math.round(Math.log10(camera.distance / 12)));
    this.cell = cell;
    const planes = this.planes.map((plane) => this.planeAt(plane, moment));
    // Seen from below, a plane hides nothing.
    planes.forEach((plane, k) => {
      if (dot(plane.normal, scene.eye) > plane.d) renderer.plane(scene, plane, size, cell, this.planes[k].index === this.chosen.body);
    });
    const floor = planes.find((plane) => dot(plane.normal, LIGHT) > 0.2 && dot(plane.normal, scene.eye) > plane.d);
    if (floor && run.n <= 400) {
      renderer.shadows(scene, this.solids, [...floor.normal, floor.d]);
    }
    const gl = renderer.gl;
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    renderer.solids(scene, [this.solids]);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    renderer.edges(scene, this.solids, this.theme.edges);
    renderer.drawLines(scene, this.trails(moment.frame));
    renderer.drawLines(scene, this.links(moment));
    renderer.drawLines(scene, this.arrowLines);
    // Arrows and dots shine through bodies, faintly: most contacts lie between two.
    renderer.solids(scene, [this.pins]);
    if (!this.dense) {
      gl.enable(gl.BLEND);
      gl.depthFunc(gl.GREATER);
      gl.depthMask(false);
      renderer.solids(scene, [this.shafts, this.heads, this.dots], { opacity: 0.55 });
      gl.depthFunc(gl.LEQUAL);
      gl.depthMask(true);
      gl.disable(gl.BLEND);
    }
    renderer.solids(scene, [this.shafts, this.heads, this.dots]);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    renderer.solids(scene, [this.cones], { opacity: 0.28 });
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // What is at a place of the window: a contact before the body behind it.
  pick(x, y) {
    // Dots that are not drawn can be clicked all the same.
    if (this.dense) { this.picking = true; this.fillMarks(this.moment.frame); this.picking = false; }
    const { canvas } = this.renderer, box = canvas.getBoundingClientRect();
    const px = ((x - box.left) / box.width) * canvas.width, py = ((y - box.top) / box.height) * canvas.height;
    const mark = this.renderer.pick(this.scene, [this.dots, this.shafts, this.heads, this.pins], px, py);
    if (mark >= LINKS) return { link: mark - LINKS };
    if (mark >= this.run.n) return { contact: mark - this.run.n };
    const body = this.renderer.pick(this.scene, [this.solids], px, py);
    return body >= 0 ? { body } : null;
  }

  // Where a point of the world is in the window.
  project(point) {
    const box = this.renderer.canvas.getBoundingClientRect(), [x, y, , w] = transform(this.scene.view, point);
    return { x: box.left + (0.5 + (0.5 * x) / w) * box.width, y: box.top + (0.5 - (0.5 * y) / w) * box.height };
  }
}

