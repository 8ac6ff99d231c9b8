import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../../src/dialogs.ts";
import { apply, setTools } from "../../src/effects.ts";
import { type Forwarded, TRANSLATIONS } from "../../src/events.ts";
import { languageOf } from "../../src/language.ts";
import { type Dialog, PROTOCOL } from "../../src/protocol.ts";
import { blockedText, goneText, refusedText, warningText } from "../../src/texts.ts";

const pi = { sendMessage: () => assert.fail("nothing is sent") };
const tell = (type: Forwarded, event: object) => TRANSLATIONS[type].tell(event as never);
const obey = (type: Forwarded, decision: Record<string, unknown> | undefined, event: object = {}) =>
  TRANSLATIONS[type].obey(decision, event as never, pi);

test("a call's input is changed in place, and only where the program says", () => {
  const input: Record<string, unknown> = { command: "make", timeout: null, big: 0.1, gone: 1 };
  const event = { type: "tool_call", toolName: "bash", toolCallId: "c", input };
  assert.deepEqual(tell("tool_call", event), { toolName: "bash", toolCallId: "c", parentToolCallId: undefined, input });
  assert.equal(obey("tool_call", { set: { timeout: 120, new: 2 }, remove: ["gone"] }, event), undefined);
  assert.equal(event.input, input);
  assert.equal(JSON.stringify(input), '{"command":"make","timeout":120,"big":0.1,"new":2}');
});

test("a block is a block, and nothing else changes", () => {
  const input = { command: "find /" };
  const decision = { block: { reason: "no", details: { rule: "/" } } };
  assert.deepEqual(obey("tool_call", decision, { input }), { block: true, reason: "no", terminate: false });
  assert.deepEqual(input, { command: "find /" });
  for (const type of Object.keys(TRANSLATIONS) as Forwarded[]) assert.equal(obey(type, undefined), undefined, type);
});

test("boundaries add to what other extensions proposed", () => {
  const before = { type: "custom", customType: "other" };
  const mine = { type: "custom", customType: "guard-continue" };
  const event = { outcome: "completed", entries: [before], continue: false, context: { canContinue: false } };
  assert.deepEqual(tell("agent_before_settle", event), { outcome: "completed", canContinue: false });
  assert.deepEqual(obey("agent_before_settle", { entries: [mine], continue: true }, event), {
    entries: [before, mine],
    continue: true,
  });
  assert.deepEqual(obey("turn_end", { entries: [mine] }, { ...event, continue: true }), {
    entries: [before, mine],
    continue: true,
  });
});

test("input is transformed, handled, or goes on", () => {
  assert.deepEqual(obey("input", { text: "new" }), { action: "transform", text: "new" });
  assert.deepEqual(obey("input", { text: "new", images: [] }), { action: "transform", text: "new", images: [] });
  assert.deepEqual(obey("input", { handled: true }), { action: "handled" });
  assert.deepEqual(obey("input", {}), undefined);
});

test("a command of the user is stopped by an error, or its result is given", () => {
  assert.throws(() => obey("user_bash", { block: { reason: "not here" } }), { message: "not here" });
  assert.deepEqual(obey("user_bash", { result: { output: "x" } }), { result: { output: "x" } });
});

test("of several messages before a run pi takes one, and is sent the others", () => {
  const sent: unknown[] = [];
  const messages = ["a", "b", "c"].map((customType) => ({ customType, content: customType, display: true }));
  const taker = { sendMessage: (message: unknown) => void sent.push(message) };
  const made = TRANSLATIONS.before_agent_start.obey({ messages, systemPrompt: "be brief" }, {} as never, taker);
  assert.deepEqual(made, { message: messages[0], systemPrompt: "be brief" });
  assert.deepEqual(sent, messages.slice(1));
  const event = { messageType: "custom", message: { content: [{ type: "text", text: "go" }] }, systemPrompt: "s" };
  assert.deepEqual(tell("before_agent_start", event), { prompt: [{ type: "text", text: "go" }], systemPrompt: "s" });
});

test("effects are done in their order", () => {
  const done: unknown[] = [];
  let active = ["read", "bash"];
  const actions = {
    appendEntry: (...all: unknown[]) => void done.push(["entry", ...all]),
    sendMessage: (...all: unknown[]) => void done.push(["message", ...all]),
    getActiveTools: () => active,
    setActiveTools: (names: string[]) => {
      active = names;
      done.push(["tools", names]);
    },
  };
  const ui = {
    notify: (...all: unknown[]) => void done.push(["notify", ...all]),
    setStatus: (...all: unknown[]) => void done.push(["status", ...all]),
  };
  const context = { hasUI: true, ui };
  apply(
    [
      { type: "append_entry", customType: "guard", data: { kind: "clear" } },
      { type: "send_message", customType: "m", content: "c", display: false, triggerTurn: true },
      { type: "set_tools", activate: ["guard_check"], deactivate: [] },
      { type: "set_tools", activate: ["guard_check"], deactivate: ["never"] },
      { type: "set_tools", activate: [], deactivate: ["guard_check"] },
      { type: "notify", level: "warning", text: "careful" },
      { type: "set_status", key: "k", text: null },
    ],
    actions as never,
    context as never,
  );
  assert.deepEqual(done, [
    ["entry", "guard", { kind: "clear" }],
    ["message", { customType: "m", display: false, details: undefined, content: "c" }, { triggerTurn: true }],
    ["tools", ["read", "bash", "guard_check"]],
    ["tools", ["read", "bash"]],
    ["notify", "careful", "warning"],
    ["status", "k", undefined],
  ]);
  setTools(["bash"], [], actions as never);
  assert.deepEqual(active, ["read", "bash"], "the order of pi stays");
});

