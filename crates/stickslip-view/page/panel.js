// The numbers of what is selected. Everything that comes from the run is put in as text, never as markup.

function element(tag, text, name) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (name) node.className = name;
  return node;
}

class Panel {
  // `plots` has what rows can be plotted; `other` is a second run to compare with.
  constructor(run, node, choose, plots, other = null) {
    Object.assign(this, { node, choose, plots, other });
    this.adopt(run);
  }

  adopt(run) {
    this.run = run;
    this.floors = floorsOf(run);
  }

  // Rows of [name, value, key, plot]: a row with a plot has a button that draws it.
  table(rows, thing) {
    const table = element("table");
    for (const [name, value, key, plot] of rows) {
      const row = element("tr"), cell = element("td"), box = spelled(value), head = element("th", name);
      if (key) box.dataset.value = key;
      cell.append(box);
      if (plot && thing) head.append(this.plotButton(thing, plot, name));
      row.append(head, cell);
      table.append(row);
    }
    return table;
  }

  plotButton(thing, key, name) {
    const button = element("button", "∿", "plot"), words = () => (this.plots.has(thing, key) ? `Do not plot ${name}` : `Plot ${name} over time`);
    const tell = () => { button.setAttribute("aria-pressed", String(this.plots.has(thing, key))); button.title = words(); button.setAttribute("aria-label", words()); };
    button.dataset.plot = key;
    button.addEventListener("click", () => { this.plots.toggle(thing, key); tell(); });
    tell();
    return button;
  }

  show(frame, chosen) {
    // What has the focus keeps it when the numbers change.
    const focused = document.activeElement?.dataset?.plot;
    const nodes = chosen.row >= 0 ? this.contact(frame, chosen.row) : chosen.lost ? this.lost() : chosen.link >= 0 ? this.link(frame, chosen.link) : chosen.body >= 0 ? this.body(frame, chosen.body) : this.step(frame);
    this.node.replaceChildren(...nodes);
    if (focused) this.node.querySelector(`[data-plot="${focused}"]`)?.focus();
  }

  lost() { return [element("h2", "Contact"), element("p", "The selected contact is not part of this step.")]; }

  step(frame) {
    const { run, floors } = this, { about } = run;
    const rows = [
      ["step", String(run.step[frame]), "step"], ["time", `${digits(run.t[frame])} s`, "t"], ["energy", `${digits(run.energy[frame], floors.energy)} J`, "energy"],
      ["penetration", `${digits(run.penetration[frame], 1e-3 * floors.place)} m`, "penetration"], ["worst residual", `${roughly(run.residual[frame])} m/s`, "residual"],
      ["bound", `${roughly(run.bound[frame])} m/s`, "bound"], ["contacts", `${run.active[frame]} active of ${run.candidates[frame]}`, "contacts"],
    ];
    const fixed = [["scene", about.scene], ["h", `${about.h} s`], ["tolerance", `${about.tolerance} m/s`], ["cone", about.cone], ["method", about.method], ["solver", about.solver], ["bodies", String(run.n)]];
    const nodes = [element("h2", "Step"), this.table(rows), element("h2", "Run"), this.table(fixed)];
    for (const note of about.notes) nodes.push(element("p", `Note: ${note}.`));
    nodes.push(element("p", "Certified is not accurate: every step obeys the law as it states it. How near steps of this length are to the true motion is told by stickslip converge."));
    nodes.push(element("p", "Click a body, a contact or a joint, or press B, C or J. ∿ plots a number over time. Press ? for all keys."));
    return nodes;
  }

  body(frame, index) {
    const { run, floors } = this, body = run.bodies[index], { linear, angular } = run.motion(frame, index), load = run.loadOn(frame, index), thing = { body: index };
    const rows = [
      ["mass", body.mass === null ? "motion is prescribed" : `${digits(body.mass)} kg`, "mass"],
      ["position, m", list(run.position(frame, index), floors.place), "position", "position"], ["quaternion", list(run.quaternion(frame, index), 1e-7), "quaternion"],
      ["velocity, m/s", list(linear, floors.velocity), "velocity", "velocity"], ["speed, m/s", digits(length(linear), floors.velocity), "speed", "speed"],
      ["spin, rad/s", angular ? list(angular, floors.spin) : "not on this page", "spin", angular && "spin"],
      ["contact force, N", list(load.force, floors.force), "total", "total"], ["contact torque, N m", list(load.torque, floors.torque), "torque", "torque"],
    ];
    if (body.mass !== null && angular) rows.push(["kinetic energy, J", digits(run.kinetic(frame, index), floors.energy), "kinetic", "kinetic"]);
    if (this.other) rows.push(...this.apart(frame, index));
    const { contacts } = load, nodes = [element("h2", body.name), this.table(rows, thing), element("h2", contacts.length ? `${contacts.length} contact${contacts.length > 1 ? "s" : ""} with force` : "No contact with force")];
    for (const contact of contacts.slice(0, 50)) {
      const other = contact.bodies[0] === index ? contact.bodies[1] : contact.bodies[0];
      nodes.push(this.button(`contact ${contact.mode}`, run.bodies[other].name, `${digits(length(contact.force))} N`, { row: contact.row }));
    }
    if (contacts.length > 50) nodes.push(element("p", `… and ${contacts.length - 50} more`));
    const links = run.about.links.map((link, l) => ({ link, l })).filter(({ link }) => link.bodies.includes(index));
    if (links.length) nodes.push(element("h2", "Joints and springs"));
    for (const { link, l } of links.slice(0, 50)) nodes.push(this.button("contact link", link.name, `${digits(length(run.linkForce(frame, l)), floors.force)} N`, { link: l }));
    return nodes;
  }

