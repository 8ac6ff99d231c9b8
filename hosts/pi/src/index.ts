// brakeline in pi: pi's events to `brakeline serve`, its verdicts back. Nothing is decided here, except that nothing
// passes while nobody decides.

import {
  type ExtensionAPI,
  type ExtensionContext,
  getAgentDir,
  type ToolCallEvent,
  type ToolCallEventResult,
} from "@earendil-works/pi-coding-agent";
import { Connection, type Gone, ProgramGone, programOf } from "./connection.ts";
import { notify, setTools } from "./effects.ts";
import { type Forwarded, TRANSLATIONS } from "./events.ts";
import { languageOf } from "./language.ts";
import type { Language, OfferedTool } from "./protocol.ts";
import { Session } from "./session.ts";
import { blockedText, COMMANDS, goneText, guardGoneText, refusedText, remedyText, warningText } from "./texts.ts";

/** The tools that do not run while nobody judges them. */
const GUARDED = ["bash", "edit", "write", "find"];

/** How long the program may take to say hello, and to end. */
const HELLO_SECONDS = 10;
const END_SECONDS = 3;

const GUARD_CHECK = "guard_check";

export default function brakeline(pi: ExtensionAPI): void {
  const host = new Host(pi);
  // The kinds of events are a closed set, but TypeScript does not tell overloads apart by a union.
  const on = pi.on.bind(pi) as unknown as (type: Forwarded, handler: Handler) => void;
  pi.on("session_start", (event, context) => host.start(event.reason, context));
  pi.on("session_shutdown", (event, context) => host.shutdown(event.reason, context));
  pi.on("tool_call", (event, context) => host.toolCall(event, context));
  for (const type of Object.keys(TRANSLATIONS) as Forwarded[]) {
    if (type === "tool_call") continue;
    on(type, (event, context) => host.forward(type, event, context));
  }
  const language = languageOf(undefined, process.env);
  for (const [name, description] of Object.entries(COMMANDS)) host.registerCommand(name, description[language]);
}

type Handler = (event: never, context: ExtensionContext) => Promise<unknown>;

/** The extension in one session of pi. */
class Host {
  private readonly pi: ExtensionAPI;
  private connection: Connection | undefined;
  private session: Session | undefined;
  private gone: Gone | undefined;
  private language: Language = "en";
  private isClosing = false;

  constructor(pi: ExtensionAPI) {
    this.pi = pi;
  }

  registerCommand(name: string, description: string): void {
    this.pi.registerCommand(name, {
      description,
      handler: (argument, context) => this.command(name, argument, context),
    });
  }

  async start(reason: string, context: ExtensionContext): Promise<void> {
    this.language = languageOf(this.pi.getSettings(), process.env);
    const connection = new Connection(programOf(process.env));
    this.connection = connection;
    try {
      await connection.hello(HELLO_SECONDS);
      const session = await Session.open(this.pi, connection, getAgentDir(), context);
      this.session = session;
      this.language = session.opened.language;
      for (const tool of session.opened.tools) this.registerTool(tool);
      for (const { name, description } of session.opened.commands) {
        if (!Object.hasOwn(COMMANDS, name)) this.registerCommand(name, description);
      }
      void connection.gone.then((why) => this.lose(why, context));
      await session.notice("session_start", reason, context);
    } catch (error) {
      const { program } = connection;
      const isGone = error instanceof ProgramGone;
      this.lose(isGone ? error.why : { kind: "refused", program, message: textOf(error) }, context);
      // A session that the program does not keep is none; nothing else needs it.
      if (!isGone) await connection.end(END_SECONDS);
    }
  }

  async shutdown(reason: string, context: ExtensionContext): Promise<void> {
    this.isClosing = true;
    if (!this.connection) return;
    try {
      await this.session?.notice("session_shutdown", reason, context);
      await this.session?.close();
    } catch {
      // The end of the input closes the session, too.
    }
    await this.connection.end(END_SECONDS);
  }

