// The run: arrays by name, and what the page knows about it.

const KINDS = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, u8: Uint8Array };

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// All first bytes, then all second bytes, ...: back to numbers.
function gather(planes, Kind, length) {
  const size = Kind.BYTES_PER_ELEMENT;
  if (size === 1) return planes;
  const bytes = new Uint8Array(size * length);
  for (let k = 0; k < size; k++) {
    const plane = planes.subarray(k * length, (k + 1) * length);
    for (let i = 0, at = k; i < length; i++, at += size) bytes[at] = plane[i];
  }
  return new Kind(bytes.buffer);
}

// The run inside the page, in the elements of these names.
async function readRun(aboutName = "about", dataName = "data") {
  if (typeof DecompressionStream === "undefined") throw new Error("This browser cannot unpack the run: it knows no DecompressionStream.");
  const about = JSON.parse(document.getElementById(aboutName).textContent);
  const text = document.getElementById(dataName), packed = text.textContent.trim();
  text.remove();
  return unpacked(about, packed);
}

async function unpacked(about, packed) {
  const all = bytesOf(packed);
  const arrays = {};
  let at = 0;
  for (const block of about.blocks) {
    const planes = await inflate(all.subarray(at, at + block.bytes));
    arrays[block.name] = gather(planes, KINDS[block.kind], block.length);
    at += block.bytes;
  }
  return new Run(about, arrays);
}

class Run {
  constructor(about, arrays) {
    Object.assign(this, arrays);
    this.about = about;
    this.bodies = about.bodies;
    this.frames = about.frames;
    this.n = about.bodies.length;
    this.rows = this.mode.length;
  }

  end() { return this.t[this.frames - 1]; }

  // The last frame at or before a time.
  frameAt(t) {
    let low = 0, high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= t) low = middle; else high = middle - 1;
    }
    return low;
  }

  component(array, k, frame, body) { return array[(k * this.frames + frame) * this.n + body]; }

  position(frame, body) { return [0, 1, 2].map((k) => this.component(this.place, k, frame, body)); }

  // Scalar first, as everywhere in stickslip.
  quaternion(frame, body) { return [0, 1, 2, 3].map((k) => this.component(this.turn, k, frame, body)); }

  // Velocity and angular velocity; null for the latter where the page has none.
  motion(frame, body) {
    if (this.twist) {
      const get = (k) => this.component(this.twist, k, frame, body);
      return { linear: [get(0), get(1), get(2)], angular: [get(3), get(4), get(5)] };
    }
    const before = Math.max(frame - 1, 0), after = frame === 0 ? Math.min(1, this.frames - 1) : frame;
    const h = this.t[after] - this.t[before] || 1;
    const a = this.position(before, body), b = this.position(after, body);
    return { linear: [0, 1, 2].map((k) => (b[k] - a[k]) / h), angular: null };
  }

  // Forces of joints and springs on their second bodies, N, and torques, N m.
  ofLink(array, frame, link) { const { links } = this.about; return [0, 1, 2].map((k) => array[(k * this.frames + frame) * links.length + link]); }
  linkForce(frame, link) { return this.ofLink(this.link_force, frame, link); }
  linkTorque(frame, link) { return this.ofLink(this.link_torque, frame, link); }

  // ½ m v² + ½ ω·Iω, J; the inertia turns with the body.
  kinetic(frame, body) {
    const { mass, inertia } = this.bodies[body], { linear, angular } = this.motion(frame, body);
    if (!angular || !inertia) return NaN;
    const [s, x, y, z] = this.quaternion(frame, body), w = rotate([s, -x, -y, -z], angular);
    const Iw = [0, 1, 2].map((i) => dot(inertia.slice(3 * i, 3 * i + 3), w));
    return 0.5 * (mass * dot(linear, linear) + dot(w, Iw));
  }

  // Force and torque about its origin that all contacts give a body, N and N m, and those of them that push.
  loadOn(frame, body) {
    const { from, to } = this.contacts(frame), origin = this.position(frame, body), contacts = [];
    let force = [0, 0, 0], torque = [0, 0, 0];
    for (let row = from; row < to; row++) {
      if (this.body_a[row] !== body && this.body_b[row] !== body) continue;
      const contact = this.contact(row), own = times(contact.force, contact.on === body ? 1 : -1);
      force = add(force, own);
      torque = add(torque, cross(sub(contact.point, origin), own));
      if (contact.moment) torque = add(torque, times(contact.moment, contact.on === body ? 1 : -1));
      if (contact.mode !== "open") contacts.push(contact);
    }
    return { force, torque, contacts };
  }

  // What all contacts of two bodies come to: sums of their normal forces and of the sizes of their friction forces, N, and the least gap, m
  // (infinite where there is no contact).
  ofPair(frame, [a, b]) {
    const { from, to } = this.contacts(frame);
    let normal = 0, friction = 0, gap = Infinity;
    for (let row = from; row < to; row++) {
      if (this.body_a[row] !== a || this.body_b[row] !== b) continue;
      const contact = this.contact(row), push = dot(contact.force, contact.normal);
      normal += push;
      friction += length(sub(contact.force, times(contact.normal, push)));
      gap = Math.min(gap, contact.gap);
    }
    return { normal, friction, gap };
  }

  // Rows of the contacts in the newest frame, at or before this one, that has its contacts on the page.
  contacts(frame) {
    const every = this.about.contacts_every;
    const shown = frame === this.frames - 1 ? frame : frame - (frame % every);
    return { from: this.first[shown], to: this.first[shown + 1] };
  }

  contact(row) {
    const vector = (array) => [0, 1, 2].map((k) => array[k * this.rows + row]);
    return {
      row, bodies: [this.body_a[row], this.body_b[row]], on: this.on[row], mode: ["open", "stick", "slide"][this.mode[row]],
      point: vector(this.point), normal: vector(this.normal), force: vector(this.force), gap: this.gap[row], mu: this.mu[row],
      moment: this.moment ? vector(this.moment) : null, // of torsional friction and rolling resistance, N m
    };
  }
}
