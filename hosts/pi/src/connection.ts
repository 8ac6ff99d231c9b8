// One running `brakeline serve`: requests out, answers and questions in.

import { type ChildProcess, spawn } from "node:child_process";
import {
  type Answer,
  type Ask,
  type FromProgram,
  MAX_LINE_BYTES,
  PROTOCOL,
  type Request,
  type Result,
} from "./protocol.ts";

/** Why the program does not answer. */
export type Gone =
  | { kind: "missing"; program: string }
  | { kind: "not-started"; program: string; message: string }
  | { kind: "wrong-version"; program: string; message: string }
  | { kind: "refused"; program: string; message: string }
  | { kind: "silent"; program: string; seconds: number }
  | { kind: "ended"; program: string; status: string; said: string };

/** No answer: the program is gone. */
export class ProgramGone extends Error {
  readonly why: Gone;
  constructor(why: Gone) {
    super(`brakeline serve is gone: ${why.kind}`);
    this.why = why;
  }
}

/** The program answered with an error. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Puts a question of the program to the user. */
export type Asker = (ask: Ask) => Promise<Answer>;

interface Pending {
  resolve(result: Result): void;
  reject(error: Error): void;
  asker: Asker;
  timer: NodeJS.Timeout | undefined;
  seconds: number;
}

/** How much of what the program says on standard error is kept, from its end. */
const SAID_CHARS = 2000;

/** Returns the program to start: `BRAKELINE_BIN`, else `brakeline`, to be looked for in `PATH`. */
export function programOf(environment: NodeJS.ProcessEnv): string {
  return environment.BRAKELINE_BIN || "brakeline";
}

/**
 * A running program. Never throws on its own: what goes wrong rejects the requests that wait, and all later ones.
 *
 * While nothing is asked of it, the program does not keep this process alive.
 */
export class Connection {
  readonly program: string;
  /** Resolves once, when the program is gone, whether it was asked to go or not. */
  readonly gone: Promise<Gone>;
  private readonly child: ChildProcess;
  private readonly pending = new Map<number, Pending>();
  private nextId = 0;
  private why: Gone | undefined;
  private said = "";
  private rest: Buffer[] = [];
  private settleGone!: (why: Gone) => void;

  constructor(program: string, args: string[] = ["serve"]) {
    this.program = program;
    this.gone = new Promise((resolve) => {
      this.settleGone = resolve;
    });
    // A process group of its own: an interrupt typed at the terminal is for the host. The end of the input ends the program.
    this.child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.child.on("error", (error: NodeJS.ErrnoException) => {
      const missing = error.code === "ENOENT";
      this.fail(missing ? { kind: "missing", program } : { kind: "not-started", program, message: error.message });
    });
    this.child.on("close", (code, signal) => {
      this.fail({ kind: "ended", program, status: signal ?? String(code), said: this.said.trim() });
    });
    this.child.stdin?.on("error", () => {}); // Its end is noticed by "close".
    this.child.stdout?.on("error", () => {});
    this.child.stdout?.on("data", (chunk: Buffer) => this.read(chunk));
    this.child.stderr?.setEncoding("utf8");
    this.child.stderr?.on("data", (text: string) => {
      this.said = (this.said + text).slice(-SAID_CHARS);
    });
    this.hold(false);
  }

  /**
   * Agrees on the protocol. A program that speaks another one, or does not answer in time, is ended.
   */
  async hello(seconds: number): Promise<void> {
    try {
      await this.request({ type: "hello", protocols: [PROTOCOL] }, noAsk, seconds);
    } catch (error) {
      if (error instanceof Refused) this.stop({ kind: "wrong-version", program: this.program, message: error.message });
      throw this.why ? new ProgramGone(this.why) : error;
    }
  }

  /** Sends a request and waits for its answer, at most `seconds`, not counting the time in which the user is asked. */
  request(request: Request, asker: Asker, seconds: number): Promise<Result> {
    if (this.why) return Promise.reject(new ProgramGone(this.why));
    const id = this.nextId++;
    const line = lineOf({ ...request, id });
    if (line.length > MAX_LINE_BYTES) {
      const message = `the call is longer than ${MAX_LINE_BYTES} bytes, which brakeline does not read; make it shorter`;
      return Promise.reject(new Refused("line_too_long", message));
    }
    return new Promise<Result>((resolve, reject) => {
      const pending: Pending = { resolve, reject, asker, timer: undefined, seconds };
      this.pending.set(id, pending);
      this.watch(pending);
      this.hold(true);
      this.child.stdin?.write(line);
    });
  }

  /** Ends the input, which ends the program; kills it when it does not end in time. */
  async end(seconds: number): Promise<void> {
    this.child.stdin?.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), seconds * 1000);
    this.hold(true);
    await this.gone;
    clearTimeout(timer);
    this.hold(false);
  }

  private read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.rest, chunk.subarray(start, end)]).toString("utf8");
      this.rest = [];
      start = end + 1;
      this.take(line);
    }
    if (start < chunk.length) this.rest.push(chunk.subarray(start));
  }

  private take(line: string): void {
    let message: FromProgram;
    try {
      message = JSON.parse(line);
    } catch {
      this.stop({ kind: "wrong-version", program: this.program, message: line.slice(0, 200) });
      return;
    }
    const pending = typeof message.id === "number" ? this.pending.get(message.id) : undefined;
    if (!pending) return;
    if (message.type === "ask") {
      clearTimeout(pending.timer);
      void this.ask(message, pending);
      return;
    }
    this.done(message.id as number, pending);
    if (message.type === "error") pending.reject(new Refused(message.code, message.message));
    else pending.resolve(message);
  }

  private async ask(ask: Ask, pending: Pending): Promise<void> {
    let answer: Answer;
    try {
      answer = await pending.asker(ask);
    } catch {
      answer = { kind: "dismissed" };
    }
    if (this.why) return;
    this.watch(pending);
    this.child.stdin?.write(lineOf({ type: "answer", session: ask.session, question: ask.question, answer }));
  }

  private watch(pending: Pending): void {
    const { program } = this;
    const { seconds } = pending;
    pending.timer = setTimeout(() => this.stop({ kind: "silent", program, seconds }), seconds * 1000);
  }

  private done(id: number, pending: Pending): void {
    clearTimeout(pending.timer);
    this.pending.delete(id);
    if (this.pending.size === 0) this.hold(false);
  }

  /** A program that cannot be relied on is no program: it is killed, and its leases fall to whoever asks next. */
  private stop(why: Gone): void {
    this.fail(why);
    this.child.kill("SIGKILL");
  }

  private fail(why: Gone): void {
    if (this.why) return;
    this.why = why;
    for (const [id, pending] of [...this.pending]) {
      this.done(id, pending);
      pending.reject(new ProgramGone(why));
    }
    this.settleGone(why);
  }

  /** Whether this process stays alive for the program's sake. */
  private hold(alive: boolean): void {
    const parts = [this.child, this.child.stdin, this.child.stdout, this.child.stderr];
    for (const part of parts as ({ ref?(): void; unref?(): void } | null)[]) {
      if (alive) part?.ref?.();
      else part?.unref?.();
    }
  }
}

function lineOf(message: object): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

const noAsk: Asker = async () => ({ kind: "no_ui" });
