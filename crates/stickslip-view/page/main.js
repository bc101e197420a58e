// State, controls and the loop.

const $ = (id) => document.getElementById(id);

function fail(error) {
  $("message").textContent = error.message;
  $("message").hidden = false;
}

// What can be said of a run as a whole: a word, its look, and the reason.
function verdictOf({ certified, failure, approximate, divided, leaving, steps, tolerance, live }) {
  if (live) return ["running", "live", "the run goes on; what is done of it is shown"];
  const left = leaving ? `; ${leaving} ${leaving === 1 ? "step leaves" : "steps leave"} overlaps that friction locks` : "";
  const parts = `${divided ? `; ${divided} ${divided === 1 ? "step was" : "steps were"} divided` : ""}${left}`;
  const all = `every step obeys the law to ${tolerance} m/s${parts}`;
  if (failure) return ["stopped", "bad", failure];
  if (certified === true) return ["certified", "good", all];
  if (!approximate?.count) return [certified === false ? "not certified" : "unfinished", "bad", certified === false ? "" : "the run did not end"];
  const { count, worst, t } = approximate;
  return [`${count} approximate`, "bad", `certified ${steps - count} of ${steps} steps; ${count} approximate, worst ${digits(worst)} m/s at t = ${digits(t)} s${parts}`];
}

// A run that did not come to its end says so in a sentence, with the program's own words behind it.
function earlyOf({ failure, certified, until, reached, live }) {
  if (live || (!failure && certified !== null)) return "";
  const where = `at t = ${digits(reached)} s of ${digits(until)} s`;
  if (!failure) return `This run did not end by itself: it was killed, or its machine stopped, ${where}. stickslip run --resume goes on with it.`;
  if (/^its limit was reached/.test(failure)) return `This run was ended ${where}, because its limit of time was reached. stickslip run --resume goes on with it.`;
  if (/^it was interrupted/.test(failure)) return `This run was interrupted ${where}. stickslip run --resume goes on with it.`;
  const why = [
    [/is not certified/, "no solver found impulses that obey the law to the tolerance"], [/has no answer/, "no solver found an answer"], [/cannot be held/, "a joint could not be held closed"],
    [/energy inequality/, "the step would have gained energy"], [/do not come to an end/, "collisions followed one another without end"], [/is not finite/, "a number is not finite"],
    [/rad in one step/, "a body turns too far in one step"], [/right angle/, "the angles of a joint are not determined"],
  ].find(([pattern]) => pattern.test(failure))?.[1];
  return `This run stopped ${where}${why ? `: ${why}` : ""}. What is shown until then is as good as ever. In the program's words: ${failure}.`;
}

// Asks the program that runs for what is new, whenever it says that something is.
function follow(adopt, tell) {
  const events = new EventSource("events");
  let busy = false, again = false;
  const fetchRun = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch("run");
      if (answer.ok) { const { about, data } = await answer.json(); await adopt(await unpacked(about, data)); if (!about.live) events.close(); }
    } catch { /* The program has ended; what is here stays. */ }
    busy = false;
    if (again) { again = false; fetchRun(); }
  };
  events.addEventListener("frames", fetchRun);
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) tell("The program that made this run has gone; what is shown is what it had sent."); });
}