test("dialogs end in an answer of their kind", async () => {
  type Shown = Parameters<typeof ask>[1];
  const user = (answer: unknown, hasUI = true): Shown => {
    const show = async (): Promise<never> => answer as never;
    return { hasUI, ui: { select: show, confirm: show, input: show } };
  };
  const select: Dialog = { kind: "select", title: "?", options: ["yes", "no"] };
  const confirm: Dialog = { kind: "confirm", title: "?", message: "" };
  const input: Dialog = { kind: "input", title: "?" };
  assert.deepEqual(await ask(select, user("no"), undefined), { kind: "selected", index: 1 });
  assert.deepEqual(await ask(select, user("maybe"), undefined), { kind: "dismissed" });
  assert.deepEqual(await ask(select, user(undefined), undefined), { kind: "dismissed" });
  assert.deepEqual(await ask(confirm, user(true), undefined), { kind: "confirmed", yes: true });
  assert.deepEqual(await ask(confirm, user(false), undefined), { kind: "confirmed", yes: false });
  assert.deepEqual(await ask(input, user(""), undefined), { kind: "text", text: "" });
  assert.deepEqual(await ask(input, user(undefined), undefined), { kind: "dismissed" });
  assert.deepEqual(await ask(input, user("x", false), undefined), { kind: "no_ui" });
  assert.deepEqual(await ask(input, user("x"), AbortSignal.abort()), { kind: "dismissed" });
  const unknown = { kind: "dance", title: "?" } as unknown as Dialog;
  assert.deepEqual(await ask(unknown, user("x"), undefined), { kind: "no_ui" });
});

test("no answer after the time is over is told from one before", async () => {
  const after = (ms: number) => ({
    hasUI: true,
    ui: {
      select: () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms)),
      confirm: () => new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms)),
      input: async () => undefined,
    },
  });
  const select: Dialog = { kind: "select", title: "?", options: ["a"], timeoutMs: 100 };
  assert.deepEqual(await ask(select, after(100), undefined), { kind: "timed_out" });
  assert.deepEqual(await ask(select, after(1), undefined), { kind: "dismissed" });
  const confirm: Dialog = { kind: "confirm", title: "?", message: "", timeoutMs: 100 };
  assert.deepEqual(await ask(confirm, after(100), undefined), { kind: "timed_out" });
  assert.deepEqual(await ask(confirm, after(1), undefined), { kind: "confirmed", yes: false });
});

test("the language is the setting's, else the locale's", () => {
  assert.equal(languageOf({ brakeline: { locale: "en" } }, { LANG: "zh_CN.UTF-8" }), "en");
  assert.equal(languageOf({ brakeline: { locale: "auto" } }, { LANG: "zh_CN.UTF-8" }), "zh-CN");
  assert.equal(languageOf({ brakeline: null }, { LC_ALL: "", LC_MESSAGES: "ZH_TW" }), "zh-CN");
  assert.equal(languageOf({ brakeline: "zh-CN" }, { LC_ALL: "C.UTF-8", LANG: "zh_CN.UTF-8" }), "en");
  assert.equal(languageOf(undefined, {}), "en");
});

test("every text says what is wrong and how to mend it, in both languages", () => {
  const program = "/opt/brakeline";
  const reasons = [
    { kind: "missing", program },
    { kind: "not-started", program, message: "EACCES" },
    { kind: "wrong-version", program, message: `protocol ${PROTOCOL + 1} is spoken here` },
    { kind: "refused", program, message: "sandbox.json:1:2: no JSON" },
    { kind: "silent", program, seconds: 30 },
    { kind: "ended", program, status: "SIGKILL", said: "" },
    { kind: "ended", program, status: "101", said: "out of memory" },
  ] as const;
  for (const why of reasons) {
    for (const language of ["zh-CN", "en"] as const) {
      assert.match(goneText(why, language), /\/opt\/brakeline/);
      assert.match(blockedText("bash", why, language), language === "en" ? /bash is blocked/ : /已阻止 bash/);
      assert.match(warningText(why, language), /\/reload/);
    }
    assert.notEqual(goneText(why, "en"), goneText(why, "zh-CN"));
  }
  assert.match(refusedText("edit", "because", "en"), /edit is blocked.*because/);
});
