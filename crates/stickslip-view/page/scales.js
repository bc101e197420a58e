// How large things are: an arrow of so many newtons, a cell of the grid, the axes. Drawn over the view as SVG.

class Scales {
  constructor(node, run, stage, camera) { Object.assign(this, { node, run, stage, camera }); }

  draw() {
    const { camera, stage } = this, tall = camera.canvas.clientHeight, wide = camera.canvas.clientWidth;
    // Pixels of a metre at the distance of what is looked at.
    const angle = wide >= tall ? ANGLE : 2 * Math.atan((Math.tan(ANGLE / 2) * tall) / Math.max(1, wide));
    const metre = tall / (2 * Math.tan(angle / 2) * camera.distance);
    const unit = Number.parseFloat(getComputedStyle(this.node).fontSize);
    const bar = (per, name) => {
      const most = (7 * unit) / per;
      if (!(most > 0) || !Number.isFinite(most)) return "";
      const value = roundBelow(most);
      return { value, pixels: value * per, words: `${short(value)} ${name}` };
    };
    const force = stage.show.forces ? bar(metre * stage.arrowScale, "N") : "", cell = stage.cell;
    const key = `${force && force.words} ${force && force.pixels.toFixed(1)} ${cell} ${camera.azimuth.toFixed(3)} ${camera.elevation.toFixed(3)} ${unit}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.node.replaceChildren(this.axes(unit), this.words(force, cell, unit));
  }

  svg(tag, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // x, y and z as the eye sees their directions.
  axes(unit) {
    const size = 5.2 * unit, { azimuth, elevation } = this.camera, picture = this.svg("svg", { width: size, height: size, viewBox: "-1.3 -1.3 2.6 2.6", class: "axes" });
    const right = [-Math.sin(azimuth), Math.cos(azimuth), 0], up = [-Math.sin(elevation) * Math.cos(azimuth), -Math.sin(elevation) * Math.sin(azimuth), Math.cos(elevation)];
    XYZ.forEach((name, k) => {
      const x = right[k], y = -up[k], far = Math.hypot(x, y), out = far > 0.15 ? 1 + 0.2 / far : 1.25;
      picture.append(this.svg("line", { x1: 0, y1: 0, x2: x, y2: y, class: name, "stroke-width": 0.07, "stroke-linecap": "round" }));
      picture.append(this.svg("text", { x: x * out, y: y * out, class: name, "font-size": 0.42, "text-anchor": "middle", "dominant-baseline": "central" }, name));
    });
    return picture;
  }

  words(force, cell, unit) {
    const box = element("div", undefined, "measures");
    if (force) {
      const picture = this.svg("svg", { width: force.pixels + 0.2 * unit, height: 0.7 * unit, class: "arrow" }), y = 0.35 * unit, end = force.pixels, head = Math.min(0.6 * unit, 0.5 * end);
      picture.append(this.svg("line", { x1: 0, y1: y, x2: end - head, y2: y, "stroke-width": 0.12 * unit }), this.svg("path", { d: `M${end} ${y} l${-head} ${-0.3 * unit} v${0.6 * unit} z` }));
      const row = element("div");
      row.append(picture, element("span", force.words));
      row.dataset.newtons = String(force.value);
      box.append(row);
    }
    if (this.stage.planes.length) box.append(element("div", `grid ${short(cell)} m`));
    return box;
  }
}
