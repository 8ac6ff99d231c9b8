// How long a verdict takes: one `tool_call` to `brakeline serve` and back, beside one line to a program that only echoes.
//
//   node bench/round-trip.ts [ROUNDS]        BRAKELINE_BIN names the program, built with --release
//
// Both are asked in turn, in one run, so that the noise of the machine falls on both alike. Ends with status 1 if the median
// of serve is more than three times that of the echo, or more than MAX_RATIO times.

import { spawn } from "node:child_process";
import { once } from "node:events";

const rounds = Number(process.argv[2] ?? 3000);
const limit = Number(process.env.MAX_RATIO ?? 3);
const program = process.env.BRAKELINE_BIN ?? "brakeline";

class Sidecar {
  private readonly child;
  private rest = "";
  private resolve: (line: string) => void = () => {};

  constructor(command: string, args: string[]) {
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.rest += text;
      const end = this.rest.indexOf("\n");
      if (end < 0) return;
      const line = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + 1);
      this.resolve(line);
    });
  }

  ask(message: object): Promise<string> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await once(this.child, "close");
  }
}

const call = (id: number, command: string) => ({
  type: "event",
  id,
  session: "a",
  event: { type: "tool_call", toolName: "bash", toolCallId: `c${id}`, input: { command } },
});

// What agents run, from a glance to a script.
const commands = [
  "ls -la",
  "git status --short && git diff --stat",
  "cd src && find . -name '*.ts' | xargs grep -n TODO",
  "npm test 2>&1 | tail -40",
  'for f in *.md; do echo "$f"; wc -l < "$f"; done',
];

const quantile = (times: number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;

// An echo in the language of the program: cat is there on every machine that pi runs on.
const echo = new Sidecar("cat", []);
const serve = new Sidecar(program, ["serve"]);
await serve.ask({ type: "hello", id: 0, protocols: [1] });
const settings = { blockFindRoot: { blockBash: true } };
await serve.ask({ type: "open", id: 1, session: "a", host: "pi", cwd: "/srv/project", settings });

const times = { echo: [] as number[], serve: [] as number[] };
for (let round = 0; round < rounds + 200; round += 1) {
  const message = call(round, commands[round % commands.length] ?? "");
  for (const [name, sidecar] of Object.entries({ echo, serve }) as ["echo" | "serve", Sidecar][]) {
    const begin = performance.now();
    const answer = await sidecar.ask(message);
    // The first rounds warm both up.
    if (round >= 200) times[name].push((performance.now() - begin) * 1000);
    if (name === "serve" && !answer.includes('"timeout":120')) throw new Error(`no verdict: ${answer}`);
  }
}
await Promise.all([echo.end(), serve.end()]);

for (const [name, all] of Object.entries(times)) {
  const [median, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(all, part).toFixed(0));
  console.log(`${name.padEnd(6)} median ${median} µs   p95 ${p95} µs   p99 ${p99} µs   (${all.length} rounds)`);
}
const ratio = quantile(times.serve, 0.5) / quantile(times.echo, 0.5);
console.log(`ratio of the medians: ${ratio.toFixed(2)} (at most ${limit})`);
process.exitCode = ratio <= limit ? 0 : 1;
