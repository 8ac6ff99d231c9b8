// The real pi, as a process of its own, in a home and a workspace of the test's.

import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { ScriptedModel, type Step } from "./model.ts";

const package_ = resolve(import.meta.dirname, "../..");
const cli = join(package_, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");

/** The extension under test. */
export const EXTENSION = package_;

/** The program under test: of `BRAKELINE_BIN`, else what `cargo build` made. */
export const PROGRAM = process.env.BRAKELINE_BIN ?? resolve(package_, "../../target/debug/brakeline");

/** How long anything may take. */
const PATIENCE_MS = 60_000;

/** A record of pi's output. */
export type Record_ = { type: string; [member: string]: unknown };

export interface Options {
  mode?: "rpc" | "json";
  /** The model's answers. */
  script: Step[];
  /** For json mode: what the user says. */
  prompts?: string[];
  settings?: object;
  projectSettings?: object;
  trusted?: boolean;
  args?: string[];
  env?: Record<string, string | undefined>;
  extensions?: string[];
  /** The user's answers to dialogs. */
  answer?: (dialog: Dialog) => object | undefined;
}

/** A dialog, as pi asks for it. */
export type Dialog = {
  id: string;
  method: string;
  title: string;
  message?: string;
  options?: string[];
  timeout?: number;
};

/** A home and a workspace, for one or several processes. */
export class World {
  readonly root = mkdtempSync(join(tmpdir(), "brakeline-pi-"));
  readonly home = join(this.root, "home");
  readonly workspace = join(this.root, "work");
  readonly agentDir = join(this.home, ".pi/agent");
  private readonly running: Pi[] = [];
  private count = 0;

  constructor() {
    mkdirSync(this.agentDir, { recursive: true });
    mkdirSync(join(this.workspace, ".git"), { recursive: true });
  }

  write(path: string, text: string): string {
    const file = join(this.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  read(path: string): string {
    return readFileSync(join(this.workspace, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.workspace, path));
  }

  /** The environment of every process: nothing of whoever runs the tests. */
  environment(more: Options["env"] = {}): Record<string, string> {
    const environment = {
      PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      HOME: this.home,
      TMPDIR: this.root,
      LANG: "en_US.UTF-8",
      TERM: "dumb",
      BRAKELINE_BIN: PROGRAM,
      PI_CODING_AGENT_DIR: this.agentDir,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
      NODE_COMPILE_CACHE: join(tmpdir(), "brakeline-pi-compile-cache"),
      ...more,
    };
    const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return Object.fromEntries(set);
  }

  /** An extension with a command that reloads pi. */
  reloadCommand(name: string): string {
    const handler = "(_, context) => context.reload()";
    return this.write(`${name}.ts`, `export default (pi) => pi.registerCommand("${name}", { handler: ${handler} });`);
  }

  /** Runs a command of pi to its end: `pi install …`. */
  async command(args: string[], env: Options["env"]): Promise<void> {
    const child = spawn(process.execPath, [cli, ...args], { cwd: this.workspace, env: this.environment(env) });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    child.stdin.end();
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(code, 0, said);
  }

  /** The user's settings of pi, as they stand. */
  settings(): Record<string, unknown> {
    return JSON.parse(readFileSync(join(this.agentDir, "settings.json"), "utf8"));
  }

  /** Starts a pi. */
  async start(options: Options): Promise<Pi> {
    const model = await ScriptedModel.start(options.script);
    this.count += 1;
    const provider = `scripted${this.count}`;
    const models = join(this.agentDir, "models.json");
    const known = existsSync(models) ? JSON.parse(readFileSync(models, "utf8")).providers : {};
    writeFileSync(models, JSON.stringify({ providers: { ...known, [provider]: model.provider } }));
    const settings = { quietStartup: true, retry: { enabled: false }, ...options.settings };
    if (this.count === 1 || options.settings)
      writeFileSync(join(this.agentDir, "settings.json"), JSON.stringify(settings));
    if (options.projectSettings) this.write(".pi/settings.json", JSON.stringify(options.projectSettings));
    const pi = new Pi(this, model, options, provider);
    this.running.push(pi);
    return pi;
  }

  /** Runs pi in json mode to its end. */
  async run(options: Options): Promise<Pi> {
    const pi = await this.start({ ...options, mode: "json" });
    await pi.exit;
    return pi;
  }

  /** Ends what still runs, and removes everything; fails if a model was not content. */
  async end(): Promise<void> {
    const problems: string[] = [];
    for (const pi of this.running) {
      await pi.quit();
      problems.push(...(await pi.model.close()));
    }
    rmSync(this.root, { recursive: true, force: true });
    assert.deepEqual(problems, []);
  }
}

/** Runs a test in a world of its own. */
export function inWorld(test: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = new World();
    try {
      await test(world);
    } catch (error) {
      await world.end().catch(() => {});
      throw error;
    }
    await world.end();
  };
}

/** A running pi. */
export class Pi {
  readonly model: ScriptedModel;
  readonly records: Record_[] = [];
  stderr = "";
  /** Resolves with the exit status, or the name of the signal. */
  readonly exit: Promise<number | string>;
  /** The user's answers to dialogs; may be exchanged on the way. */
  answer: (dialog: Dialog) => object | undefined;
  readonly dialogs: Dialog[] = [];
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Set<() => void>();
  private sent = 0;
  private isRunning = true;

  constructor(world: World, model: ScriptedModel, options: Options, provider: string) {
    this.model = model;
    this.answer = options.answer ?? (() => undefined);
    const mode = options.mode ?? "rpc";
    const args = ["--mode", mode, "--model", `${provider}/one`, "--no-context-files"];
    if (options.trusted !== undefined) args.push(options.trusted ? "--approve" : "--no-approve");
    for (const extension of options.extensions ?? [EXTENSION]) args.push("-e", extension);
    args.push(...(options.args ?? []));
    if (mode === "json") args.push("--", ...(options.prompts ?? []));
    this.child = spawn(process.execPath, [cli, ...args], {
      cwd: world.workspace,
      env: world.environment(options.env),
    });
    this.child.stdin.on("error", () => {});
    if (mode === "json") this.child.stdin.end();
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.take(line));
    this.exit = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        this.isRunning = false;
        this.wake();
        resolve(code ?? signal ?? "?");
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Ends pi by the end of its input. */
  async quit(): Promise<number | string> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 10_000);
    const status = await this.exit;
    clearTimeout(timer);
    return status;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends an RPC command and returns its response. */
  async send(command: { type: string; [member: string]: unknown }): Promise<Record_> {
    this.sent += 1;
    const id = `test-${this.sent}`;
    this.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    const response = await this.until((record) => record.type === "response" && record.id === id);
    assert.equal(response.success, true, JSON.stringify(response));
    return response;
  }

  /** Says something, and waits until the run that it starts has settled. */
  async say(message: string): Promise<void> {
    const before = this.count("agent_settled");
    const { data } = await this.send({ type: "prompt", message });
    if ((data as { disposition: string }).disposition === "handled") return;
    await this.until(() => this.count("agent_settled") > before);
  }

  /** Waits for a record; those that came before count. */
  async until(fits: (record: Record_) => boolean): Promise<Record_> {
    const limit = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = this.records.findLast(fits);
      if (found) return found;
      assert.ok(this.isRunning, `pi has ended: ${this.stderr}`);
      assert.ok(
        Date.now() < limit,
        `nothing came in time; the last records: ${JSON.stringify(this.records.slice(-5))}`,
      );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 200);
        const waiting = this.waiting;
        function done(): void {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    }
  }

  count(type: string): number {
    return this.records.filter((record) => record.type === type).length;
  }

  /** What the user was told. */
  get notices(): string[] {
    const told = this.records.filter(({ type, method }) => type === "extension_ui_request" && method === "notify");
    return told.map(({ message }) => String(message));
  }

  /** The text of a tool's result, and whether it is an error. */
  result(callId: string): { text: string; isError: boolean; details: unknown } {
    for (const { type, message } of this.records) {
      const found = message as {
        role: string;
        toolCallId: string;
        content: { text?: string }[];
        isError: boolean;
        details: unknown;
      };
      if (type === "message_end" && found.role === "toolResult" && found.toolCallId === callId) {
        return {
          text: found.content.map((block) => block.text ?? "").join("\n"),
          isError: found.isError,
          details: found.details,
        };
      }
    }
    assert.fail(`there is no result of ${callId}`);
  }

  /** The entries of extensions in the session, by their keys. */
  async entries(): Promise<string[]> {
    const { data } = await this.send({ type: "get_entries" });
    const { entries } = data as { entries: { type: string; customType?: string }[] };
    return entries.flatMap(({ type, customType }) => (type.startsWith("custom") && customType ? [customType] : []));
  }

  /** The process of the program that this pi started. */
  programPid(): number {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8").trim().split(/\s+/);
    const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("serve"));
    assert.ok(found, "pi has no such child");
    return Number(found);
  }

  private take(line: string): void {
    const record = JSON.parse(line) as Record_;
    this.records.push(record);
    if (record.type === "extension_ui_request") this.meet(record as unknown as Dialog);
    this.wake();
  }

  private meet(dialog: Dialog): void {
    if (!["select", "confirm", "input", "editor"].includes(dialog.method)) return;
    this.dialogs.push(dialog);
    const answer = this.answer(dialog);
    if (answer) this.reply(dialog, answer);
  }

  /** Answers a dialog. */
  reply(dialog: Dialog, answer: object): void {
    this.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: dialog.id, ...answer })}\n`);
  }

  private wake(): void {
    for (const wake of [...this.waiting]) wake();
  }
}
