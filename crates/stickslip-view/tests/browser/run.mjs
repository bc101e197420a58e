// Tests of the page in a real browser: node run.mjs PROGRAM WORK ROOT, from `cargo xtask test`.
//
// PROGRAM is the built stickslip, WORK a folder for pages and screenshots (with names.html in it), ROOT that of the project. Every test says what it expected.

import { execFileSync } from "node:child_process";
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
      checkSixDigits(await it.numbers("velocity"), expected("vx", "vy", "vz"), `velocity in frame ${frame}`);
      checkSixDigits(await it.numbers("spin"), expected("wx", "wy", "wz"), `spin in frame ${frame}`);
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

  async "fits a phone"(browser, pages) {
    const it = await Watched.open(browser, pages.stack, { width: 390, height: 844, scheme: "dark" });
    check((await it.page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "no scrolling to the side");
    check((await it.page.locator("#view").boundingBox()).height > 250, "a view of some height");
    for (const id of ["play", "scrub", "speed", "bodies"]) check(await it.page.locator(`#${id}`).isVisible(), `#${id} to be seen`);
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
const pages = { stack: record("scenes/box_stack.toml", "stack"), ladder: record("scenes/ladder.toml", "ladder") };
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
