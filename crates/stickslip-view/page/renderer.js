// A thin layer over WebGL 2: programs, many meshes drawn at once, lines, planes, and picking.
//
// Bodies are not drawn as instances of a mesh, which costs software renderers a draw each: every copy has its own
// corners, once and for all, and its pose, size and colour in a slot of a texture that is written for each picture.

const FLOATS = 16; // of a slot: place 3, number, turn 4, scale 3, pattern, colour 3, nothing
const ACROSS = 256; // slots in a row of the texture

// Corners with the same place and normal as one, and which of them each triangle has.
function shared(allCorners, allNormals) {
  const known = new Map(), corners = [], normals = [], index = new Uint32Array(allCorners.length / 3);
  for (let i = 0; i < index.length; i++) {
    const p = allCorners.subarray(3 * i, 3 * i + 3), n = allNormals.subarray(3 * i, 3 * i + 3);
    const round = (v) => Math.round(v * 1e6);
    const key = `${round(p[0])} ${round(p[1])} ${round(p[2])} ${round(n[0])} ${round(n[1])} ${round(n[2])}`;
    if (!known.has(key)) { known.set(key, corners.length / 3); corners.push(...p); normals.push(...n); }
    index[i] = known.get(key);
  }
  return { corners: new Float32Array(corners), normals: new Float32Array(normals), index };
}