async function main() {
  const begun = performance.now();
  let run = await readRun();
  const other = $("about-second") ? await readRun("about-second", "data-second") : null;
  const renderer = new Renderer($("view"), run.n <= 300);
  const camera = new Camera(run.about.extent, $("view"));
  const stage = new Stage(run, renderer, camera);
  const ghost = other ? new Stage(other, renderer, camera) : null;
  const scales = new Scales($("scales"), run, stage, camera);
  const state = { time: run.t[0], frame: 0, playing: false, speed: 1, dirty: true, chosen: { body: -1, row: -1, link: -1, lost: false, point: null, bodies: null } };
  const plots = new Plots(run, $("plots"), (t) => { pause(); seek(run.frameAt(t + 0.5 * (run.about.h || 0))); }, other);
  const panel = new Panel(run, $("numbers"), (what) => choose(what), plots, other);

  // What is written on top, and the list of bodies, joints and springs.
  const head = () => {
    $("title").textContent = other ? `${run.about.title}  ·  ${other.about.title}` : run.about.title;
    $("title").title = cut(run.about.title);
    const [verdict, look, why] = verdictOf(run.about);
    $("verdict").textContent = verdict;
    $("verdict").className = `badge ${look}`;
    $("verdict").title = `${why}${why ? ". " : ""}Certified is not accurate: stickslip converge tells how near the steps are to the true motion.`;
    $("early").textContent = earlyOf(run.about);
    $("early").hidden = !$("early").textContent;
    $("scrub").max = String(run.frames - 1);
  };
  head();
  const group = (label, options) => { const node = document.createElement("optgroup"); node.label = label; node.append(...options); return node; };
  // By name, with box[2] before box[10]; the numbers are those of the run, where bodies stand by height.
  const { compare } = new Intl.Collator("en", { numeric: true });
  const byName = (things, value) => things.map(({ name }, k) => ({ name, k })).sort((a, b) => compare(a.name, b.name)).map(({ name, k }) => new Option(cut(name), value(k)));
  $("bodies").append(new Option("– whole run –", "-1"), group("bodies", byName(run.bodies, String)));
  if (run.about.links.length) $("bodies").append(group("joints and springs", byName(run.about.links, (k) => `link ${k}`)));
  if (other) { $("legend").append(element("span", `second: ${cut(other.about.scene)}`, "second")); $("legend").append(element("span", "", "quiet")); }

  const seek = (frame) => {
    state.frame = Math.min(run.frames - 1, Math.max(0, frame));
    state.time = run.t[state.frame];
    state.dirty = true;
  };
  const play = () => {
    if (run.frames < 2) return;
    if (state.frame >= run.frames - 1) seek(0);
    state.playing = true;
    state.last = undefined;
    state.dirty = true;
  };
  const pause = () => { if (state.playing) { state.playing = false; seek(state.frame); } };

  const choose = ({ body = -1, row = -1, link = -1 } = {}) => {
    const contact = row >= 0 ? run.contact(row) : null;
    state.chosen = { body: contact ? contact.on : body, row, link, lost: false, point: contact?.point ?? null, bodies: contact?.bodies ?? null };
    state.dirty = true;
  };
  // The selected contact in another step: the one of the same two bodies that is nearest to where it was.
  const track = () => {
    const { chosen } = state;
    if (!chosen.bodies) return;
    const { from, to } = run.contacts(state.frame);
    let best = -1, least = Infinity;
    for (let row = from; row < to; row++) {
      if (run.body_a[row] !== chosen.bodies[0] || run.body_b[row] !== chosen.bodies[1]) continue;
      const far = length(sub(run.contact(row).point, chosen.point));
      if (far < least) [best, least] = [row, far];
    }
    chosen.row = best;
    chosen.lost = best < 0;
    if (best >= 0) chosen.point = run.contact(best).point;
  };
  const next = (kind, by) => {
    const turn = (k, n) => (((k + by) % n) + n) % n;
    if (kind === "body") return choose({ body: turn(state.chosen.body, run.n) });
    if (kind === "link") { if (run.about.links.length) choose({ link: turn(state.chosen.link, run.about.links.length) }); return; }
    const { from, to } = run.contacts(state.frame);
    if (from === to) return;
    // Those that push, if any does.
    const rows = [];
    for (let row = from; row < to; row++) if (run.mode[row] !== 0) rows.push(row);
    if (!rows.length) for (let row = from; row < to; row++) rows.push(row);
    const at = rows.indexOf(state.chosen.row), now = at >= 0 ? at + by : by > 0 ? 0 : -1;
    choose({ row: rows[((now % rows.length) + rows.length) % rows.length] });
  };
  // Goes near to what is selected.
  const near = () => {
    const { chosen } = state;
    if (chosen.link >= 0) {
      const { bodies, places } = run.about.links[chosen.link], body = bodies[1];
      camera.target = body === null ? places[1] : add(run.position(state.frame, body), rotate(run.quaternion(state.frame, body), places[1]));
      camera.distance = 8 * run.about.size;
      state.dirty = true;
    }
    if (chosen.body < 0) return;
    camera.target = chosen.point ?? run.position(state.frame, chosen.body);
    camera.distance = 8 * (run.bodies[chosen.body].mass === null ? run.about.size : run.bodies[chosen.body].radius);
    state.dirty = true;
  };
  const theme = (name) => {
    document.documentElement.dataset.theme = name;
    stage.setTheme(name);
    if (ghost) { ghost.setTheme(name); ghost.show.scenery = false; ghost.tints = ghost.tints.map(() => ghost.theme.other); }
    plots.prepare();
    state.dirty = true;
  };

  // Buttons and boxes.
  $("play").addEventListener("click", () => (state.playing ? pause() : play()));
  $("start").addEventListener("click", () => { pause(); seek(0); });
  $("back").addEventListener("click", () => { pause(); seek(state.frame - 1); });
  $("forward").addEventListener("click", () => { pause(); seek(state.frame + 1); });
  $("scrub").addEventListener("input", (event) => { pause(); seek(Number(event.target.value)); });
  $("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); });
  $("bodies").addEventListener("change", (event) => { const { value } = event.target; choose(value.startsWith("link ") ? { link: Number(value.slice(5)) } : { body: Number(value) }); });
  $("dark").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  $("help-button").addEventListener("click", () => $("help").showModal());
  $("save-button").addEventListener("click", () => { $("saved").textContent = ""; $("save").showModal(); });

  // What can be taken away.
  const save = (id, action) => $(id).addEventListener("click", async () => { $("saved").textContent = (await action()) ?? ""; });
  save("save-picture", () => new Promise((done) => {
    draw(); // The picture is read in the same breath in which it is drawn.
    renderer.canvas.toBlob((blob) => { download(fileName(run.about.title, "png"), blob); done("The picture is among your downloads."); });
  }));
  save("save-csv", () => { download(fileName(run.about.title, "csv"), new Blob([csvOf(run, plots.list)], { type: "text/csv" })); return "The numbers of all plots are among your downloads."; });
  save("save-svg", () => { download(fileName(run.about.title, "svg"), new Blob([plots.svg()], { type: "image/svg+xml" })); return "The plots are among your downloads."; });
  save("save-link", async () => {
    const hash = momentOf(run, state, camera);
    history.replaceState(null, "", hash);
    try { await navigator.clipboard.writeText(location.href); return "The address of this moment is copied."; } catch { return "The address of this page now leads to this moment."; }
  });
  save("save-film", () => new Promise((done) => {
    const recorder = film(renderer.canvas, (blob, ending) => { state.filming = null; download(fileName(run.about.title, ending), blob); done("The film is among your downloads."); });
    if (!recorder) return done("This browser makes no films; a picture it can.");
    $("saved").textContent = "The run plays once …";
    state.filming = recorder;
    seek(0);
    play();
  }));
  for (const name of ["forces", "cones", "trails", "scenery"]) $(`show-${name}`).addEventListener("change", (event) => { stage.show[name] = event.target.checked; state.dirty = true; });
  $("follow").addEventListener("change", () => { state.dirty = true; });
  $("arrow-scale").addEventListener("input", (event) => { stage.arrowScale = stage.arrowHome * Math.pow(10, Number(event.target.value) / 2); state.dirty = true; });

  const click = (id) => $(id).click();
  const speed = (by) => { const s = $("speed"); s.selectedIndex = Math.min(s.options.length - 1, Math.max(0, s.selectedIndex + by)); s.dispatchEvent(new Event("change")); };
  const keys = {
    " ": () => click("play"), Home: () => click("start"), End: () => { pause(); seek(run.frames - 1); }, "[": () => speed(-1), "]": () => speed(1),
    ArrowLeft: (e) => { pause(); seek(state.frame - (e.shiftKey ? 10 : 1)); }, ArrowRight: (e) => { pause(); seek(state.frame + (e.shiftKey ? 10 : 1)); },
    b: () => next("body", 1), B: () => next("body", -1), c: () => next("contact", 1), C: () => next("contact", -1), j: () => next("link", 1), J: () => next("link", -1), Escape: () => choose(),
    f: () => click("follow"), v: () => click("show-forces"), k: () => click("show-cones"), t: () => click("show-trails"), x: () => click("show-scenery"), z: () => near(), r: () => { camera.reset(); state.dirty = true; },
    l: () => click("dark"), "?": () => click("help-button"), e: () => click("save-button"),
    a: () => camera.turn(-0.08, 0), d: () => camera.turn(0.08, 0), w: () => camera.turn(0, 0.08), s: () => camera.turn(0, -0.08),
    A: () => camera.move(0.05, 0), D: () => camera.move(-0.05, 0), W: () => camera.move(0, -0.05), S: () => camera.move(0, 0.05),
    "+": () => camera.zoom(0.9), "=": () => camera.zoom(0.9), "-": () => camera.zoom(1.1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open || $("save").open) return;
    // A control keeps the keys that are its own.
    const own = event.target.matches?.("select") || (event.target.matches?.("input[type=range]") && event.key.startsWith("Arrow")) || (event.target.matches?.("button, input[type=checkbox]") && event.key === " ");
    const action = keys[event.key];
    if (!action || own) return;
    event.preventDefault();
    action(event);
    state.dirty = true;
  });

  // Mouse and fingers on the view.
  const view = $("view"), fingers = new Map();
  let travelled = 0;
  view.addEventListener("contextmenu", (event) => event.preventDefault());
  view.addEventListener("pointerdown", (event) => { view.focus(); view.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); travelled = 0; });
  view.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY, tall = view.clientHeight;
    travelled += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
      const far = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
      camera.zoom(far(before) / Math.max(far(event), 1));
      camera.move(dx / tall / 2, dy / tall / 2);
    } else if (event.buttons & 2 || event.shiftKey) camera.move(dx / tall, dy / tall);
    else camera.turn((dx / tall) * 3, (dy / tall) * 3);
    fingers.set(event.pointerId, event);
    state.dirty = true;
  });
  const release = (event) => {
    if (fingers.delete(event.pointerId) && event.type === "pointerup" && travelled < 5 && event.button === 0) {
      const hit = stage.pick(event.clientX, event.clientY);
      if (!hit) choose();
      else if (hit.link !== undefined) choose({ link: hit.link });
      else if (hit.body !== undefined) choose({ body: hit.body });
      else choose({ row: run.contacts(state.frame).from + hit.contact });
    }
  };
  view.addEventListener("pointerup", release);
  view.addEventListener("pointercancel", release);
  view.addEventListener("wheel", (event) => { event.preventDefault(); camera.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0012)); state.dirty = true; }, { passive: false });
  // Drawn in the very frame in which the size changes: what waits for the next one is seen stretched until then.
  const fit = new ResizeObserver(() => { if (camera.untouched()) camera.reset(); plots.prepare(); draw(); });
  for (const id of ["stage", "strip"]) fit.observe($(id));
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));

  // As many digits as tell one step from the next.
  const decimals = Math.min(12, Math.max(4, Math.ceil(-Math.log10(run.about.h || 1e-3)) + 1));

  // One picture. While playing slowly, bodies are drawn between two recorded states; numbers never are.
  const draw = () => {
    track();
    stage.chosen = state.chosen;
    const { frame } = state, gap = frame + 1 < run.frames ? run.t[frame + 1] - run.t[frame] : 0;
    const moment = { frame, part: state.playing && gap > 0 && run.n <= 300 ? Math.min(1, (state.time - run.t[frame]) / gap) : 0 };
    if ($("follow").checked && state.chosen.body >= 0) camera.target = stage.pose(state.chosen.body, moment).place;
    stage.draw(moment);
    if (ghost) ghost.drawGhost({ frame: other.frameAt(state.time + 1e-9), part: 0 }, stage.scene);
    scales.draw();
    $("scrub").value = String(frame);
    $("time").textContent = `${run.t[frame].toFixed(decimals)} s · step ${run.step[frame]}`;
    $("play").textContent = state.playing ? "❚❚" : "▶︎";
    $("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
    const name = state.chosen.link >= 0 ? `link ${state.chosen.link}` : String(state.chosen.body);
    if ($("bodies").value !== name) $("bodies").value = name;
    plots.mark(state.time);
    // Text costs more than triangles: while playing, ten times a second.
    const now = performance.now();
    if (!state.playing || !(now - state.written < 100)) { panel.show(frame, state.chosen); state.written = now; }
  };

  // Frames a second, and a coarser picture where they are too few to look smooth.
  const pace = { count: 0, since: performance.now(), fps: 0, slow: 0 };
  const measure = (now) => {
    pace.count++;
    if (now - pace.since < 500) return;
    pace.fps = (1000 * pace.count) / (now - pace.since);
    [pace.count, pace.since] = [0, now];
    $("fps").textContent = `${pace.fps.toFixed(0)} fps`;
    $("fps").hidden = !state.playing;
    pace.slow = state.playing && pace.fps < 40 ? pace.slow + 1 : 0;
    if (pace.slow >= 1 && renderer.quality > 0.36) { renderer.quality *= 0.75; pace.slow = 0; }
  };
  const loop = (now) => {
    if (state.playing) {
      state.time += ((now - (state.last ?? now)) / 1000) * state.speed;
      state.last = now;
      if (state.time >= run.end()) { state.time = run.end(); state.frame = run.frames - 1; state.playing = false; $("fps").hidden = true; state.filming?.stop(); }
      else state.frame = run.frameAt(state.time);
      state.dirty = true;
      measure(now);
    } else {
      [pace.count, pace.since] = [0, now];
      if (renderer.quality < 1) { renderer.quality = 1; state.dirty = true; }
    }
    if (state.dirty) { state.dirty = false; draw(); }
    requestAnimationFrame(loop);
  };
  // For `stickslip bench page`: pictures a second over the whole run, each finished before the next begins.
  const bench = () => {
    const pixel = new Uint8Array(4), { gl } = renderer, spent = [];
    for (let k = 0; k < 60; k++) {
      seek(Math.floor((k * (run.frames - 1)) / 59));
      const start = performance.now();
      draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      spent.push(performance.now() - start);
    }
    spent.sort((a, b) => a - b);
    console.log(`stickslip-bench ${JSON.stringify({ load: loaded, picture: spent[30], slow: spent[57], width: view.width, height: view.height })}`);
  };
  theme(dark.matches ? "dark" : "light");
  // An address may lead to a moment.
  const go = () => {
    const { t, what } = readMoment(run, location.hash, camera);
    if (t !== null) seek(run.frameAt(t + 0.5 * (run.about.h || 0)));
    if (what) choose(what);
    state.dirty = true;
  };
  go();
  window.addEventListener("hashchange", go);
  // A run that goes on: what is new is taken in; who looks at its end goes on looking at its end.
  const adopt = (next) => {
    const atEnd = state.frame >= run.frames - 1;
    run = next;
    for (const part of [stage, plots, panel]) part.adopt(run);
    stage.arrowHome = run.about.arrow;
    $("arrow-scale").dispatchEvent(new Event("input"));
    camera.home = run.about.extent;
    head();
    plots.prepare();
    seek(atEnd && !state.playing ? run.frames - 1 : state.frame);
  };
  if (run.about.live) follow(adopt, (words) => { $("early").textContent = words; $("early").hidden = !words; });
  draw();
  requestAnimationFrame(loop);
  const loaded = performance.now();
  // For tests and for the curious.
  window.stickslip = {
    get run() { return run; }, other, state, stage, camera, plots, seek, play, pause, choose, pace, loadMilliseconds: loaded - begun, sinceStart: loaded,
    redraw: () => { state.dirty = true; }, project: (point) => stage.project(point), arrows: () => stage.arrows, arrowScale: () => stage.arrowScale,
  };
  document.documentElement.dataset.ready = "true";
  if (location.hash === "#bench") bench();
}

main().catch(fail);
