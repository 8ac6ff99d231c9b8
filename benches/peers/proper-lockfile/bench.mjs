// What proper-lockfile needs for one acquire and release, and how much eight processes get done on one file.
//
//   node bench.mjs FILE ROUNDS            one line of JSON: p50 of the sync and the async form, in microseconds
//   node bench.mjs contend FILE SECONDS   one line of JSON: acquisitions per second of eight processes
//   node bench.mjs worker FORM FILE SECONDS
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import lockfile from "proper-lockfile";

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const micros = (from) => Number(process.hrtime.bigint() - from) / 1000;

async function alone(file, rounds) {
  const sync = [];
  for (let round = 0; round < rounds; round++) {
    const begin = process.hrtime.bigint();
    lockfile.lockSync(file)();
    sync.push(micros(begin));
  }
  const async_ = [];
  for (let round = 0; round < rounds; round++) {
    const begin = process.hrtime.bigint();
    await (await lockfile.lock(file))();
    async_.push(micros(begin));
  }
  return { sync: median(sync), async: median(async_) };
}

// In three ways: with the package's own retries as they come (a second's pause at first, then longer), in the sync form, which
// has no retries and just tries again, and with retries tuned by hand to what gets most done.
const RETRIES = {
  default: { retries: 10 },
  async: { retries: 50, factor: 1, minTimeout: 1, maxTimeout: 5 },
};

async function worker(form, file, seconds) {
  const end = Date.now() + seconds * 1000;
  let count = 0;
  while (Date.now() < end) {
    try {
      if (form === "sync") lockfile.lockSync(file)();
      else await (await lockfile.lock(file, { retries: RETRIES[form] }))();
      count += 1;
    } catch (error) {
      if (error.code !== "ELOCKED") throw error;
    }
  }
  return count;
}

function contend(form, file, seconds) {
  const one = () =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "worker", form, file, String(seconds)]);
      let text = "";
      child.stdout.on("data", (data) => (text += data));
      child.on("close", () => resolve(Number(text) || 0));
    });
  return Promise.all(Array.from({ length: 8 }, one)).then((counts) => counts.reduce((a, b) => a + b, 0) / seconds);
}

const [first, ...rest] = process.argv.slice(2);
if (first === "worker") {
  console.log(await worker(rest[0], rest[1], Number(rest[2])));
} else if (first === "contend") {
  const rates = {};
  for (const form of ["default", "sync", "async"]) {
    rates[form] = await contend(form, rest[0], Number(rest[1]));
    await sleep(100);
  }
  console.log(JSON.stringify(rates));
} else {
  console.log(JSON.stringify(await alone(first, Number(rest[0]))));
}
