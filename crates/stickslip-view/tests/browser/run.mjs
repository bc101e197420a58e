// Tests of the page in a real browser: node run.mjs PROGRAM WORK ROOT, from `cargo xtask test`.
//
// PROGRAM is the built stickslip, WORK a folder for pages and screenshots (with names.html in it), ROOT that of the project. Every test says what it expected.

import { execFileSync, spawn } from "node:child_process";
import http from "node:http";
import fs from "node:fs";
import path from "node:path";
import validator from "gltf-validator";
import { Watched, check, checkSixDigits, compareWithStored, launch, readCsv } from "./tools.mjs";

const [program, work, root] = process.argv.slice(2);
const golden = path.join(root, "crates/stickslip-view/tests/browser/golden");
const at = (name) => path.join(work, name);
const stickslip = (...words) => execFileSync(program, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });

function record(scene, name, ...more) {
  stickslip("run", scene, "--quiet", "-o", at(`${name}.parquet`), "-o", at(`${name}.csv`), "--contacts", "-o", at(`${name}.html`), ...more);
  return at(`${name}.html`);
}

const tests = {
  async "opens from a file, plays, pauses and steps"(browser, pages) {
    const it = await Watched.open(browser, pages.stack);
    check((await it.page.textContent("#title")) === "Ten boxes dropped from 15 m", "the scene's title");
    check((await it.page.textContent("#verdict")) === "certified", "the verdict");
    // Slowly, so that a busy machine does not come to the end of the run before it is paused.
    await it.page.selectOption("#speed", "0.1");
    await it.page.click("#play");
    await it.page.waitForFunction(() => window.stickslip.state.frame > 5, null, { timeout: 20000 });
    await it.page.click("#play");
    const frame = await it.page.evaluate(() => window.stickslip.state.frame);
    await it.page.click("#forward");
    check((await it.page.evaluate(() => window.stickslip.state.frame)) === frame + 1, "one step on");
    await it.page.click("#back");
    check((await it.page.evaluate(() => window.stickslip.state.frame)) === frame, "one step back");
    await it.close();
  },

  async "scrubs by the bar and by the plots"(browser, pages) {
    const it = await Watched.open(browser, pages.stack);
    await it.page.fill("#scrub", "600");
    await it.page.waitForFunction(() => document.getElementById("time").textContent.startsWith("6.0000 s"));
    check((await it.value("t")) === "6 s", "the time in the panel");
    const box = await it.page.locator("#plots").boundingBox();
    const area = await it.page.evaluate(() => window.stickslip.plots.areas[0]);
    await it.page.mouse.click(box.x + area.x + 0.5 * area.w, box.y + area.y + 0.5 * area.h);
    await it.page.waitForFunction(() => Math.abs(window.stickslip.state.frame - 400) <= 4);
    await it.close();
  },

  async "shows the numbers of every step"(browser, pages) {
    const it = await Watched.open(browser, pages.ladder);
    const rows = readCsv(at("ladder.csv"));
    const times = [...new Set(rows.map((row) => row.t))];
    const body = await it.page.evaluate(() => window.stickslip.run.bodies.findIndex((b) => b.mass !== null));
    const name = await it.page.evaluate((k) => window.stickslip.run.bodies[k].name, body);
    await it.page.evaluate((k) => window.stickslip.choose({ body: k }), body);
    for (const frame of [0, 1, 37, 399]) {
      await it.seek(frame);
      const row = rows.find((r) => r.t === times[frame] && r.body === name);
      const expected = (...names) => names.map((n) => Number(row[n]));
      checkSixDigits(await it.numbers("position"), expected("x", "y", "z"), `position in frame ${frame}`);
      checkSixDigits(await it.numbers("quaternion"), expected("qs", "qx", "qy", "qz"), `quaternion in frame ${frame}`);
      checkSixDigits(await it.numbers("velocity"), expected("vx", "vy", "vz"), `velocity in frame ${frame}`, 1e-8);
      checkSixDigits(await it.numbers("spin"), expected("wx", "wy", "wz"), `spin in frame ${frame}`, 1e-8);
    }
    await it.close();
  },

  async "a click selects a contact; its force and arrow are those of the trajectory"(browser, pages) {
    const it = await Watched.open(browser, pages.ladder);
    const rows = readCsv(at("ladder.contacts.csv")), frame = 200;
    await it.seek(frame);
    const t = await it.page.evaluate(() => window.stickslip.run.t[window.stickslip.state.frame]);
    const here = rows.filter((row) => Math.abs(Number(row.t) - t) < 1e-9);
    check(here.length === 4, "four contacts of the ladder");
    const seen = new Set();
    for (const [k, row] of here.entries()) {
      const point = [row.x, row.y, row.z].map(Number);
      const place = await it.page.evaluate((p) => window.stickslip.project(p), point);
      await it.page.mouse.click(place.x, place.y);
      await it.page.waitForSelector('[data-value="force"]');
      const on = await it.value("on"), sign = on === row.body_b ? 1 : -1;
      const shown = await it.numbers("point");
      // Two contacts may lie behind one another: what was hit is looked up by its point.
      const hit = here.find((r) => [r.x, r.y, r.z].every((v, i) => Math.abs(Number(v) - shown[i]) < 1e-5));
      check(hit, `a contact of the trajectory at ${shown}`);
      const force = [hit.fx, hit.fy, hit.fz].map((v) => sign * Number(v));
      checkSixDigits(await it.numbers("force"), force, `force of contact ${k}`);
      const arrow = await it.page.evaluate(() => {
        const s = window.stickslip, a = s.arrows().find((x) => x.row === s.state.chosen.row);
        return a.to.map((v, i) => (v - a.from[i]) / s.arrowScale());
      });
      checkSixDigits(arrow, force, `arrow of contact ${k}`);
      // What the graphics processor draws: the head's tip minus the shaft's foot.
      const drawn = await it.page.evaluate(() => {
        const s = window.stickslip, { shafts, heads } = s.stage, id = s.run.n + s.state.chosen.row - s.run.contacts(s.state.frame).from;
        const find = (batch) => { for (let i = 0; i < batch.count; i++) if (batch.data[16 * i + 3] === id) return batch.data.slice(16 * i, 16 * i + 16); return null; };
        const [shaft, head] = [find(shafts), find(heads)], [w, x, y] = shaft.slice(4, 7), l = shaft[10] + head[10];
        const axis = [2 * w * y, -2 * w * x, 1 - 2 * (x * x + y * y)];
        return axis.map((v) => (v * l) / s.arrowScale());
      });
      const size = Math.hypot(...force);
      check(drawn.every((v, i) => Math.abs(v - force[i]) < 2e-6 * size), `the arrow drawn is ${force}, found ${drawn}`);
      seen.add(hit.feature + hit.body_b + hit.body_a);
    }
    check(seen.size >= 2, "at least two different contacts selected");
    await it.close();
  },

  async "everything can be done by keys"(browser, pages) {
    const it = await Watched.open(browser, pages.stack);
    const frame = () => it.page.evaluate(() => window.stickslip.state.frame);
    await it.page.keyboard.press("End");
    check((await frame()) === 800, "the last frame");
    await it.page.keyboard.press("Shift+ArrowLeft");
    check((await frame()) === 790, "ten steps back");
    await it.page.keyboard.press("c");
    await it.page.waitForSelector('[data-value="force"]');
    await it.page.keyboard.press("b");
    await it.page.waitForSelector('[data-value="velocity"]');
    for (const key of ["f", "k", "t", "v", "r", "w", "a", "+", "-", "]", "["]) await it.page.keyboard.press(key);
    await it.page.keyboard.press("l");
    check((await it.page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "the dark theme");
    await it.page.keyboard.press("Home");
    await it.page.keyboard.press(" ");
    await it.page.waitForFunction(() => window.stickslip.state.frame > 0);
    await it.page.keyboard.press(" ");
    await it.page.keyboard.press("?");
    await it.page.waitForSelector("dialog[open]");
    await it.page.keyboard.press("Escape");
    await it.page.keyboard.press("Escape");
    await it.close();
  },

  async "names are text, whatever is in them"(browser) {
    // Written by the example `names` of stickslip-view.
    const it = await Watched.open(browser, at("names.html"));
    check((await it.page.evaluate(() => window.broken)) === undefined, "no name is run as a script");
    check((await it.page.textContent("#title")).startsWith("</title></script><script>"), "the title as it is");
    check((await it.page.title()).startsWith("</title></script>"), "the window's title as it is");
    const names = await it.page.evaluate(() => window.stickslip.run.bodies.map((body) => body.name));
    check(names.length === 3 && names[0].startsWith("</script>") && names[1].startsWith('"quoted" \'and\' <b>') && names[2].length === 10000, "the three names as they are");
    for (const [k, name] of names.entries()) {
      await it.page.evaluate((index) => window.stickslip.choose({ body: index }), k);
      await it.page.waitForFunction((n) => document.querySelector("#numbers h2").textContent === n, name);
      const wide = await it.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      check(wide <= 0, "nothing wider than the window");
    }
    check((await it.page.locator("b, img").count()) === 0, "no markup from a name");
    await it.page.click("#play");
    await it.page.waitForFunction(() => window.stickslip.state.frame > 0);
    await it.close();
  },

  async "joints can be selected, and their forces are those of the trajectory"(browser, pages) {
    const it = await Watched.open(browser, pages.linkage), frame = 140;
    await it.seek(frame);
    const rows = readCsv(at("linkage.joints.csv")), t = await it.page.evaluate(() => window.stickslip.run.t[window.stickslip.state.frame]);
    const links = await it.page.evaluate(() => window.stickslip.run.about.links.map((link) => link.name));
    check(links.length === 4, `four joints, found ${links}`);
    for (const [k, name] of links.entries()) {
      await it.page.selectOption("#bodies", `link ${k}`);
      const row = rows.find((r) => r.joint === name && Math.abs(Number(r.t) - t) < 1e-9);
      check(row, `a row of ${name} at ${t} s`);
      checkSixDigits(await it.numbers("force"), [row.fx, row.fy, row.fz].map(Number), `force of ${name}`, 1e-7);
      checkSixDigits(await it.numbers("torque"), [row.tx, row.ty, row.tz].map(Number), `torque of ${name}`, 1e-7);
    }
    // A click on a pin selects its joint, and J goes on to the next.
    await it.page.keyboard.press("Escape");
    const place = await it.page.evaluate(() => {
      const s = window.stickslip, { bodies, places } = s.run.about.links[0], q = s.run.quaternion(s.state.frame, bodies[1]), p = s.run.position(s.state.frame, bodies[1]);
      const [w, x, y, z] = q, v = places[1], u = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
      return s.project([p[0] + v[0] + 2 * (y * u[2] - z * u[1]), p[1] + v[1] + 2 * (z * u[0] - x * u[2]), p[2] + v[2] + 2 * (x * u[1] - y * u[0])]);
    });
    await it.page.mouse.click(place.x, place.y);
    check((await it.page.evaluate(() => window.stickslip.state.chosen.link)) === 0, "the joint that was clicked");
    await it.page.keyboard.press("j");
    check((await it.page.evaluate(() => window.stickslip.state.chosen.link)) === 1, "the next joint");
    await it.close();
  },

  async "what is selected is plotted, several at once, and saved as CSV and SVG"(browser, pages) {
    const it = await Watched.open(browser, pages.ladder);
    const body = await it.page.evaluate(() => window.stickslip.run.bodies.findIndex((b) => b.mass !== null));
    await it.page.evaluate((k) => window.stickslip.choose({ body: k }), body);
    await it.seek(10);
    for (const key of ["position", "total", "kinetic"]) await it.page.click(`button[data-plot="${key}"]`);
    check((await it.page.evaluate(() => window.stickslip.plots.list.length)) === 7, "three plots before the four");
    await it.page.click('button[data-plot="kinetic"]');
    check((await it.page.evaluate(() => window.stickslip.plots.list.length)) === 6, "one less");
    await it.page.keyboard.press("c");
    await it.drawn();
    await it.page.click('button[data-plot="force"]');
    check((await it.page.evaluate(() => window.stickslip.plots.list.length)) === 7, "one of the two bodies of a contact");
    const saved = async (id) => {
      if (!(await it.page.locator("#save").isVisible())) await it.page.click("#save-button");
      const [download] = await Promise.all([it.page.waitForEvent("download"), it.page.click(id)]);
      const file = at(`saved-${download.suggestedFilename()}`);
      await download.saveAs(file);
      return file;
    };
    const table = readCsv(await saved("#save-csv"), ",");
    const rows = readCsv(at("ladder.csv")).filter((r) => r.body === "ladder");
    check(table.length === rows.length, `a row for each of ${rows.length} times, found ${table.length}`);
    for (const k of [0, 57, rows.length - 1]) {
      check(Math.abs(Number(table[k]["t [s]"]) - Number(rows[k].t)) < 1e-9, `time ${k}`);
      checkSixDigits(["x", "y", "z"].map((n) => Number(table[k][`ladder.${n} [m]`])), [rows[k].x, rows[k].y, rows[k].z].map(Number), `position in row ${k}`, 1e-7);
    }
    // The columns that were asked for are those of `stickslip series`, by their names and numbers.
    const asked = Object.keys(table[0]).filter((head) => head.includes("ladder"));
    check(asked.length === 8, `three of a position, three of a force, two of a pair, found ${asked.join("; ")}`);
    stickslip("series", at("ladder.parquet"), ...asked.flatMap((head) => ["--of", head.replace(/ \[.*\]$/, "")]), "-o", at("series.csv"));
    const series = readCsv(at("series.csv"));
    for (const k of [1, 57, rows.length - 1]) checkSixDigits(asked.map((head) => Number(table[k][head])), asked.map((head) => Number(series[k][head])), `series in row ${k}`);
    const svg = fs.readFileSync(await saved("#save-svg"), "utf8");
    check(svg.startsWith("<svg") && svg.includes("ladder (m)") && svg.includes(">.x</text>") && (svg.match(/<path/g) ?? []).length > 20, "the plots as SVG");
    const png = fs.readFileSync(await saved("#save-picture"));
    check(png.subarray(1, 4).toString() === "PNG" && png.length > 5000, "a picture of the view");
    await it.page.click("#save-link");
    const hash = await it.page.evaluate(() => location.hash);
    check(/^#t=0\.05&body=[^&]+&eye=/.test(hash), `an address of the moment, found ${hash}`);
    await it.close();
    const there = await Watched.open(browser, pages.ladder, { hash });
    check((await there.page.evaluate(() => window.stickslip.state.frame)) === 10, "the moment of the address");
    check((await there.page.evaluate(() => window.stickslip.state.chosen.body)) >= 0, "what was selected");
    await there.close();
    for (const nonsense of ["#t=abc&body=%E0%A4%A&eye=1,2", "#t=1e999", "#=&&eye=NaN,0,0,0,0,0", "#t=-5&joint=x"]) {
      const odd = await Watched.open(browser, pages.ladder, { hash: nonsense });
      await odd.close();
    }
  },

  async "numbers are without the dust of rounding, scales are in newtons and metres"(browser, pages) {
    const it = await Watched.open(browser, pages.stack);
    await it.page.evaluate(() => window.stickslip.choose({ body: 4 }));
    for (const frame of [0, 300, 800]) {
      await it.seek(frame);
      const text = await it.page.innerText("#numbers");
      check(!/e-\d\d/.test(text), `no 1e-16 in ${text}`);
    }
    // An arrow of so many newtons is as long as the one in the corner says, at the distance of what is looked at.
    const scale = await it.page.evaluate(() => {
      const s = window.stickslip, row = document.querySelector("[data-newtons]"), newtons = Number(row.dataset.newtons), { target } = s.camera;
      const right = [-Math.sin(s.camera.azimuth), Math.cos(s.camera.azimuth), 0], far = newtons * s.arrowScale();
      const [a, b] = [s.project(target), s.project(target.map((v, k) => v + far * right[k]))];
      return { drawn: row.querySelector("line").getBoundingClientRect().width + row.querySelector("path").getBoundingClientRect().width, real: Math.hypot(b.x - a.x, b.y - a.y), words: row.textContent };
    });
    check(Math.abs(scale.drawn - scale.real) < 0.03 * scale.real + 1, `an arrow as long as it says, found ${JSON.stringify(scale)}`);
    check(/^[125]0* N$|^0\.0*[125] N$/.test(scale.words), `a round number of newtons, found ${scale.words}`);
    check(/grid [\d.]+ m/.test(await it.page.innerText("#scales")), "the side of the grid");
    check((await it.page.locator("#scales text").allTextContents()).join("") === "xyz", "three axes");
    const speeds = await it.page.locator("#speed option").evaluateAll((list) => list.map((o) => Number(o.value)));
    check(speeds[0] === 0.01 && speeds.at(-1) === 20, `speeds from 1/100 to 20, found ${speeds}`);
    await it.close();
  },

  async "two runs are seen over each other"(browser, pages) {
    const it = await Watched.open(browser, pages.two);
    const { run, other } = await it.page.evaluate(() => ({ run: window.stickslip.run.frames, other: window.stickslip.other.frames }));
    check(run === 801 && other === 401, `the frames of both, found ${run} and ${other}`);
    await it.page.evaluate(() => window.stickslip.choose({ body: 3 }));
    await it.seek(150);
    const [a, b] = ["stack", "coarse"].map((name) => readCsv(at(`${name}.csv`)).find((r) => r.body === "box[3]" && Math.abs(Number(r.t) - 1.5) < 1e-9));
    const far = Math.hypot(...["x", "y", "z"].map((k) => Number(a[k]) - Number(b[k])));
    const shown = Number(await it.value("apart"));
    check(Math.abs(shown - far) <= 1e-5 * Math.max(far, 1e-3), `${far} m apart, found ${shown}`);
    await it.close();
  },

  async "a run that stopped says why in a sentence"(browser) {
    const it = await Watched.open(browser, at("vice.html"));
    const words = await it.page.innerText("#early");
    check(/^This run stopped at t = 0.* s of .* s: no solver found/.test(words) && words.includes("In the program's words: step "), `a sentence, found ${words}`);
    check((await it.page.innerText("#verdict")) === "stopped", "the verdict");
    await it.close();
  },

  async "a run is seen while it goes on: reloads, two viewers, and nobody else"(browser) {
    // Steps of milliseconds: it does not end while it is looked at.
    const live = spawn(program, ["run", "scenes/ragdolls.toml", "--live", "--quiet", "--until", "5000"], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
    try {
      const address = await new Promise((found, none) => {
        let said = "";
        live.stderr.on("data", (bytes) => { said += bytes; const at = /live: (http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/)/.exec(said); if (at) found(at[1]); });
        live.on("exit", () => none(new Error(`it ended: ${said}`)));
      });
      const open = async () => { const page = await browser.newPage(); await page.goto(address); await page.waitForSelector("html[data-ready]", { timeout: 60000 }); return page; };
      const frames = (page) => page.evaluate(() => window.stickslip.run.frames), grows = (page, from) => page.waitForFunction((n) => window.stickslip.run.frames > n, from, { timeout: 60000 });
      const [first, second] = [await open(), await open()];
      check((await first.textContent("#verdict")) === "running", "a run that goes on");
      const before = await frames(first);
      await grows(first, before);
      await grows(second, await frames(second));
      // Who looks at the end goes on looking at it.
      await first.evaluate(() => window.stickslip.seek(window.stickslip.run.frames - 1));
      const seen = await frames(first);
      await grows(first, seen);
      await first.waitForFunction((n) => window.stickslip.state.frame > n, seen);
      await first.reload();
      await first.waitForSelector("html[data-ready]", { timeout: 60000 });
      // All of the run is there again after a reload, and it goes on.
      await grows(first, seen);
      // A page from elsewhere gets nothing, with or without the address; nor does a name that was made to lead here.
      const foreign = http.createServer((_, answer) => answer.end("<!doctype html>")).listen(0, "127.0.0.1");
      await new Promise((ready) => foreign.once("listening", ready));
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${foreign.address().port}/`);
      const got = await page.evaluate(async (url) => {
        const tries = [fetch(`${url}run`), fetch(`${url}run`, { mode: "no-cors" }), new Promise((yes, no) => { const e = new EventSource(`${url}events`); e.onopen = yes; e.onerror = no; }),
          new Promise((yes, no) => { const s = document.createElement("script"); s.src = `${url}run`; s.onload = yes; s.onerror = no; document.head.append(s); })];
        return (await Promise.allSettled(tries)).map((r) => (r.status === "fulfilled" ? (r.value?.type === "opaque" ? `opaque ${r.value.status}` : "got it") : "refused"));
      }, address);
      check(got.every((g) => g === "refused"), `another origin is refused, found ${got}`);
      foreign.close();
      const status = (path, headers) => new Promise((done, fail) => { http.get(new URL(path, address), { headers }, (answer) => { answer.resume(); done(answer.statusCode); }).on("error", fail); });
      check((await status("run", {})) === 200, "one who knows the address");
      check((await status("/", {})) === 404 && (await status(`/${"0".repeat(32)}/run`, {})) === 404, "nothing without the secret");
      check((await status("run", { host: "evil.example" })) === 403, "another host is refused");
      check((await status("run", { origin: "http://evil.example" })) === 403, "another origin is refused");
      for (const watched of [first, second, page]) await watched.close();
    } finally {
      live.kill("SIGTERM");
    }
  },

  async "can be read at 4k"(browser, pages) {
    const it = await Watched.open(browser, pages.ladder, { width: 3840, height: 2160 });
    await it.page.evaluate(() => window.stickslip.choose({ body: 1 }));
    await it.drawn();
    const sizes = await it.page.evaluate(() => ["#title", "#numbers td", "#time", "#scales"].map((q) => Number.parseFloat(getComputedStyle(document.querySelector(q)).fontSize)));
    check(sizes.every((s) => s >= 26), `letters of 26 px and more, found ${sizes}`);
    check((await it.page.evaluate(() => document.documentElement.scrollWidth)) <= 3840, "nothing wider than the window");
    await it.close();
  },

  async "fits a phone"(browser, pages) {
    const it = await Watched.open(browser, pages.stack, { width: 390, height: 844, scheme: "dark" });
    check((await it.page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "no scrolling to the side");
    check((await it.page.locator("#view").boundingBox()).height > 250, "a view of some height");
    for (const id of ["play", "scrub", "speed", "bodies"]) check(await it.page.locator(`#${id}`).isVisible(), `#${id} to be seen`);
    await it.close();
  },

  async "all that ever moves is in sight from the start and in every window, until somebody looks elsewhere"(browser, pages) {
    const it = await Watched.open(browser, pages.stack);
    // Corners of the box around everything, as they are projected: -1 to 1 is the window.
    const widest = () => it.page.evaluate(() => {
      const { camera } = window.stickslip, { low, high } = camera.home, view = document.getElementById("view");
      const matrix = camera.matrix(view.clientWidth / view.clientHeight);
      const corner = (k) => [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i])).concat(1);
      const seen = (p) => { const at = (row) => p.reduce((sum, v, k) => sum + v * matrix[4 * k + row], 0); return Math.max(Math.abs(at(0)), Math.abs(at(1))) / at(3); };
      return Math.max(...[0, 1, 2, 3, 4, 5, 6, 7].map((k) => seen(corner(k))));
    });
    for (const [width, height] of [[1280, 800], [700, 900], [390, 844], [1600, 500]]) {
      await it.page.setViewportSize({ width, height });
      await it.page.waitForTimeout(300);
      const most = await widest();
      check(most > 0.7 && most < 0.95, `it fills ${width} × ${height}, found ${most}`);
    }
    await it.page.keyboard.press("+");
    const near = await it.page.evaluate(() => window.stickslip.camera.distance);
    await it.page.setViewportSize({ width: 1000, height: 800 });
    await it.page.waitForTimeout(300);
    check((await it.page.evaluate(() => window.stickslip.camera.distance)) === near, "a view that was chosen stays");
    await it.close();
  },

  async "a ball stays round, whatever the window's size and from the first picture of it on"(browser, pages) {
    const it = await Watched.open(browser, pages.ball);
    // This observer is called after the page's own, before anything is painted: what it notes is what is seen.
    await it.page.evaluate(() => {
      const view = document.getElementById("view");
      window.painted = [];
      new ResizeObserver(() => window.painted.push({ drawn: [view.width, view.height], shown: [view.clientWidth, view.clientHeight] })).observe(view);
      const s = window.stickslip;
      s.choose({ body: s.run.bodies.findIndex((body) => body.mass !== null) });
      document.getElementById("follow").click();
    });
    for (const [width, height] of [[390, 844], [1400, 500], [700, 900], [3840, 2160]]) {
      await it.page.setViewportSize({ width, height });
      await it.drawn();
      const painted = await it.page.evaluate(() => window.painted.splice(0));
      check(painted.length > 0 && painted.every(({ drawn, shown }) => drawn.every((pixels, k) => pixels === shown[k])), `pixels that are square at ${width} × ${height}, found ${JSON.stringify(painted)}`);
      // From its middle to the four sides, to half a pixel; marks are not asked.
      const reach = await it.page.evaluate(() => {
        const { stage, run, state } = window.stickslip, body = state.chosen.body, box = document.getElementById("view").getBoundingClientRect(), [x, y] = [box.left + 0.5 * box.width, box.top + 0.5 * box.height];
        stage.show.forces = false;
        stage.fillMarks(state.frame);
        const on = (px, py) => stage.pick(px, py)?.body === body;
        return [[1, 0], [-1, 0], [0, 1], [0, -1]].map(([dx, dy]) => {
          let [inside, outside] = [0, Math.max(box.width, box.height)];
          while (outside - inside > 0.5) { const r = 0.5 * (inside + outside); if (on(x + r * dx, y + r * dy)) inside = r; else outside = r; }
          return inside;
        });
      });
      check(reach[0] > 10 && reach.every((r) => Math.abs(r - reach[0]) <= 1.5), `as wide as high at ${width} × ${height}, found ${reach}`);
    }
    await it.close();
  },

  async "looks as stored"(browser, pages) {
    for (const [name, file, frame, options, prepare] of [
      ["stack-light", pages.stack, 600, {}, () => window.stickslip.choose({ body: 3 })],
      ["stack-dark", pages.stack, 170, { scheme: "dark" }, () => {}],
      ["ladder-cones", pages.ladder, 200, {}, () => document.getElementById("show-cones").click()],
      ["stack-phone", pages.stack, 600, { width: 390, height: 844 }, () => {}],
    ]) {
      const it = await Watched.open(browser, file, options);
      await it.page.evaluate(prepare);
      await it.seek(frame);
      const part = await compareWithStored(browser, await it.page.locator("#view").screenshot(), path.join(golden, `${name}.png`), at(`${name}.png`));
      console.log(`     ${name}: ${(100 * part).toFixed(2)} % of the pixels differ`);
      check(part < 0.02, `${name} as stored, but ${(100 * part).toFixed(1)} % of the pixels differ (see ${name}.png in the work folder)`);
      await it.close();
    }
  },

  async "the exported animation is valid glTF"() {
    for (const name of ["stack", "ladder"]) {
      stickslip("shot", at(`${name}.parquet`), "-o", at(`${name}.glb`));
      const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(at(`${name}.glb`))));
      check(issues.numErrors === 0 && issues.numWarnings === 0, `no error and no warning, found ${JSON.stringify(issues.messages)}`);
    }
  },
};

fs.mkdirSync(work, { recursive: true });
const pages = { stack: record("scenes/box_stack.toml", "stack"), ladder: record("scenes/ladder.toml", "ladder"), linkage: record("scenes/four_bar.toml", "linkage", "--joints", "--until", "1"), ball: record("scenes/rolling_sphere.toml", "ball"), two: at("two.html") };
record("scenes/box_stack.toml", "coarse", "--h", "0.02");
stickslip("view", at("stack.parquet"), at("coarse.parquet"), "-o", pages.two);
try { stickslip("run", "scenes/refused/vice.toml", "--quiet", "-o", at("vice.html")); } catch { /* It stops, as it should. */ }
const browser = await launch();
console.log(`   ${browser.version()}`);
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test(browser, pages);
    console.log(`   ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`   FAILED  ${name}\n           ${error.message}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
