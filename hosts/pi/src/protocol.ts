// The messages of `brakeline serve`, protocol 1: see docs/protocol.md.

/** The version of the protocol that this extension speaks. */
export const PROTOCOL = 1;

/** The longest line that the program reads, in bytes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What brings the program's copy of the branch up to date. */
export interface EntriesUpdate {
  keep: number;
  add: WireEntry[];
}

/** An entry of the session, cut down to what the program reads; `{}` for one that does not matter. */
export interface WireEntry {
  type?: string;
  customType?: string;
  data?: unknown;
  message?: { role: string; toolName: string; details?: unknown; isError?: boolean };
}

export type Request =
  | { type: "hello"; protocols: number[] }
  | {
      type: "open";
      session: string;
      host: string;
      cwd: string;
      home?: string;
      agentDir?: string;
      sessionId?: string;
      ui?: boolean;
      trusted?: boolean;
      locale?: string;
      settings?: unknown;
    }
  | { type: "event"; session: string; event: { type: string; [member: string]: unknown }; entries?: EntriesUpdate }
  | { type: "command"; session: string; name: string; arguments: string; entries?: EntriesUpdate }
  | {
      type: "tool";
      session: string;
      name: string;
      toolCallId: string;
      input: unknown;
      entries?: EntriesUpdate;
    }
  | { type: "close"; session: string };

export interface Hello {
  protocol: number;
  program: string;
  version: string;
}

export interface Opened {
  events: string[];
  commands: { name: string; description: string }[];
  tools: OfferedTool[];
  entries: { customTypes: string[]; toolNames: string[] };
  language: Language;
}

export type Language = "zh-CN" | "en";

export interface OfferedTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  sequential?: boolean;
  active?: boolean;
}

export interface ToolOutcome {
  content: ContentBlock[];
  details?: unknown;
  isError?: boolean;
  terminate?: boolean;
}

/** A block of content as hosts have it: text, image, …. */
export type ContentBlock = { type: string; [member: string]: unknown };

export type Level = "info" | "warning" | "error";

export type Effect =
  | { type: "append_entry"; customType: string; data?: unknown }
  | {
      type: "send_message";
      customType: string;
      content: string | ContentBlock[];
      display: boolean;
      details?: unknown;
      triggerTurn?: boolean;
    }
  | { type: "set_tools"; activate: string[]; deactivate: string[] }
  | { type: "notify"; level: Level; text: string }
  | { type: "set_status"; key: string; text: string | null };

/** The answer to a request. */
export interface Result {
  type: "result";
  id: number;
  hello?: Hello;
  opened?: Opened;
  decision?: Record<string, unknown>;
  tool?: ToolOutcome;
  effects?: Effect[];
  reports?: Report[];
}

/** A handler of an extension of the program that failed. */
export interface Report {
  extension: string;
  event: string;
  message: string;
}

export interface Failure {
  type: "error";
  id: number | null;
  code: string;
  message: string;
}

export type Dialog =
  | { kind: "select"; title: string; options: string[]; timeoutMs?: number }
  | { kind: "confirm"; title: string; message: string; timeoutMs?: number }
  | { kind: "input"; title: string; placeholder?: string; timeoutMs?: number };

/** A question of the program to the user. */
export interface Ask {
  type: "ask";
  id: number;
  session: string;
  question: string;
  dialog: Dialog;
}

export type Answer =
  | { kind: "selected"; index: number }
  | { kind: "confirmed"; yes: boolean }
  | { kind: "text"; text: string }
  | { kind: "dismissed" }
  | { kind: "timed_out" }
  | { kind: "no_ui" };

export type FromProgram = Result | Failure | Ask;
