import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inWorld, type World } from "../host/pi.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });

/** The user's `sandbox.json`. */
function write(world: World, config: object | string): void {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  writeFileSync(join(world.agentDir, "sandbox.json"), text);
}

test(
  "without a sandbox.json every command runs, with one only those that it allows",
  inWorld(async (world) => {
    const script = [bash("echo hi"), bash("uname"), { text: "." }];
    const free = await world.run({ prompts: ["x"], script: [...script] });
    assert.equal(free.result("call_1_1").text, "hi\n");
    assert.equal(free.result("call_2_1").isError, false);
    write(world, { enabled: false, shell: { permissons: { "*": "deny", "echo *": "allow" } } });
    const held = await world.run({ prompts: ["x"], script: [...script] });
    assert.equal(held.result("call_1_1").text, "hi\n");
    assert.equal(held.result("call_2_1").isError, true);
    assert.match(held.result("call_2_1").text, /uname/);
  }),
);

test(
  "a project's sandbox.json counts only when the project is trusted",
  inWorld(async (world) => {
    write(world, { enabled: false, shell: { permissons: { "*": "deny" } } });
    world.write(".pi/sandbox.json", JSON.stringify({ shell: { permissons: { "uname *": "allow", uname: "allow" } } }));
    const run = (trusted: boolean) => world.run({ trusted, prompts: ["x"], script: [bash("uname"), { text: "." }] });
    assert.equal((await run(false)).result("call_1_1").isError, true);
    assert.equal((await run(true)).result("call_1_1").isError, false);
  }),
);

test(
  "with a sandbox.json that cannot be read no command runs, and the file is named",
  inWorld(async (world) => {
    write(world, '{"shell": ');
    const pi = await world.run({ prompts: ["x"], script: [bash("echo hi"), { text: "." }] });
    assert.equal(pi.result("call_1_1").isError, true);
    assert.match(pi.result("call_1_1").text, /sandbox\.json/);
  }),
);

const works = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]).status === 0;

test(
  "commands run in the sandbox: they write in the project, and nowhere else",
  { skip: works ? false : "bwrap makes no sandbox on this machine" },
  inWorld(async (world) => {
    write(world, { shell: { allowMultiple: true, permissons: { "*": "allow" } } });
    const outside = join(world.home, "outside.txt");
    const pi = await world.run({
      prompts: ["x"],
      script: [bash("echo inside > inside.txt && cat inside.txt"), bash(`echo outside > ${outside}`), { text: "." }],
    });
    assert.match(pi.result("call_1_1").text, /^inside\n/, pi.stderr);
    assert.equal(world.read("inside.txt"), "inside\n");
    assert.equal(pi.result("call_2_1").isError, true);
    assert.ok(!existsSync(outside));
    const started = pi.records.find(
      ({ type, toolCallId }) => type === "tool_execution_start" && toolCallId === "call_1_1",
    );
    assert.match(
      JSON.stringify(started?.args),
      /^\{"command":"echo inside/,
      "the model's own words stay in the session",
    );
  }),
);
