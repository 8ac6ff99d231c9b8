import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { SentBranch } from "../../src/branch.ts";
import type { WireEntry } from "../../src/protocol.ts";

const wanted = { customTypes: ["guard"], toolNames: ["guard_check"] };

/** A session as a tree: each entry names its parent. */
class Tree {
  readonly entries = new Map<string, SessionEntry>();
  leaf: string | null = null;
  looked = 0;

  add(id: string, more: object = { type: "label" }): void {
    this.entries.set(id, { id, parentId: this.leaf, timestamp: "", ...more } as unknown as SessionEntry);
    this.leaf = id;
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.leaf === null ? undefined : this.getEntry(this.leaf);
  }

  getEntry(id: string): SessionEntry | undefined {
    this.looked += 1;
    return this.entries.get(id);
  }
}

test("each entry is told once, cut down to what is read", () => {
  const tree = new Tree();
  const sent = new SentBranch(wanted);
  assert.equal(sent.update(tree), undefined, "an empty session");
  tree.add("a", { type: "custom", customType: "guard", data: { kind: "clear" } });
  tree.add("b", { type: "custom", customType: "other", data: { large: "x" } });
  tree.add("c", { type: "custom_message", customType: "guard", content: "long" });
  tree.add("d", { type: "message", message: { role: "user", content: "secret" } });
  const result = { role: "toolResult", toolName: "guard_check", details: { end: true }, isError: false, content: [] };
  tree.add("e", { type: "message", message: result });
  tree.add("f", { type: "message", message: { ...result, toolName: "bash" } });
  tree.add("g", { type: "compaction", summary: "long" });
  assert.deepEqual(sent.update(tree), {
    keep: 0,
    add: [
      { type: "custom", customType: "guard", data: { kind: "clear" } },
      {},
      { type: "custom_message", customType: "guard" },
      {},
      {
        type: "message",
        message: { role: "toolResult", toolName: "guard_check", details: { end: true }, isError: false },
      },
      {},
      { type: "compaction" },
    ],
  });
  assert.equal(sent.update(tree), undefined, "nothing is new");
});

test("an update costs what is new", () => {
  const tree = new Tree();
  const sent = new SentBranch(wanted);
  for (let n = 0; n < 10_000; n += 1) tree.add(`e${n}`);
  sent.update(tree);
  tree.looked = 0;
  tree.add("new");
  assert.deepEqual(sent.update(tree), { keep: 10_000, add: [{}] });
  assert.ok(tree.looked <= 3, `${tree.looked} entries were looked at`);
});

test("whatever the user does in the tree, what was told adds up to the branch", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let round = 0; round < 200; round += 1) {
    const tree = new Tree();
    const sent = new SentBranch(wanted);
    let told: WireEntry[] = [];
    for (let step = 0; step < 30; step += 1) {
      const ids = [...tree.entries.keys()];
      if (ids.length > 0 && random(4) === 0) tree.leaf = ids[random(ids.length + 1)] ?? null;
      else tree.add(`e${ids.length}`, { type: "custom", customType: "guard", data: ids.length });
      if (random(2) === 0) continue;
      const update = sent.update(tree);
      if (update) told = [...told.slice(0, update.keep), ...update.add];
      const branch: unknown[] = [];
      for (let at = tree.leaf; at !== null; at = tree.entries.get(at)?.parentId ?? null) {
        branch.unshift((tree.entries.get(at) as { data?: unknown }).data);
      }
      assert.deepEqual(
        told.map(({ data }) => data),
        branch,
      );
    }
  }
});
