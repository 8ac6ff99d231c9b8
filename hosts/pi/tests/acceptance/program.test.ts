import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { EXTENSION, inWorld, PROGRAM, type World } from "../host/pi.ts";

const calls = [
  { name: "bash", args: { command: "echo ran > bash.txt" } },
  { name: "write", args: { path: "write.txt", content: "ran" } },
  { name: "edit", args: { path: "app.txt", edits: [{ oldText: "one", newText: "two" }] } },
  { name: "find", args: { pattern: "*" } },
];

function assertNothingRan(world: World): void {
  assert.equal(world.read("app.txt"), "one\n");
  assert.ok(!world.has("bash.txt") && !world.has("write.txt"));
}

test(
  "without the program bash, edit, write and find are blocked, reading goes on, and pi lives",
  inWorld(async (world) => {
    world.write("app.txt", "one\n");
    const pi = await world.start({
      settings: { defaultTools: ["+find"] },
      env: { BRAKELINE_BIN: undefined },
      script: [{ calls }, { calls: [{ name: "read", args: { path: "app.txt" } }] }, { text: "Done." }],
    });
    await pi.say("Work.");
    for (const [at, { name }] of calls.entries()) {
      const { text, isError } = pi.result(`call_1_${at + 1}`);
      assert.ok(isError);
      assert.match(
        text,
        new RegExp(`^${name} is blocked \\(fail closed\\): the brakeline program \`brakeline\` is not found`),
      );
      assert.match(text, /BRAKELINE_BIN/);
    }
    assert.equal(pi.result("call_2_1").text, "one\n");
    assertNothingRan(world);
    assert.equal(pi.notices.filter((text) => text.includes("is not found")).length, 1, `${pi.notices}`);
    await pi.say("/guard tests pass");
    assert.match(String(pi.notices.at(-1)), /^\/guard: the brakeline program/);
    assert.equal(await pi.quit(), 0);
  }),
);

test(
  "in Chinese, too",
  inWorld(async (world) => {
    const pi = await world.run({
      env: { BRAKELINE_BIN: "/nonexistent/brakeline", LANG: "zh_CN.UTF-8" },
      prompts: ["x"],
      script: [{ calls: calls.slice(0, 1) }, { text: "." }],
    });
    assert.match(pi.result("call_1_1").text, /^已阻止 bash（fail-closed）：找不到 brakeline 程序/);
    assert.match(pi.stderr, /找不到 brakeline 程序/);
  }),
);

test(
  "a program that does not fit is a clear error",
  inWorld(async (world) => {
    const old = world.write(
      "old-brakeline",
      `#!/bin/sh\nread line\necho '{"type":"error","id":0,"code":"unsupported_protocol","message":"protocol 9 is spoken here (brakeline 9.0.0)"}'\ncat >/dev/null\n`,
    );
    chmodSync(old, 0o755);
    const pi = await world.run({
      env: { BRAKELINE_BIN: old },
      prompts: ["x"],
      script: [{ calls: calls.slice(0, 1) }, { text: "." }],
    });
    assert.match(pi.result("call_1_1").text, /does not fit this extension \(protocol 1\): protocol 9 is spoken here/);
    assert.ok(!world.has("bash.txt"));
  }),
);

test(
  "a program that has no serve is a clear error",
  inWorld(async (world) => {
    const pi = await world.run({
      env: { BRAKELINE_BIN: "/bin/false" },
      prompts: ["x"],
      script: [{ calls: calls.slice(0, 1) }, { text: "." }],
    });
    assert.match(pi.result("call_1_1").text, /has ended \(1\)/);
  }),
);

test(
  "when the program is killed in the middle of a run, calls are blocked, the guard lets go, and pi lives",
  inWorld(async (world) => {
    world.write("app.txt", "one\n");
    const pi = await world.start({
      extensions: [EXTENSION, world.reloadCommand("again")],
      script: [
        { calls: [{ name: "bash", args: { command: "echo first" } }] },
        (request) => {
          assert.equal(request.result(), "first\n");
          process.kill(pi.programPid(), "SIGKILL");
          return { calls: calls.slice(0, 3) };
        },
        (request) => {
          assert.match(request.result(), /is blocked \(fail closed\): the brakeline program .* has ended \(SIGKILL\)/);
          assert.ok(!request.tools.includes("guard_check"));
          return { text: "I cannot go on." };
        },
        { text: "Still here." },
      ],
    });
    await pi.say("/guard tests pass");
    await pi.say("Work.");
    assertNothingRan(world);
    assert.equal(pi.model.requests.length, 3, "nobody sends the agent on");
    assert.equal(pi.notices.filter((text) => text.includes("has ended (SIGKILL)")).length, 1, `${pi.notices}`);
    assert.ok(pi.notices.includes("⚠️ The program that keeps the guard is gone: the guard lets go"), `${pi.notices}`);
    await pi.say("Are you there?");
    await pi.say("/again");
    await pi.say("/guard");
    assert.match(
      String(pi.notices.at(-1)),
      /^Guard: tests pass/,
      "a reload brings the program back, and the guard with it",
    );
    assert.equal(await pi.quit(), 0);
  }),
);

test(
  "when the program is killed while the user is asked, the guard lets go",
  inWorld(async (world) => {
    const pi = await world.start({ script: [{ calls: [{ name: "guard_check", args: {} }] }] });
    pi.answer = (dialog) => {
      process.kill(pi.programPid(), "SIGKILL");
      setTimeout(() => pi.reply(dialog, { value: dialog.options?.[1] }), 300);
      return undefined;
    };
    await pi.say("/guard tests pass");
    await pi.say("Work.");
    assert.match(pi.result("call_1_1").text, /the guard lets go/);
    assert.equal(await pi.quit(), 0);
  }),
);

test(
  "pi install, and the program from PATH; pi remove, and nothing is left but the state",
  inWorld(async (world) => {
    const bin = world.write("bin/brakeline", `#!/bin/sh\nexec ${JSON.stringify(PROGRAM)} "$@"\n`);
    chmodSync(bin, 0o755);
    const env = { BRAKELINE_BIN: undefined, PATH: `${world.environment().PATH}:${world.workspace}/bin` };
    await world.command(["install", EXTENSION], env);
    const script = [{ calls: [{ name: "find", args: { pattern: "*", path: "/" } }] }, { text: "." }];
    const settings = { ...world.settings(), defaultTools: ["+find"] };
    const pi = await world.run({ settings, extensions: [], env, prompts: ["x"], script: [...script] });
    assert.match(pi.result("call_1_1").text, /^find is not allowed in \//);
    await world.command(["remove", EXTENSION], env);
    const after = await world.run({ extensions: [], env, prompts: ["x"], script: [{ text: "." }] });
    assert.equal(await after.exit, 0);
    assert.deepEqual(world.settings().packages ?? [], []);
  }),
);
