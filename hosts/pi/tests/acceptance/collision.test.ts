import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inWorld, type World } from "../host/pi.ts";

const edit = (oldText: string, newText: string, path = "app.txt") => ({
  calls: [{ name: "edit", args: { path, edits: [{ oldText, newText }] } }],
});

/** The files of the claims. */
function claims(world: World): string[] {
  return readdirSync(join(world.agentDir, "collision-guard/claims")).filter((name) => name.endsWith(".json"));
}

/** A promise that somebody else resolves. */
function signal(): { raised: Promise<void>; raise: () => void } {
  let raise = (): void => {};
  const raised = new Promise<void>((resolve) => {
    raise = resolve;
  });
  return { raised, raise };
}

test(
  "A edits and holds, B is blocked, A settles, C succeeds",
  inWorld(async (world) => {
    world.write("app.txt", "one\n");
    const [holds, mayGoOn] = [signal(), signal()];
    const a = await world.start({
      script: [
        edit("one", "two"),
        async (request) => {
          assert.match(request.result(), /^Successfully replaced/);
          holds.raise();
          await mayGoOn.raised;
          return { text: "A is done." };
        },
      ],
    });
    const running = a.say("Edit.");
    await holds.raised;
    assert.equal(claims(world).length, 1);

    // Another spelling of the same file.
    const b = await world.run({
      prompts: ["Edit."],
      script: [edit("two", "three", "./sub/../app.txt"), { text: "B gives up." }],
    });
    assert.equal(await b.exit, 0);
    assert.ok(b.result("call_1_1").isError);
    assert.match(b.result("call_1_1").text, /^Collision guard blocked/);
    assert.match(b.result("call_1_1").text, /pid \d+/);
    assert.equal(world.read("app.txt"), "two\n");

    mayGoOn.raise();
    await running;
    assert.deepEqual(claims(world), []);
    const c = await world.run({ prompts: ["Edit."], script: [edit("two", "four"), { text: "C is done." }] });
    assert.match(c.result("call_1_1").text, /^Successfully replaced/);
    assert.equal(world.read("app.txt"), "four\n");
  }),
);

test(
  "the file of a pi that was killed is free at once",
  inWorld(async (world) => {
    world.write("app.txt", "one\n");
    const holds = signal();
    const a = await world.start({
      script: [
        edit("one", "two"),
        async () => {
          holds.raise();
          a.kill("SIGKILL");
          await a.exit;
          return {};
        },
      ],
    });
    const running = assert.rejects(a.say("Edit."));
    await holds.raised;
    await running;
    const b = await world.run({ prompts: ["Edit."], script: [edit("two", "three"), { text: "." }] });
    assert.match(b.result("call_1_1").text, /^Successfully replaced/);
  }),
);

test(
  "/collision lists the claims, and releases one by force only after a yes",
  inWorld(async (world) => {
    world.write("app.txt", "one\n");
    const [holds, mayGoOn] = [signal(), signal()];
    const a = await world.start({
      script: [
        edit("one", "two"),
        async () => {
          holds.raise();
          await mayGoOn.raised;
          return { text: "." };
        },
      ],
    });
    const running = a.say("Edit.");
    await holds.raised;
    await a.say("/collision");
    assert.match(String(a.notices.at(-1)), /^\[self\] .*app\.txt .*active/);

    const b = await world.start({ script: [edit("two", "three"), { text: "." }] });
    await b.say("/collision status");
    assert.match(String(b.notices.at(-1)), /^\[other\] .*app\.txt/);
    b.answer = () => ({ confirmed: false });
    await b.say("/collision force-release app.txt");
    assert.equal(b.dialogs.length, 1);
    assert.match(`${b.dialogs[0]?.title}\n${b.dialogs[0]?.message}`, /app\.txt/);
    await b.say("/collision status");
    assert.match(String(b.notices.at(-1)), /^\[other\] .*app\.txt/, "a no changes nothing");
    b.answer = () => ({ confirmed: true });
    await b.say("/collision force-release app.txt");
    await b.say("/collision status");
    assert.equal(b.notices.at(-1), "No claims.");
    await b.say("Edit.");
    assert.match(b.result("call_1_1").text, /^Successfully replaced/);
    mayGoOn.raise();
    await running;
  }),
);

test(
  "without a user interface nothing is released by force",
  inWorld(async (world) => {
    world.write("app.txt", "one\n");
    const [holds, mayGoOn] = [signal(), signal()];
    const a = await world.start({
      script: [
        edit("one", "two"),
        async () => {
          holds.raise();
          await mayGoOn.raised;
          return { text: "." };
        },
      ],
    });
    const running = a.say("Edit.");
    await holds.raised;
    const b = await world.run({ prompts: ["/collision force-release app.txt", "/collision status"], script: [] });
    assert.match(b.stderr, /\[other\] .*app\.txt/, "it is still there");
    mayGoOn.raise();
    await running;
  }),
);

test(
  "the model is not offered the commands, and a pi that ends leaves no claim and no process",
  inWorld(async (world) => {
    const pi = await world.start({
      script: [
        (request) => {
          assert.deepEqual(
            request.tools.filter((name) => /collision|release|guard/.test(name)),
            [],
          );
          return { calls: [{ name: "write", args: { path: "new/file.txt", content: "x" } }] };
        },
        { text: "." },
      ],
    });
    await pi.say("Write.");
    const program = pi.programPid();
    assert.equal(await pi.quit(), 0);
    assert.ok(!existsSync(`/proc/${program}`), "the program has ended");
    assert.deepEqual(claims(world), []);
  }),
);
