// What runs on the graphics processor.

const SOLID_VERTEX = `#version 300 es
in vec3 corner, normal;
in float slot;
uniform highp sampler2D table; // four texels a slot: place and number, turn (scalar first), scale and pattern, colour
uniform mat4 view;
uniform vec4 plane; // shadows fall on plane.xyz·x = plane.w
uniform vec3 light;
uniform bool shadow;
out vec3 v_world, v_normal, v_local, v_colour;
flat out float v_id, v_pattern;
vec4 turn;
vec3 rotate(vec3 v) { return v + 2.0 * cross(turn.yzw, cross(turn.yzw, v) + turn.x * v); }
void main() {
  int first = 4 * int(slot);
  ivec2 at = ivec2(first % 1024, first / 1024);
  vec4 place = texelFetch(table, at, 0), scale = texelFetch(table, at + ivec2(2, 0), 0);
  turn = texelFetch(table, at + ivec2(1, 0), 0);
  vec3 world = place.xyz + rotate(corner * scale.xyz);
  if (shadow) world -= light * (dot(plane.xyz, world) - plane.w) / dot(plane.xyz, light);
  v_world = world;
  v_normal = rotate(normal / max(scale.xyz, vec3(1e-9)));
  v_local = corner;
  v_colour = texelFetch(table, at + ivec2(3, 0), 0).xyz;
  v_id = place.w;
  v_pattern = scale.w;
  gl_Position = view * vec4(world, 1.0);
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_world, v_normal, v_local, v_colour;
flat in float v_id, v_pattern;
uniform vec3 eye, light, chosen_colour, plain;
uniform float chosen, opacity;
uniform int kind; // 0 lit, 2 plain, 3 number of the body or contact
out vec4 pixel;
void main() {
  if (kind == 3) {
    float id = v_id + 1.0;
    pixel = vec4(mod(id, 256.0), mod(floor(id / 256.0), 256.0), floor(id / 65536.0), 255.0) / 255.0;
    return;
  }
  vec3 colour = v_colour;
  if (kind == 2) { pixel = vec4(plain, opacity); return; }
  if (v_pattern > 0.5) { // shows how a ball turns
    float octant = v_local.x * v_local.y * v_local.z;
    float soft = fwidth(octant) + 1e-6;
    colour *= mix(0.72, 1.0, smoothstep(-soft, soft, octant));
  }
  vec3 n = normalize(v_normal), to_eye = normalize(eye - v_world);
  if (dot(n, to_eye) < 0.0) n = -n;
  float sun = max(dot(n, light), 0.0), sky = 0.5 + 0.5 * n.z;
  float shine = pow(max(dot(reflect(-light, n), to_eye), 0.0), 24.0);
  vec3 seen = colour * (0.46 + 0.2 * sky + 0.42 * sun) + 0.08 * shine;
  if (abs(v_id - chosen) < 0.5) seen = mix(seen, chosen_colour, 0.45);
  pixel = vec4(seen, opacity);
}`;

const PLANE_VERTEX = `#version 300 es
in vec2 corner;
uniform mat4 view;
uniform vec3 centre, across, along;
uniform float size;
out vec2 v_place;
out vec3 v_world;
uniform vec2 origin;
void main() {
  v_world = centre + size * (corner.x * across + corner.y * along);
  v_place = origin + size * corner;
  gl_Position = view * vec4(v_world, 1.0);
}`;

const PLANE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_place;
in vec3 v_world;
uniform vec3 colour, line, target;
uniform float cell, reach, chosen;
out vec4 pixel;
float grid(vec2 place, float width) {
  vec2 wide = fwidth(place) * width;
  vec2 near = abs(fract(place - 0.5) - 0.5) / max(wide, vec2(1e-9));
  vec2 fade = clamp(1.2 - 2.0 * fwidth(place), 0.0, 1.0);
  vec2 lines = (1.0 - min(near, 1.0)) * fade;
  return max(lines.x, lines.y);
}
void main() {
  float far = clamp(1.0 - length(v_world - target) / reach, 0.0, 1.0);
  float strength = 0.45 * grid(v_place / cell, 1.0) + 0.55 * grid(v_place / (10.0 * cell), 1.4);
  vec3 base = mix(colour, line, min(strength, 1.0));
  pixel = vec4(base, smoothstep(0.0, 0.7, far) * (0.92 + 0.08 * chosen));
}`;

const LINE_VERTEX = `#version 300 es
in vec3 corner;
in vec4 tint;
uniform mat4 view;
out vec4 v_tint;
void main() { v_tint = tint; gl_Position = view * vec4(corner, 1.0); }`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_tint;
out vec4 pixel;
void main() { pixel = v_tint; }`;
