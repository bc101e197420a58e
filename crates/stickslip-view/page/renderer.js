// A thin layer over WebGL 2: programs, meshes drawn many times at once, lines, planes, and picking.

const INSTANCE = [["place", 3], ["turn", 4], ["scale", 3], ["colour", 3], ["id", 1]];
const FLOATS = 14;

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

  // A mesh that can be drawn up to `room` times at once.
  batch(corners, normals, edges, room) {
    const gl = this.gl;
    const batch = { room, count: 0, data: new Float32Array(FLOATS * room), triangles: corners.length / 3, lines: edges.length / 3, round: edges.length === 0 };
    batch.instances = this.buffer(batch.data, gl.DYNAMIC_DRAW);
    const cornerBuffer = this.buffer(corners), normalBuffer = this.buffer(normals);
    const edgeBuffer = edges.length ? this.buffer(edges) : null;
    const layout = (positions, normal) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const attribute = (name, buffer, size) => {
        const at = this.solid.at[name];
        if (at === undefined || at < 0) return;
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
      };
      attribute("corner", positions, 3);
      attribute("normal", normal, 3);
      gl.bindBuffer(gl.ARRAY_BUFFER, batch.instances);
      let offset = 0;
      for (const [name, size] of INSTANCE) {
        const at = this.solid.at[name];
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, size, gl.FLOAT, false, 4 * FLOATS, 4 * offset);
        gl.vertexAttribDivisor(at, 1);
        offset += size;
      }
      gl.bindVertexArray(null);
      return array;
    };
    batch.solid = layout(cornerBuffer, normalBuffer);
    if (edgeBuffer) batch.edge = layout(edgeBuffer, edgeBuffer);
    return batch;
  }

  upload(batch) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, batch.instances);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, batch.data.subarray(0, FLOATS * batch.count));
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

  // Draws batches as surfaces; a batch of balls gets the pattern that shows how it turns.
  solids(scene, batches, options = {}) {
    const gl = this.gl;
    this.useSolid(scene, options);
    for (const batch of batches) {
      if (!batch.count) continue;
      if (options.kind === undefined) gl.uniform1i(this.solid.of.kind, batch.round && batch.pattern !== false ? 1 : 0);
      gl.bindVertexArray(batch.solid);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, batch.triangles, batch.count);
    }
    gl.bindVertexArray(null);
  }

  edges(scene, batches, opacity) {
    const gl = this.gl;
    this.useSolid(scene, { kind: 2, opacity });
    gl.enable(gl.BLEND);
    for (const batch of batches) {
      if (!batch.count || !batch.edge) continue;
      gl.bindVertexArray(batch.edge);
      gl.drawArraysInstanced(gl.LINES, 0, batch.lines, batch.count);
    }
    gl.bindVertexArray(null);
    gl.disable(gl.BLEND);
  }

  // A shadow is as dark where two overlap as where there is one: the stencil lets each pixel be drawn once.
  shadows(scene, batches, plane) {
    const gl = this.gl;
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-2, -2);
    this.useSolid(scene, { kind: 2, opacity: scene.theme.shadow, shadow: plane });
    for (const batch of batches) {
      if (!batch.count || batch.pattern === false) continue;
      gl.bindVertexArray(batch.solid);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, batch.triangles, batch.count);
    }
    gl.bindVertexArray(null);
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
