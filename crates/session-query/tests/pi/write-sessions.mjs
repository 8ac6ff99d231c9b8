// Writes sessions with the real pi and prints, one JSON line per session, what the real pi reads from the file.
//
//   node write-sessions.mjs PI_FOLDER OUT_FOLDER COUNT
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [piFolder, out, count] = process.argv.slice(2);
const entryPoint = resolve(piFolder, "node_modules/@earendil-works/pi-coding-agent/dist/index.js");
const { SessionManager } = await import(pathToFileURL(entryPoint));

// A small generator with a seed, so that a failure can be looked at again.
let seed = 1;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
const pick = (list) => list[random(list.length)];

const texts = [
  "plain",
  'quotes " and \\ backslashes \\" and more',
  "two\nlines\r\nand a tab\t",
  '","id":"00000000","parentId":"11111111","timestamp":"t"}',
  "中文，表情 🔁，\u2028 \u0000",
  "\ud800 alone",
  "x".repeat(3000),
];
const data = () =>
  pick([
    undefined,
    null,
    random(100),
    -0.5e-7,
    pick(texts),
    [pick(texts), { id: "00000000", parentId: null }],
    { kind: "set", condition: pick(texts) },
    { id: "00000000", parentId: "11111111", timestamp: "t", type: "custom", customType: "guard" },
  ]);
const keys = ["guard", "guard-continue", "guard-defaults", 'odd "key" \\', "中文"];
const user = () => ({ role: "user", content: [{ type: "text", text: pick(texts) }], timestamp: 1 });
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
const assistant = () => ({
  role: "assistant",
  content: [{ type: "text", text: pick(texts) }, { type: "toolCall", id: "c", name: "find", arguments: { pattern: pick(texts) } }],
  api: "a", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 1,
});
const toolResult = () => ({
  role: "toolResult", toolCallId: "c", toolName: pick(["find", "guard_check"]),
  content: [{ type: "text", text: pick(texts) }], details: data(), isError: random(5) === 0, timestamp: 1,
});

function step(session) {
  const ids = session.getEntries().map((entry) => entry.id);
  const branch = session.getBranch().map((entry) => entry.id);
  switch (random(14)) {
    case 0: return session.branch(pick(ids));
    case 1: return session.branchWithSummary(pick(ids), pick(texts), data());
    case 2: return session.appendCompaction(pick(texts), pick([null, pick(branch)]), 1000, data(), random(2) === 0);
    case 3: return session.appendLabelChange(pick(ids), pick([undefined, "label"]));
    case 4: return session.appendModelChange("p", "m");
    case 5: return session.appendThinkingLevelChange("high");
    case 6: return session.appendCustomMessageEntry(pick(keys), pick(texts), false, data());
    case 7: return session.appendMessage(assistant());
    case 8: return session.appendMessage(toolResult());
    case 9: return session.appendMessage(user());
    case 10: return random(10) === 0 ? session.resetLeaf() : session.appendSessionInfo("name");
    default: return session.appendCustomEntry(pick(keys), data());
  }
}

/// What a crash or an editor leaves behind; pi must read it, too.
const damages = [
  (bytes) => bytes,
  (bytes) => bytes.subarray(0, bytes.length - 1),
  (bytes) => bytes.subarray(0, bytes.length - 1 - random(200)),
  (bytes) => Buffer.concat([bytes, Buffer.from('{"type":"custom","customType":"guard","data":{"x"')]),
  (bytes) => Buffer.from(bytes.toString().replaceAll("\n", "\r\n")),
  (bytes) => Buffer.from(bytes.toString().replace("\n", "\nnot json\n\n \n")),
  (bytes) => Buffer.from(bytes.toString().split("\n").map((line) => line && JSON.stringify(JSON.parse(line), null, 1).replaceAll("\n", " ")).join("\n")),
];

for (let number = 0; number < Number(count); number++) {
  const session = SessionManager.create("/", out);
  session.appendModelChange("p", "m");
  session.appendMessage(user());
  for (let steps = 1 + random(120); steps > 0; steps--) step(session);
  let written = session.getSessionFile();
  if (random(4) === 0) {
    // pi's own fork into a new file.
    const fork = SessionManager.open(written, out);
    written = fork.createBranchedSession(pick(fork.getEntries()).id);
    if (!fork._hasConversation?.()) { number--; continue; }
  }
  const file = join(out, `session-${number}.jsonl`);
  writeFileSync(file, pick(damages)(readFileSync(written)));
  // pi repairs what it opens: it gets a copy of its own.
  const copy = join(out, `copy-${number}.jsonl`);
  copyFileSync(file, copy);
  const branch = SessionManager.open(copy, out).getBranch();
  const state = {};
  for (const entry of branch) if (entry.type === "custom") state[entry.customType] = entry.data ?? null;
  console.log(JSON.stringify({ file, branch, state }));
}
