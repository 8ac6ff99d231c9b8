// A model that answers what a test tells it to: chat completions, streamed, on the loopback interface.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of the model. */
export interface Turn {
  text?: string;
  calls?: { name: string; args: Record<string, unknown> }[];
}

/** What the model answers, or how it finds out: it may check the request, and wait. */
export type Step = Turn | ((request: ModelRequest) => Turn | Promise<Turn>);

interface WireMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_call_id?: string;
}

/** What the model was sent. */
export class ModelRequest {
  readonly tools: string[];
  readonly messages: { role: string; text: string; toolCallId: string | undefined }[];

  constructor(body: { messages?: WireMessage[]; tools?: { function: { name: string } }[] }) {
    this.tools = (body.tools ?? []).map((tool) => tool.function.name);
    this.messages = (body.messages ?? []).map(({ role, content, tool_call_id }) => ({
      role,
      text: typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("\n"),
      toolCallId: tool_call_id,
    }));
  }

  /** The newest result of a tool, or of the call with this id. */
  result(id?: string): string {
    const results = this.messages.filter(({ role, toolCallId }) => role === "tool" && (!id || toolCallId === id));
    return results.at(-1)?.text ?? "";
  }

  /** The text of the last message. */
  get last(): string {
    return this.messages.at(-1)?.text ?? "";
  }
}

/** Ids of calls are `call_<turn>_<place>`, both from 1. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  /** What went wrong: a check of a step that failed, or requests after the last step. */
  readonly problems: string[] = [];
  private readonly script: Step[];
  private readonly server: Server;

  private constructor(script: Step[]) {
    this.script = script;
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error) => {
        this.problems.push(String(error instanceof Error ? (error.stack ?? error) : error));
        response.destroy();
      });
    });
  }

  static async start(script: Step[]): Promise<ScriptedModel> {
    const model = new ScriptedModel(script);
    await new Promise<void>((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  /** The provider as pi's `models.json` describes it. */
  get provider(): object {
    const { port } = this.server.address() as AddressInfo;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    return {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      api: "openai-completions",
      apiKey: "none",
      models: [
        { id: "one", name: "One", reasoning: false, input: ["text"], contextWindow: 100_000, maxTokens: 8_000, cost },
      ],
    };
  }

  /** Ends the server, and tells what went wrong and which steps were left over. */
  async close(): Promise<string[]> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    const left = this.script.length - this.requests.length;
    return left > 0 ? [...this.problems, `${left} steps of the script are left over`] : this.problems;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const request = new ModelRequest(JSON.parse(text));
    this.requests.push(request);
    const number = this.requests.length;
    const step = this.script[number - 1];
    if (!step) this.problems.push(`request ${number} comes after the last step: ${request.last}`);
    const turn = await this.play(step ?? { text: "The script is over." }, request, number);
    stream(response, turn, number);
  }

  private async play(step: Step, request: ModelRequest, number: number): Promise<Turn> {
    if (typeof step !== "function") return step;
    try {
      return await step(request);
    } catch (error) {
      this.problems.push(`request ${number}: ${error instanceof Error ? error.message : error}`);
      return { text: "The test has failed." };
    }
  }
}

function stream(response: ServerResponse, turn: Turn, number: number): void {
  const send = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const chunk = { id: `answer-${number}`, object: "chat.completion.chunk", created: 0, model: "one", choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ role: "assistant", content: turn.text ?? "" });
  const calls = (turn.calls ?? []).map(({ name, args }, index) => ({
    index,
    id: `call_${number}_${index + 1}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  if (calls.length > 0) send({ tool_calls: calls });
  send({}, calls.length > 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}
