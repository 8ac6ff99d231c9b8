import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Asker, Connection, ProgramGone, programOf, Refused } from "../../src/connection.ts";
import { MAX_LINE_BYTES } from "../../src/protocol.ts";

const fake = join(import.meta.dirname, "fake-program.ts");
const connect = (behaviour: string) => new Connection(process.execPath, [fake, behaviour]);
const nobody: Asker = async () => ({ kind: "no_ui" });
const event = { type: "event", session: "s", event: { type: "agent_start" } } as const;

test("answers find their requests", async () => {
  const connection = connect("good");
  await connection.hello(10);
  const answers = await Promise.all([1, 2, 3].map(() => connection.request(event, nobody, 10)));
  assert.deepEqual(
    answers.map(({ decision }) => decision),
    [{ got: "event" }, { got: "event" }, { got: "event" }],
  );
  await connection.end(5);
  assert.deepEqual(await connection.gone, { kind: "ended", program: process.execPath, status: "0", said: "" });
});

test("lines may come in pieces, and several at once", async () => {
  const connection = connect("pieces");
  await connection.hello(10);
  const answers = await Promise.all([1, 2].map(() => connection.request(event, nobody, 10)));
  for (const answer of answers) assert.deepEqual(answer.effects, [{ type: "notify", text: "守卫" }]);
  await connection.end(5);
});

test("a question is asked and answered, and the time for that does not count", async () => {
  const connection = connect("good");
  const slow: Asker = async (ask) => {
    assert.equal(ask.question, "q1");
    await new Promise((resolve) => setTimeout(resolve, 400));
    return { kind: "confirmed", yes: true };
  };
  const command = { type: "command", session: "s", name: "guard", arguments: "" } as const;
  await connection.hello(10);
  const { decision } = await connection.request(command, slow, 0.2);
  assert.deepEqual(decision, { answered: { kind: "confirmed", yes: true } });
  const { decision: failed } = await connection.request(command, () => Promise.reject(new Error("no dialog")), 5);
  assert.deepEqual(failed, { answered: { kind: "dismissed" } });
  await connection.end(5);
});

test("a program that is not there is told from one that ends, does not fit, or keeps silent", async () => {
  const missing = new Connection("/nonexistent/brakeline");
  await assert.rejects(missing.hello(10), goneAs("missing"));
  const directory = new Connection(import.meta.dirname);
  await assert.rejects(directory.hello(10), goneAs("not-started"));
  await assert.rejects(connect("old").hello(10), goneAs("wrong-version"));
  await assert.rejects(connect("garbage").hello(10), goneAs("wrong-version"));
  await assert.rejects(connect("silent").hello(0.1), goneAs("silent"));
  const dying = connect("dies");
  await assert.rejects(dying.hello(10), goneAs("ended"));
  assert.deepEqual(await dying.gone, { kind: "ended", program: process.execPath, status: "3", said: "out of memory" });
  await assert.rejects(dying.request(event, nobody, 10), goneAs("ended"), "later requests come to nothing at once");
});

test("a refusal is about its request alone", async () => {
  const connection = connect("old");
  await assert.rejects(connection.request(event, nobody, 10), (error) => {
    assert.ok(error instanceof Refused);
    assert.equal(error.code, "unsupported_protocol");
    return true;
  });
  await connection.end(5);
});

test("a line that the program would not read is refused here, and the program goes on", async () => {
  const connection = connect("good");
  const long = { ...event, event: { type: "tool_call", text: "x".repeat(MAX_LINE_BYTES) } };
  await assert.rejects(connection.request(long, nobody, 10), { name: "Error", code: "line_too_long" });
  assert.deepEqual((await connection.request(event, nobody, 10)).decision, { got: "event" });
  await connection.end(5);
});

test("an idle program does not keep this process alive", async () => {
  const { spawnSync } = await import("node:child_process");
  const source = `
    import { Connection } from ${JSON.stringify(join(import.meta.dirname, "../../src/connection.ts"))};
    const connection = new Connection(process.execPath, [${JSON.stringify(fake)}, "good"]);
    await connection.hello(10);
    console.log("greeted");
  `;
  const run = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", source], {
    encoding: "utf8",
    timeout: 10_000,
  });
  assert.deepEqual([run.stdout, run.status], ["greeted\n", 0], run.stderr);
});

test("the program is that of BRAKELINE_BIN, else one to look for", () => {
  assert.equal(programOf({ BRAKELINE_BIN: "/opt/brakeline" }), "/opt/brakeline");
  assert.equal(programOf({ BRAKELINE_BIN: "" }), "brakeline");
  assert.equal(programOf({}), "brakeline");
});

function goneAs(kind: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ProgramGone, String(error));
    assert.equal(error.why.kind, kind, JSON.stringify(error.why));
    return true;
  };
}