  /** Without a program, what could do harm is blocked. */
  async toolCall(event: ToolCallEvent, context: ExtensionContext): Promise<ToolCallEventResult | undefined> {
    try {
      if (this.session && !this.gone) {
        return this.session.wants("tool_call")
          ? ((await this.session.forward("tool_call", event as never, context)) as ToolCallEventResult | undefined)
          : undefined;
      }
    } catch (error) {
      if (!(error instanceof ProgramGone))
        return this.refuse(event, refusedText(event.toolName, textOf(error), this.language));
      this.lose(error.why, context);
    }
    return this.refuse(event, blockedText(event.toolName, this.gone ?? NOT_STARTED, this.language));
  }

  /** Without a program, other events pass as if there were no extension. */
  async forward(type: Forwarded, event: never, context: ExtensionContext): Promise<unknown> {
    if (!this.session?.wants(type) || this.gone) return undefined;
    try {
      return await this.session.forward(type, event, context);
    } catch (error) {
      if (!(error instanceof ProgramGone)) throw error;
      this.lose(error.why, context);
      return undefined;
    }
  }

  private async command(name: string, argument: string, context: ExtensionContext): Promise<void> {
    try {
      if (this.session && !this.gone) return await this.session.command(name, argument, context);
    } catch (error) {
      if (!(error instanceof ProgramGone)) {
        notify(textOf(error), "error", context);
        return;
      }
      this.lose(error.why, context);
    }
    const why = this.gone ?? NOT_STARTED;
    notify(`/${name}: ${goneText(why, this.language)}\n${remedyText(why, this.language)}`, "error", context);
  }

  private refuse(event: ToolCallEvent, reason: string): { block: true; reason: string } | undefined {
    return GUARDED.includes(event.toolName) ? { block: true, reason } : undefined;
  }

  private registerTool(tool: OfferedTool): void {
    this.pi.registerTool({
      name: tool.name,
      label: tool.label,
      description: tool.description,
      promptSnippet: tool.description,
      parameters: tool.parameters,
      defaultActive: tool.active ?? false,
      executionMode: tool.sequential === false ? "parallel" : "sequential",
      execute: async (toolCallId, input, signal, _onUpdate, context) => {
        const outcome = await this.runTool(tool.name, toolCallId, input, signal, context);
        return outcome as Awaited<ReturnType<Parameters<ExtensionAPI["registerTool"]>[0]["execute"]>>;
      },
    });
  }

  private async runTool(
    name: string,
    toolCallId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    context: ExtensionContext,
  ): Promise<unknown> {
    try {
      if (this.session && !this.gone) return await this.session.tool(name, toolCallId, input, signal, context);
    } catch (error) {
      if (!(error instanceof ProgramGone)) throw error;
      this.lose(error.why, context);
    }
    // The guard lets go; an end that nobody confirmed is told from a confirmed one by its `by`.
    const text =
      name === GUARD_CHECK ? guardGoneText(this.language) : goneText(this.gone ?? NOT_STARTED, this.language);
    const details = name === GUARD_CHECK ? { end: true, by: "engine-gone" } : {};
    return { content: [{ type: "text", text }], details, terminate: name === GUARD_CHECK };
  }

  /** Notices that the program is gone, once, and says so. Called outside of handlers, too, where nothing may be thrown. */
  private lose(why: Gone, context: ExtensionContext): void {
    if (this.gone || this.isClosing) return;
    this.gone = why;
    try {
      notify(warningText(why, this.language), "error", context);
      const isGuarded = this.pi.getActiveTools().includes(GUARD_CHECK);
      if (!isGuarded) return;
      setTools([], [GUARD_CHECK], this.pi);
      notify(guardGoneText(this.language), "warning", context);
    } catch {
      // The session was replaced meanwhile: there is nobody to tell.
    }
  }
}

/** Before the start of a session there is no program. */
const NOT_STARTED: Gone = { kind: "not-started", program: "brakeline", message: "no session" };

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