  // How far the same body of the second run is, at this time.
  apart(frame, index) {
    const { run, other, floors } = this, same = other.bodies.findIndex((b) => b.name === run.bodies[index].name);
    if (same < 0) return [["second run", "has no such body", "apart"]];
    const there = other.frameAt(run.t[frame] + 1e-9), between = sub(other.position(there, same), run.position(frame, index));
    return [["second run, m away", digits(length(between), floors.place), "apart"]];
  }

  button(look, name, value, what) {
    const button = element("button", undefined, look);
    button.append(element("span", cut(name)), element("span", value));
    button.addEventListener("click", () => this.choose(what));
    return button;
  }

  // A joint or spring, with what it does to its second body.
  link(frame, index) {
    const { run, floors } = this, link = run.about.links[index], name = (body) => (body === null ? "world" : run.bodies[body].name);
    const force = run.linkForce(frame, index), torque = run.linkTorque(frame, index);
    const rows = [
      ["between", name(link.bodies[0])], ["and", name(link.bodies[1])], ["force on", name(link.bodies[1]), "on"],
      ["force, N", list(force, floors.force), "force", "force"], ["|force|, N", digits(length(force), floors.force), "size"],
      ["torque, N m", list(torque, floors.torque), "torque", "torque"], ["|torque|, N m", digits(length(torque), floors.torque), "torque-size"],
    ];
    const head = element("h2", link.name);
    head.append(element("span", link.spring ? "spring" : "joint", "mode"));
    const nodes = [head, this.table(rows, { link: index })];
    for (const body of link.bodies) if (body !== null) nodes.push(this.button("contact", run.bodies[body].name, "body", { body }));
    return nodes;
  }

  contact(frame, row) {
    const { run, floors } = this, contact = run.contact(row), [a, b] = contact.bodies.map((k) => run.bodies[k].name);
    const normal = dot(contact.force, contact.normal), across = sub(contact.force, times(contact.normal, normal)), friction = length(across);
    const head = element("h2", "Contact", contact.mode);
    head.append(element("span", contact.mode, "mode"));
    const ratio = normal > 0 && contact.mu > 0 ? digits(friction / (contact.mu * normal), 1e-6) : "–";
    const rows = [
      ["between", a], ["and", b], ["force on", run.bodies[contact.on].name, "on"], ["force, N", list(contact.force, floors.force), "force"], ["|force|, N", digits(length(contact.force), floors.force), "size"],
      ["normal, N", digits(normal, floors.force), "normal-force"], ["friction, N", digits(friction, floors.force), "friction-force"], ["μ", digits(contact.mu), "mu"],
      ["friction / μ normal", ratio, "ratio"], ["gap, m", digits(contact.gap, floors.place), "gap"],
      ["point, m", list(contact.point, floors.place), "point"], ["normal vector", list(contact.normal, 1e-7), "normal"],
    ];
    if (contact.moment) {
      const spin = dot(contact.moment, contact.normal), rolling = length(sub(contact.moment, times(contact.normal, spin)));
      rows.push(["moment, N m", list(contact.moment, floors.torque), "moment"], ["torsion, N m", digits(spin, floors.torque), "torsion"], ["rolling, N m", digits(rolling, floors.torque), "rolling"]);
    }
    const sums = run.ofPair(frame, contact.bodies);
    const pair = [["normal, friction, N", list([sums.normal, sums.friction], floors.force), "pair-force", "force"], ["least gap, m", digits(sums.gap, floors.place), "pair-gap", "gap"]];
    return [head, this.table(rows), element("h2", "All contacts of the two"), this.table(pair, { pair: contact.bodies })];
  }
}
