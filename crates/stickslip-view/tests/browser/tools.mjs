// What the browser tests share: the browser, a page that is watched, pictures compared, numbers compared.

import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = ["--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-device-scale-factor=1", "--hide-scrollbars"];

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const args = process.getuid?.() === 0 ? ["--no-sandbox", ...FLAGS] : FLAGS;
  return chromium.launch({ executablePath, args });
}

export class Watched {
  // Opens a page from disk and notes every error and every request.
  static async open(browser, file, { width = 1100, height = 720, scheme = "light", hash = "" } = {}) {
    const watched = new Watched();
    watched.page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
    watched.errors = [];
    watched.requests = [];
    watched.page.on("console", (message) => { if (message.type() === "error") watched.errors.push(message.text()); });
    watched.page.on("pageerror", (error) => watched.errors.push(error.message));
    watched.page.on("request", (request) => watched.requests.push(request.url()));
    watched.url = pathToFileURL(file).href + hash;
    await watched.page.goto(watched.url);
    await watched.page.waitForSelector("html[data-ready]", { timeout: 60000 });
    return watched;
  }

  // Waits until what was last asked for is drawn: the page draws once a picture, after the input that asked for it.
  drawn() { return this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))); }

  // A value of the panel, of what is chosen now rather than of what was chosen before the last click.
  async value(key) {
    await this.drawn();
    return this.page.textContent(`[data-value="${key}"]`);
  }

  numbers(key) { return this.value(key).then((text) => text.split(",").map(Number)); }

  // Shows a frame and waits until it is drawn.
  async seek(frame) {
    await this.page.evaluate((f) => window.stickslip.seek(f), frame);
    await this.drawn();
  }

  async close() {
    const outside = this.requests.filter((url) => url.split("#")[0] !== this.url.split("#")[0] && !url.startsWith("data:") && !url.startsWith("blob:"));
    check(this.errors.length === 0, `no console error, found: ${this.errors.join("; ")}`);
    check(outside.length === 0, `no request leaves the page, found: ${outside.join(", ")}`);
    await this.page.close();
  }
}

export function check(good, what) {
  if (!good) throw new Error(`expected: ${what}`);
}

// Equal to six digits, measured on the largest number of the two lists; what is below `floor` is shown as nothing.
export function checkSixDigits(found, expected, what, floor = 0) {
  const size = Math.max(...expected.map(Math.abs), 1e-12);
  const same = found.length === expected.length && found.every((v, k) => Math.abs(v - expected[k]) <= Math.max(5e-7 * size, floor));
  check(same, `${what} = ${expected.join(", ")} to six digits, found ${found.join(", ")}`);
}

export function readCsv(file) {
  const [head, ...rows] = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, k) => [name, row[k]])));
}

// Part of the pixels that differ clearly from the stored picture. STICKSLIP_GOLDEN=write stores anew.
export async function compareWithStored(browser, png, stored, found) {
  if (process.env.STICKSLIP_GOLDEN === "write") { fs.writeFileSync(stored, png); return 0; }
  fs.writeFileSync(found, png);
  const page = await browser.newPage();
  const url = (bytes) => `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
  const part = await page.evaluate(async ([a, b]) => {
    const pixels = async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return { width: image.width, data: context.getImageData(0, 0, image.width, image.height).data };
    };
    const [x, y] = [await pixels(a), await pixels(b)];
    if (x.width !== y.width || x.data.length !== y.data.length) return 1;
    let differ = 0;
    for (let i = 0; i < x.data.length; i += 4) {
      if (Math.max(Math.abs(x.data[i] - y.data[i]), Math.abs(x.data[i + 1] - y.data[i + 1]), Math.abs(x.data[i + 2] - y.data[i + 2])) > 24) differ++;
    }
    return (4 * differ) / x.data.length;
  }, [url(png), url(fs.readFileSync(stored))]);
  await page.close();
  return part;
}
