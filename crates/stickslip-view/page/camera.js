// The camera turns about a point; z is up.

const ANGLE = 0.7;

class Camera {
  constructor(extent, canvas) { Object.assign(this, { home: extent, canvas }); this.reset(); }

  // As near as can be with everything that ever moves in sight.
  reset() {
    const { low, high, radius } = this.home;
    this.target = [0, 1, 2].map((k) => 0.5 * (low[k] + high[k]));
    this.azimuth = -1.05;
    this.elevation = 0.26;
    this.distance = (4 * radius) / Math.sin(ANGLE / 2);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i])));
    const seen = () => {
      const view = this.matrix(this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
      return corners.every((corner) => { const [x, y, , w] = transform(view, corner); return Math.abs(x) < 0.92 * w && Math.abs(y) < 0.86 * w; });
    };
    while (this.distance > 1.2 * radius && seen()) this.distance *= 0.97;
    this.distance *= 1.03;
    this.start = this.pose();
  }

  pose() { return [...this.target, this.azimuth, this.elevation, this.distance]; }

  // Has nobody moved it? Then it may look anew where the window gets its size, or another one.
  untouched() { return this.pose().every((v, k) => v === this.start[k]); }

  eye() {
    const c = Math.cos(this.elevation);
    return add(this.target, times([c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)], this.distance));
  }

  matrix(aspect) {
    // A window taller than wide sees as much to the sides as a square one.
    const angle = aspect >= 1 ? ANGLE : 2 * Math.atan(Math.tan(ANGLE / 2) / aspect);
    const far = this.distance + 60 * this.home.radius, near = Math.max(this.distance * 0.02, far * 1e-4);
    return multiply(perspective(angle, aspect, near, far), lookAt(this.eye(), this.target, [0, 0, 1]));
  }

  turn(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.min(1.5, Math.max(-1.5, this.elevation + dy));
  }

  zoom(factor) { this.distance = Math.min(1e3 * this.home.radius, Math.max(1e-2 * this.home.radius, this.distance * factor)); }

  // dx, dy in parts of the window's height.
  move(dx, dy) {
    const forward = unit(sub(this.target, this.eye())), right = unit(cross(forward, [0, 0, 1])), up = cross(right, forward);
    const reach = 2 * this.distance * Math.tan(ANGLE / 2);
    this.target = add(this.target, add(times(right, -dx * reach), times(up, dy * reach)));
  }
}
