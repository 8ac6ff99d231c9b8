import assert from "node:assert/strict";
import { test } from "node:test";
import { inWorld, type World } from "../host/pi.ts";

const settings = (more: object = {}) => ({ defaultTools: ["+find"], blockFindRoot: { blockBash: true }, ...more });

const search = (path: string) => ({ calls: [{ name: "find", args: { pattern: "*.ts", path } }] });
const bash = (command: string, more: object = {}) => ({ calls: [{ name: "bash", args: { command, ...more } }] });

test(
  "find / is blocked, as a tool and in bash, and the model reads why",
  inWorld(async (world) => {
    const pi = await world.run({
      settings: settings(),
      prompts: ["Search."],
      script: [
        search("/"),
        (request) => {
          assert.match(request.result(), /^find is not allowed in \/\n/);
          return bash("sudo timeout 1 find / -name aaa");
        },
        (request) => {
          assert.match(request.result(), /^bash may not run find in \/ \(rule: \/\)\n/);
          return bash("find . -maxdepth 0");
        },
        (request) => {
          assert.equal(request.result(), ".\n");
          return { text: "Done." };
        },
      ],
    });
    assert.equal(await pi.exit, 0);
    assert.equal(pi.result("call_1_1").isError, true);
    assert.equal(pi.result("call_2_1").isError, true);
    assert.equal(pi.result("call_3_1").isError, false);
  }),
);

test(
  "in Chinese the sentences are those of the documents",
  inWorld(async (world) => {
    const pi = await world.run({
      settings: settings({
        brakeline: { locale: "zh-CN" },
        blockFindRoot: { blockBash: true, forbiddenPaths: ["/", "/etc"] },
      }),
      prompts: ["找"],
      script: [search("/etc"), bash("find / -name aaa"), { text: "好" }],
    });
    assert.equal(pi.result("call_1_1").text.split("\n")[0], "禁止使用 /etc 查询内容");
    assert.equal(pi.result("call_2_1").text.split("\n")[0], "禁止使用 bash 调用 find 查询 /（命中：/）");
  }),
);

test(
  "bash is left alone unless the settings say so, and an empty list switches the guard off",
  inWorld(async (world) => {
    const depth = "find / -maxdepth 0";
    const first = await world.run({
      settings: { quietStartup: true },
      prompts: ["x"],
      script: [bash(depth), { text: "." }],
    });
    assert.equal(first.result("call_1_1").text, "/\n");
    const off = { blockFindRoot: { blockBash: true, forbiddenPaths: [] } };
    const second = await world.run({ settings: off, prompts: ["x"], script: [bash(depth), { text: "." }] });
    assert.equal(second.result("call_1_1").text, "/\n");
  }),
);

test(
  "a timeout is added, and one that is given is kept",
  inWorld(async (world) => {
    const pi = await world.run({
      settings: { defaultTimeout: 1 },
      prompts: ["Wait."],
      script: [bash("sleep 20"), bash("sleep 1.4; echo late", { timeout: 7 }), { text: "Done." }],
    });
    assert.match(pi.result("call_1_1").text, /timed out after 1 seconds/);
    assert.deepEqual(pi.result("call_2_1").text, "late\n");
    const kept = pi.records.find(
      ({ type, toolCallId }) => type === "tool_execution_start" && toolCallId === "call_1_1",
    );
    assert.deepEqual(kept?.args, { command: "sleep 20" }, "what the model wrote stays in the session");
  }),
);

test(
  "settings of a project count only when it is trusted",
  inWorld(async (world) => {
    const projectSettings = { blockFindRoot: { blockBash: true, forbiddenPaths: ["/usr"] } };
    const script = [bash("find /usr -maxdepth 0"), { text: "." }];
    const start = (trusted: boolean) =>
      world.run({ settings: {}, projectSettings, trusted, prompts: ["x"], script: [...script] });
    assert.equal((await start(false)).result("call_1_1").text, "/usr\n");
    assert.match((await start(true)).result("call_1_1").text, /^bash may not run find in \/usr/);
  }),
);

test(
  "settings that cannot be used are told once, and their defaults count",
  inWorld(async (world: World) => {
    const pi = await world.start({
      settings: { defaultTools: ["+find"], blockFindRoot: { forbiddenPaths: "/etc" } },
      script: [search("/"), { text: "." }, { text: "." }],
    });
    await pi.say("x");
    await pi.say("y");
    assert.equal(pi.result("call_1_1").isError, true);
    assert.equal(pi.notices.filter((text) => text.includes("blockFindRoot.forbiddenPaths")).length, 1, `${pi.notices}`);
  }),
);
