// The numbers of what is selected. Everything that comes from the run is put in as text, never as markup.

function element(tag, text, name) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (name) node.className = name;
  return node;
}

// Seven digits: the page's numbers have a little more.
function digits(v) {
  if (!Number.isFinite(v)) return String(v);
  if (v === 0) return "0";
  const size = Math.abs(v);
  return size >= 1e-4 && size < 1e7 ? String(Number(v.toPrecision(7))) : v.toExponential(6).replace(/\.?0+e/, "e");
}

const list = (vector) => vector.map(digits).join(", ");
const cut = (name) => (name.length > 60 ? `${name.slice(0, 58)}…` : name);

class Panel {
  constructor(run, node, choose) { Object.assign(this, { run, node, choose }); }

  table(rows) {
    const table = element("table");
    for (const [name, value, key] of rows) {
      const row = element("tr"), cell = element("td"), box = element("div", value);
      if (key) box.dataset.value = key;
      cell.append(box);
      row.append(element("th", name), cell);
      table.append(row);
    }
    return table;
  }

  show(frame, chosen) {
    this.node.replaceChildren(...(chosen.row >= 0 ? this.contact(chosen.row) : chosen.lost ? this.lost() : chosen.body >= 0 ? this.body(frame, chosen.body) : this.step(frame)));
  }

  lost() { return [element("h2", "Contact"), element("p", "The selected contact is not part of this step.")]; }

  step(frame) {
    const { run } = this, { about } = run;
    const rows = [
      ["step", String(run.step[frame]), "step"], ["time", `${digits(run.t[frame])} s`, "t"], ["energy", `${digits(run.energy[frame])} J`, "energy"],
      ["penetration", `${digits(run.penetration[frame])} m`, "penetration"], ["worst residual", `${digits(run.residual[frame])} m/s`, "residual"],
      ["bound", `${digits(run.bound[frame])} m/s`, "bound"], ["contacts", `${run.active[frame]} active of ${run.candidates[frame]}`, "contacts"],
    ];
    const fixed = [["scene", about.scene], ["h", `${about.h} s`], ["tolerance", `${about.tolerance} m/s`], ["cone", about.cone], ["method", about.method], ["solver", about.solver], ["bodies", String(run.n)]];
    const nodes = [element("h2", "Step"), this.table(rows), element("h2", "Run"), this.table(fixed)];
    for (const note of about.notes) nodes.push(element("p", `Note: ${note}.`));
    nodes.push(element("p", "Click a body or a contact, or press B or C. Press ? for all keys."));
    return nodes;
  }

  body(frame, index) {
    const { run } = this, body = run.bodies[index], { linear, angular } = run.motion(frame, index);
    const { from, to } = run.contacts(frame);
    let total = [0, 0, 0];
    const contacts = [];
    for (let row = from; row < to; row++) {
      const contact = run.contact(row);
      if (!contact.bodies.includes(index)) continue;
      total = add(total, times(contact.force, contact.on === index ? 1 : -1));
      if (contact.mode !== "open") contacts.push(contact);
    }
    const rows = [
      ["mass", body.mass === null ? "motion is prescribed" : `${digits(body.mass)} kg`, "mass"],
      ["position, m", list(run.position(frame, index)), "position"], ["quaternion", list(run.quaternion(frame, index)), "quaternion"],
      ["velocity, m/s", list(linear), "velocity"], ["speed, m/s", digits(length(linear)), "speed"],
      ["spin, rad/s", angular ? list(angular) : "not on this page", "spin"], ["contact force, N", list(total), "total"],
    ];
    const nodes = [element("h2", body.name), this.table(rows), element("h2", contacts.length ? `${contacts.length} contact${contacts.length > 1 ? "s" : ""} with force` : "No contact with force")];
    for (const contact of contacts.slice(0, 50)) {
      const other = contact.bodies[0] === index ? contact.bodies[1] : contact.bodies[0];
      const button = element("button", undefined, `contact ${contact.mode}`);
      button.append(element("span", cut(run.bodies[other].name)), element("span", `${digits(length(contact.force))} N`));
      button.addEventListener("click", () => this.choose({ row: contact.row }));
      nodes.push(button);
    }
    this.links(frame, index, nodes);
    if (contacts.length > 50) nodes.push(element("p", `… and ${contacts.length - 50} more`));
    return nodes;
  }

  // Joints and springs of a body, with the force on it.
  links(frame, index, nodes) {
    const { run } = this, { links } = run.about, rows = [];
    links.forEach((link, l) => {
      if (!link.bodies.includes(index)) return;
      const sign = link.bodies[1] === index ? 1 : -1;
      const force = [0, 1, 2].map((k) => sign * run.link_force[(k * run.frames + frame) * links.length + l]);
      rows.push([cut(link.name), list(force), `link-${l}`]);
    });
    if (rows.length) nodes.push(element("h2", "Joints and springs, force on this body, N"), this.table(rows));
  }

  contact(row) {
    const { run } = this, contact = run.contact(row), [a, b] = contact.bodies.map((k) => run.bodies[k].name);
    const normal = dot(contact.force, contact.normal), across = sub(contact.force, times(contact.normal, normal)), friction = length(across);
    const head = element("h2", "Contact", contact.mode);
    head.append(element("span", contact.mode, "mode"));
    const rows = [
      ["between", a], ["and", b], ["force on", run.bodies[contact.on].name, "on"], ["force, N", list(contact.force), "force"], ["|force|, N", digits(length(contact.force)), "size"],
      ["normal, N", digits(normal), "normal-force"], ["friction, N", digits(friction), "friction-force"], ["μ", digits(contact.mu), "mu"],
      ["friction / μ normal", normal > 0 && contact.mu > 0 ? digits(friction / (contact.mu * normal)) : "–", "ratio"], ["gap, m", digits(contact.gap), "gap"],
      ["point, m", list(contact.point), "point"], ["normal vector", list(contact.normal), "normal"],
    ];
    return [head, this.table(rows)];
  }
}
