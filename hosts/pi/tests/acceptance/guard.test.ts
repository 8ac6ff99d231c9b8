import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "../host/model.ts";
import { type Dialog, EXTENSION, inWorld, type Pi } from "../host/pi.ts";

const check = (note?: string) => ({ calls: [{ name: "guard_check", args: note === undefined ? {} : { note } }] });
const offered = (request: ModelRequest) => request.tools.includes("guard_check");

/** Answers dialogs one after the other: the place of an option, a text, or nothing. */
function answers(...all: (number | string | null)[]): (dialog: Dialog) => object {
  return (dialog) => {
    const next = all.shift();
    if (typeof next === "number") return { value: dialog.options?.[next] };
    return typeof next === "string" ? { value: next } : { cancelled: true };
  };
}

const settled = (pi: Pi) => pi.count("agent_settled");

test(
  "a guard from its setting to the confirmation",
  inWorld(async (world) => {
    const pi = await world.start({
      settings: { brakeline: { locale: "zh-CN" } },
      answer: answers(1, "README 还没写", 0),
      script: [
        (request) => {
          assert.ok(offered(request), "the tool is there while the guard is in force");
          assert.ok(
            request.messages.some(({ text }) => text.includes("npm test 全绿") && text.includes("guard_check")),
          );
          return { text: "改完了，validate() 的测试补上了" };
        },
        (request) => {
          assert.equal(request.last, "提问：你是否做完了？（第 1/5 次续跑）");
          return check("npm test 全绿，12 passing");
        },
        (request) => {
          assert.equal(request.result(), "README 还没写", "what the user says, word for word");
          return { text: "README 写好了" };
        },
        (request) => {
          assert.equal(request.last, "提问：你是否做完了？（第 2/5 次续跑）");
          return check();
        },
        (request) => {
          assert.ok(!offered(request), "the guard is gone, and so is the tool");
          return { text: "再见" };
        },
      ],
    });
    await pi.say("/guard npm test 全绿，并且新增代码都有测试");
    assert.equal(settled(pi), 0, "setting a guard starts no run");
    await pi.say("把 validate() 的测试补上");
    assert.equal(settled(pi), 1);
    assert.deepEqual(
      pi.dialogs.map(({ method, title }) => [method, title]),
      [
        ["select", "守卫条件是否已满足：npm test 全绿，并且新增代码都有测试\n模型说明：npm test 全绿，12 passing"],
        ["input", "还差什么"],
        ["select", "守卫条件是否已满足：npm test 全绿，并且新增代码都有测试"],
      ],
    );
    assert.deepEqual(pi.dialogs[0]?.options, ["✅ 满足了，可以收工", "🔁 还没，继续干"]);
    assert.deepEqual(pi.result("call_2_1").details, { end: false });
    assert.deepEqual(pi.result("call_4_1").details, { end: true, by: "user" });
    assert.ok(pi.notices.includes("✅ 用户确认条件已满足"), `${pi.notices}`);
    assert.deepEqual(await pi.entries(), [
      "guard",
      "guard-condition",
      "guard-continue",
      "guard-feedback",
      "guard-continue",
      "guard-feedback",
      "guard",
    ]);
    await pi.say("/guard");
    assert.equal(pi.notices.at(-1), "当前没有守卫");
    await pi.say("还在吗");
  }),
);

test(
  "guard_check is offered only while a guard is in force",
  inWorld(async (world) => {
    const plain = (request: ModelRequest) => {
      assert.ok(!offered(request));
      return { text: "." };
    };
    const pi = await world.start({ script: [plain, plain] });
    await pi.say("one");
    await pi.say("/guard tests pass");
    await pi.say("/guard off");
    assert.match(String(pi.notices.at(-1)), /^Guard cleared: tests pass/);
    await pi.say("two");
  }),
);

test(
  "a dialog that is dismissed lets go, and says so",
  inWorld(async (world) => {
    const pi = await world.start({ answer: answers(null), script: [check()] });
    await pi.say("/guard tests pass");
    await pi.say("Work.");
    assert.deepEqual(pi.result("call_1_1").details, { end: true, by: "dismissed" });
    assert.ok(
      pi.notices.some((text) => text.startsWith("⚠️ The question was closed")),
      `${pi.notices}`,
    );
  }),
);

test(
  "a dialog whose time is over lets go",
  inWorld(async (world) => {
    // pi itself closes the dialog; the user never answers.
    const settings = { guardLoop: { askTimeoutMs: 300 } };
    const pi = await world.start({ settings, answer: () => undefined, script: [check()] });
    await pi.say("/guard tests pass");
    await pi.say("Work.");
    assert.equal(pi.dialogs[0]?.timeout, 300);
    assert.deepEqual(pi.result("call_1_1").details, { end: true, by: "timeout" });
  }),
);

