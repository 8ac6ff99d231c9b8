// One session of pi, kept by one running program.

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { SentBranch } from "./branch.ts";
import type { Asker, Connection } from "./connection.ts";
import { ask } from "./dialogs.ts";
import { apply, notify } from "./effects.ts";
import { type Forwarded, TRANSLATIONS, wireName } from "./events.ts";
import type { Opened, Request, Result, ToolOutcome } from "./protocol.ts";

/** The name of the session in the program, which serves no other. */
const NAME = "pi";

/** How long the program may take for an answer, not counting the user's time. Its longest waits, for locks, are seconds. */
const ANSWER_SECONDS = 30;

type Message = Extract<Request, { session: string }>;

/** The session, as far as the program knows of it. */
export class Session {
  readonly opened: Opened;
  private readonly pi: ExtensionAPI;
  private readonly connection: Connection;
  private readonly sent: SentBranch;

  private constructor(pi: ExtensionAPI, connection: Connection, opened: Opened) {
    this.pi = pi;
    this.connection = connection;
    this.opened = opened;
    this.sent = new SentBranch(opened.entries);
  }

  static async open(
    pi: ExtensionAPI,
    connection: Connection,
    agentDir: string,
    context: ExtensionContext,
  ): Promise<Session> {
    const request: Request = {
      type: "open",
      session: NAME,
      host: "pi",
      cwd: context.cwd,
      agentDir,
      sessionId: context.sessionManager.getSessionId(),
      ui: context.hasUI,
      trusted: context.isProjectTrusted(),
      settings: pi.getSettings(),
    };
    const { opened } = await connection.request(request, noDialog, ANSWER_SECONDS);
    if (!opened) throw new Error("the program opened no session");
    return new Session(pi, connection, opened);
  }

  /** Tells the program of the start or the end of the session. */
  async notice(type: "session_start" | "session_shutdown", reason: string, context: ExtensionContext): Promise<void> {
    await this.send({ type: "event", session: NAME, event: { type, reason } }, context, context.signal);
  }

  /** Whether the program wants to be told of such events. */
  wants(type: Forwarded): boolean {
    return this.opened.events.includes(wireName(type));
  }

  /** Passes an event on, and returns what pi takes for the decision. */
  async forward(type: Forwarded, event: never, context: ExtensionContext): Promise<unknown> {
    const { tell, obey } = TRANSLATIONS[type];
    const message: Message = { type: "event", session: NAME, event: { ...tell(event), type: wireName(type) } };
    const { decision } = await this.send(message, context, context.signal);
    return obey(decision, event, this.pi);
  }

  async command(name: string, argument: string, context: ExtensionContext): Promise<void> {
    await this.send({ type: "command", session: NAME, name, arguments: argument }, context, undefined);
  }

  async tool(
    name: string,
    toolCallId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    context: ExtensionContext,
  ): Promise<ToolOutcome> {
    const message: Message = { type: "tool", session: NAME, name, toolCallId, input };
    const { tool } = await this.send(message, context, signal);
    if (!tool) throw new Error(`the program gave no result of ${name}`);
    return tool;
  }

  async close(): Promise<void> {
    await this.connection.request({ type: "close", session: NAME }, noDialog, ANSWER_SECONDS);
  }

  private async send(message: Message, context: ExtensionContext, signal: AbortSignal | undefined): Promise<Result> {
    const entries = this.sent.update(context.sessionManager);
    const asker: Asker = (question) => ask(question.dialog, context, signal);
    const request = entries ? { ...message, entries } : message;
    const result = await this.connection.request(request as Request, asker, ANSWER_SECONDS);
    apply(result.effects, this.pi, context);
    for (const { extension, event, message } of result.reports ?? []) {
      notify(`brakeline: ${extension} (${event}): ${message}`, "error", context);
    }
    return result;
  }
}

const noDialog: Asker = async () => ({ kind: "no_ui" });
