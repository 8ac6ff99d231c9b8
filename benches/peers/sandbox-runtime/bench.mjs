// What one command costs in npm's @anthropic-ai/sandbox-runtime: `node bench.mjs ROUNDS` in the project's folder prints JSON,
// all in milliseconds, under the lists that the bench gives brakeline: how long its manager takes to start, and for each command how long to wrap it and to run it.
import { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { spawn } from "node:child_process";

const rounds = Number(process.argv[2] ?? 20);
const now = () => Number(process.hrtime.bigint()) / 1e6;

const begin = now();
await SandboxManager.initialize({
  network: { allowedDomains: ["example.com"], deniedDomains: [] },
  filesystem: { denyRead: ["~/.ssh", ".env"], allowRead: [], allowWrite: ["."], denyWrite: [] },
});
const initialize = now() - begin;

const wrap = [];
const run = [];
for (let round = 0; round < rounds; round += 1) {
  const start = now();
  const command = await SandboxManager.wrapWithSandbox("true");
  const wrapped = now();
  await new Promise((resolve, reject) => {
    const child = spawn(command, { shell: "/bin/bash", stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`exit status ${code}`))));
  });
  wrap.push(wrapped - start);
  run.push(now() - wrapped);
}
SandboxManager.cleanupAfterCommand?.();
await SandboxManager.reset();
console.log(JSON.stringify({ initialize, wrap, run }));
process.exit(0);