class Renderer {
  constructor(canvas, antialias) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { alpha: false, antialias, stencil: true });
    if (!gl) throw new Error("This browser shows no WebGL 2, which the 3D view needs.");
    this.gl = gl;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.flat = this.program(PLANE_VERTEX, PLANE_FRAGMENT);
    this.lines = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.square = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.lineBuffer = gl.createBuffer();
    this.quality = 1;
    this.target = null;
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const names = { program, at: {}, of: {} };
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_ATTRIBUTES); i++) {
      const { name } = gl.getActiveAttrib(program, i);
      names.at[name] = gl.getAttribLocation(program, name);
    }
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      names.of[name] = gl.getUniformLocation(program, name);
    }
    return names;
  }

  buffer(data, usage) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, usage ?? gl.STATIC_DRAW);
    return buffer;
  }

  // Copies of meshes { corners, normals, edges }, the first so many of which are drawn at once.
  batch(items) {
    const gl = this.gl, known = new Map(), corners = [], slots = [], normals = [], index = [], ends = [0], edges = [], edgeSlots = [], edgeEnds = [0];
    items.forEach((item, slot) => {
      if (!known.has(item)) known.set(item, shared(item.corners, item.normals));
      const mesh = known.get(item), first = slots.length;
      for (const v of mesh.corners) corners.push(v);
      for (const v of mesh.normals) normals.push(v);
      for (let k = 0; k < mesh.corners.length / 3; k++) slots.push(slot);
      for (const k of mesh.index) index.push(first + k);
      ends.push(index.length);
      for (const v of item.edges) edges.push(v);
      for (let k = 0; k < item.edges.length / 3; k++) edgeSlots.push(slot);
      edgeEnds.push(edgeSlots.length);
    });
    const rows = Math.max(1, Math.ceil(items.length / ACROSS)), texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 4 * ACROSS, rows);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    const buffers = [];
    const layout = (lists) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      for (const [name, list, size] of lists) {
        const at = this.solid.at[name];
        buffers.push(this.buffer(new Float32Array(list)));
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
      }
      return array;
    };
    const edge = layout([["corner", edges, 3], ["normal", edges, 3], ["slot", edgeSlots, 1]]);
    const solid = layout([["corner", corners, 3], ["normal", normals, 3], ["slot", slots, 1]]);
    const elements = gl.createBuffer();
    buffers.push(elements);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(index), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { count: 0, data: new Float32Array(FLOATS * ACROSS * rows), texture, solid, edge, ends, edgeEnds, buffers };
  }

  // Gives back what a batch holds.
  drop(batch) {
    const { gl } = this;
    gl.deleteTexture(batch.texture);
    gl.deleteVertexArray(batch.solid);
    gl.deleteVertexArray(batch.edge);
    batch.buffers.forEach((buffer) => gl.deleteBuffer(buffer));
  }

  upload(batch) {
    if (!batch.count) return;
    const gl = this.gl, rows = Math.ceil(batch.count / ACROSS);
    gl.bindTexture(gl.TEXTURE_2D, batch.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 4 * ACROSS, rows, gl.RGBA, gl.FLOAT, batch.data.subarray(0, FLOATS * ACROSS * rows));
  }

  drawSolid(batch) {
    const gl = this.gl;
    if (!batch.count) return;
    gl.bindTexture(gl.TEXTURE_2D, batch.texture);
    gl.bindVertexArray(batch.solid);
    gl.drawElements(gl.TRIANGLES, batch.ends[batch.count], gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
  }

  // Fits the drawing buffer to the window.
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * this.quality;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
  }

  begin(background) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(background[0], background[1], background[2], 1);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.disable(gl.STENCIL_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  useSolid(scene, { kind = 0, opacity = 1, shadow = null } = {}) {
    const gl = this.gl, of = this.solid.of;
    gl.useProgram(this.solid.program);
    gl.uniformMatrix4fv(of.view, false, scene.view);
    gl.uniform3fv(of.eye, scene.eye);
    gl.uniform3fv(of.light, scene.light);
    gl.uniform3fv(of.chosen_colour, scene.theme.chosen);
    gl.uniform3fv(of.plain, scene.theme.edge);
    gl.uniform1f(of.chosen, scene.chosen);
    gl.uniform1f(of.opacity, opacity);
    gl.uniform1i(of.kind, kind);
    gl.uniform1i(of.shadow, shadow ? 1 : 0);
    gl.uniform4fv(of.plane, shadow ?? [0, 0, 1, 0]);
  }

  solids(scene, batches, options = {}) {
    this.useSolid(scene, options);
    batches.forEach((batch) => this.drawSolid(batch));
  }

  edges(scene, batch, opacity) {
    const gl = this.gl, count = batch.edgeEnds[batch.count];
    if (!count) return;
    this.useSolid(scene, { kind: 2, opacity });
    gl.enable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, batch.texture);
    gl.bindVertexArray(batch.edge);
    gl.drawArrays(gl.LINES, 0, count);
    gl.bindVertexArray(null);
    gl.disable(gl.BLEND);
  }

  // A shadow is as dark where two overlap as where there is one: the stencil lets each pixel be drawn once.
  shadows(scene, batch, plane) {
    const gl = this.gl;
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-2, -2);
    this.useSolid(scene, { kind: 2, opacity: scene.theme.shadow, shadow: plane });
    this.drawSolid(batch);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
  }

  plane(scene, { normal, centre, origin, across, along }, size, cell, chosen) {
    const gl = this.gl, of = this.flat.of;
    gl.useProgram(this.flat.program);
    gl.uniformMatrix4fv(of.view, false, scene.view);
    gl.uniform3fv(of.centre, centre);
    gl.uniform3fv(of.across, across);
    gl.uniform3fv(of.along, along);
    gl.uniform2fv(of.origin, origin);
    gl.uniform3fv(of.target, centre);
    gl.uniform3fv(of.colour, scene.theme.ground);
    gl.uniform3fv(of.line, scene.theme.grid);
    gl.uniform1f(of.size, size);
    gl.uniform1f(of.reach, size);
    gl.uniform1f(of.cell, cell);
    gl.uniform1f(of.chosen, chosen ? 1 : 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.square);
    gl.enableVertexAttribArray(this.flat.at.corner);
    gl.vertexAttribPointer(this.flat.at.corner, 2, gl.FLOAT, false, 0, 0);
    gl.enable(gl.BLEND);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.BLEND);
    gl.disableVertexAttribArray(this.flat.at.corner);
  }

  // Pairs of points with colours: x y z r g b a for each.
  drawLines(scene, data) {
    if (!data.length) return;
    const gl = this.gl, at = this.lines.at;
    gl.useProgram(this.lines.program);
    gl.uniformMatrix4fv(this.lines.of.view, false, scene.view);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(at.corner);
    gl.vertexAttribPointer(at.corner, 3, gl.FLOAT, false, 28, 0);
    gl.enableVertexAttribArray(at.tint);
    gl.vertexAttribPointer(at.tint, 4, gl.FLOAT, false, 28, 12);
    gl.enable(gl.BLEND);
    gl.drawArrays(gl.LINES, 0, data.length / 7);
    gl.disable(gl.BLEND);
    gl.disableVertexAttribArray(at.corner);
    gl.disableVertexAttribArray(at.tint);
  }

  // Which instance is at this place of the canvas (in its own pixels); -1 for none.
  pick(scene, batches, x, y) {
    const gl = this.gl, { width, height } = this.canvas;
    if (!this.target || this.target.width !== width || this.target.height !== height) {
      if (this.target) { gl.deleteTexture(this.target.colour); gl.deleteRenderbuffer(this.target.depth); gl.deleteFramebuffer(this.target.frame); }
      const colour = gl.createTexture(), depth = gl.createRenderbuffer(), frame = gl.createFramebuffer();
      gl.bindTexture(gl.TEXTURE_2D, colour);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, colour, 0);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
      this.target = { colour, depth, frame, width, height };
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.solids(scene, batches, { kind: 3 });
    const pixel = new Uint8Array(4);
    gl.readPixels(Math.round(x), Math.round(height - 1 - y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }
}
