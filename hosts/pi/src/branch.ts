// Keeps the program's copy of the session's branch up to date with as little as possible.

import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { EntriesUpdate, Opened, WireEntry } from "./protocol.ts";

/** What is asked of a session manager. */
export interface Branch {
  getLeafEntry(): SessionEntry | undefined;
  getEntry(id: string): SessionEntry | undefined;
}

/**
 * What the program knows of the branch.
 *
 * An update costs what is new on the branch, not its length: from the leaf back to the first entry that was sent.
 */
export class SentBranch {
  private readonly wanted: Opened["entries"];
  private readonly ids: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(wanted: Opened["entries"]) {
    this.wanted = wanted;
  }

  /** Returns what the program has to be told, and takes it as told; `undefined` if that is nothing. */
  update(branch: Branch): EntriesUpdate | undefined {
    const added: SessionEntry[] = [];
    let entry = branch.getLeafEntry();
    while (entry && !this.places.has(entry.id)) {
      added.push(entry);
      entry = entry.parentId === null ? undefined : branch.getEntry(entry.parentId);
    }
    const keep = entry ? (this.places.get(entry.id) ?? 0) + 1 : 0;
    if (keep === this.ids.length && added.length === 0) return undefined;
    for (const id of this.ids.splice(keep)) this.places.delete(id);
    added.reverse();
    for (const { id } of added) this.places.set(id, this.ids.push(id) - 1);
    return { keep, add: added.map((one) => cut(one, this.wanted)) };
  }
}

/** Returns an entry cut down to what the program reads. */
function cut(entry: SessionEntry, wanted: Opened["entries"]): WireEntry {
  switch (entry.type) {
    case "custom":
      if (!wanted.customTypes.includes(entry.customType)) return {};
      return { type: entry.type, customType: entry.customType, data: entry.data };
    case "custom_message":
      if (!wanted.customTypes.includes(entry.customType)) return {};
      return { type: entry.type, customType: entry.customType };
    case "message": {
      const { message } = entry;
      if (message.role !== "toolResult" || !wanted.toolNames.includes(message.toolName)) return {};
      const { role, toolName, details, isError } = message;
      return { type: entry.type, message: { role, toolName, details, isError } };
    }
    case "compaction":
      return { type: entry.type };
    default:
      return {};
  }
}