test(
  "where nobody can be asked the guard of the settings lets go",
  inWorld(async (world) => {
    const pi = await world.run({
      settings: { guardLoop: { auto: "tests pass" } },
      prompts: ["Work."],
      script: [
        (request) => {
          assert.ok(offered(request), "the settings set a guard as the session starts");
          assert.ok(request.messages.some(({ text }) => text.includes("tests pass")));
          return { text: "Done." };
        },
        check(),
      ],
    });
    assert.equal(await pi.exit, 0);
    assert.deepEqual(pi.result("call_2_1").details, { end: true, by: "no-ui" });
    assert.match(pi.stderr, /There was nobody to ask/);
  }),
);

test(
  "at the limit the guard lets go, and never silently",
  inWorld(async (world) => {
    const stop = { text: "Done, really." };
    const pi = await world.start({ script: [stop, stop, stop] });
    await pi.say("/guard max 2");
    assert.equal(pi.notices.at(-1), "Limit of this session is now 2 continuations");
    await pi.say("/guard tests pass");
    await pi.say("Work.");
    assert.equal(pi.model.requests.length, 3);
    assert.equal(pi.model.requests[2]?.last, "Question: are you done? (continuation 2 of 2)");
    assert.ok(
      pi.notices.some((text) => text.startsWith("⚠️ The limit of 2 continuations is reached")),
      `${pi.notices}`,
    );
    await pi.say("/guard max");
    assert.equal(pi.notices.at(-1), "Limit of this session: 2 continuations");
    await pi.say("/guard");
    assert.equal(pi.notices.at(-1), "There is no guard");
    await pi.say("/guard max many");
    assert.match(String(pi.notices.at(-1)), /`many` is not a limit/);
  }),
);

test(
  "a guard outlives a reload, and a fork has it where it was set",
  inWorld(async (world) => {
    const has = (request: ModelRequest) => {
      assert.ok(offered(request));
      return check();
    };
    const hasNot = (request: ModelRequest) => {
      assert.ok(!offered(request));
      return { text: "." };
    };
    const pi = await world.start({
      extensions: [EXTENSION, world.reloadCommand("again")],
      answer: answers(0, 0),
      script: [hasNot, has, has, hasNot],
    });
    await pi.say("First.");
    await pi.say("/guard tests pass");
    await pi.say("/again");
    await pi.say("/guard");
    assert.match(String(pi.notices.at(-1)), /^Guard: tests pass \(0 of 5/);
    await pi.say("Second.");
    await pi.say("/guard");
    assert.equal(pi.notices.at(-1), "There is no guard");

    const { data } = await pi.send({ type: "get_fork_messages" });
    const { messages } = data as { messages: { entryId: string; text: string }[] };
    const at = (text: string) => messages.find((message) => message.text === text)?.entryId;
    // The branch in front of the second prompt still has the guard, that in front of the first never had it.
    await pi.send({ type: "fork", entryId: at("Second.") });
    await pi.say("/guard");
    assert.match(String(pi.notices.at(-1)), /^Guard: tests pass/);
    await pi.say("Third.");
    const again = (await pi.send({ type: "get_fork_messages" })).data as typeof data & { messages: typeof messages };
    await pi.send({ type: "fork", entryId: again.messages.find(({ text }) => text === "First.")?.entryId });
    await pi.say("Fourth.");
  }),
);

test(
  "after a compaction the model is told of the guard again",
  inWorld(async (world) => {
    const pi = await world.start({
      settings: { compaction: { keepRecentTokens: 1 } },
      answer: answers(0),
      script: [
        { text: "Well." },
        { text: "A summary." },
        (request) => {
          assert.ok(offered(request));
          assert.match(request.messages.map(({ text }) => text).join("\n"), /tests pass[\s\S]*guard_check/);
          return check();
        },
      ],
    });
    await pi.say("First.");
    await pi.say("/guard tests pass");
    await pi.send({ type: "compact" });
    await pi.say("Second.");
    assert.equal((await pi.entries()).filter((key) => key === "guard-condition").length, 2);
  }),
);

test(
  "a run that fails or is stopped is not sent on",
  inWorld(async (world) => {
    const pi = await world.start({
      script: [{ calls: [{ name: "bash", args: { command: "sleep 30" } }] }],
    });
    await pi.say("/guard tests pass");
    const run = pi.say("Work.");
    await pi.until(({ type }) => type === "tool_execution_start");
    await pi.send({ type: "abort" });
    await run;
    assert.equal(pi.model.requests.length, 1);
    await pi.say("/guard");
    assert.match(String(pi.notices.at(-1)), /^Guard: tests pass \(0 of 5/);
  }),
);
