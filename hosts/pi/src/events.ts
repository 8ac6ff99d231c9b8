// pi's events as the protocol has them, and the program's decisions as pi takes them.

import type {
  AgentBeforeSettleEvent,
  BeforeAgentStartEvent,
  ExtensionAPI,
  InputEvent,
  ToolCallEvent,
  ToolResultEvent,
  TurnEndEvent,
  UserBashEvent,
} from "@earendil-works/pi-coding-agent";

/** A decision as the program sends it; absent where it decided nothing. */
export type Decision = Record<string, unknown> | undefined;

/** One kind of event: what the program is told of it, and what pi is told of the decision. */
export interface Translation {
  tell(event: never): Record<string, unknown>;
  obey(decision: Decision, event: never, pi: Pick<ExtensionAPI, "sendMessage">): unknown;
}

function translation<E>(
  tell: (event: E) => Record<string, unknown>,
  obey: (decision: Record<string, unknown>, event: E, pi: Pick<ExtensionAPI, "sendMessage">) => unknown = () =>
    undefined,
): Translation {
  return {
    tell,
    obey: (decision, event, pi) => (decision === undefined ? undefined : obey(decision, event, pi)),
  };
}

type Message = Parameters<ExtensionAPI["sendMessage"]>[0];
type BoundaryResult = { entries?: TurnEndEvent["entries"]; continue?: boolean };
type Boundary = TurnEndEvent | AgentBeforeSettleEvent;

/** The events that are passed on, by pi's names, which are the protocol's. The start and the end of a session are apart. */
export const TRANSLATIONS = {
  agent_start: translation(() => ({})),
  agent_end: translation((event: { messages: unknown }) => ({ messages: event.messages })),
  agent_settled: translation((event: { aborted: boolean }) => ({ aborted: event.aborted })),
  session_tree: translation(() => ({})),
  session_compact: translation(() => ({})),
  input: translation(({ text, images, source }: InputEvent) => ({ text, images, source }), obeyInput),
  context: translation(
    (event: { messages: unknown }) => ({ messages: event.messages }),
    ({ messages }) => ({ messages }),
  ),
  before_provider_request: translation(
    (event: { payload: unknown }) => ({ payload: event.payload }),
    ({ payload }) => payload,
  ),
  before_agent_start: translation(tellAgentStart, obeyAgentStart),
  tool_call: translation(tellToolCall, obeyToolCall),
  tool_result: translation(tellToolResult, (patch) => patch),
  user_bash: translation(
    ({ command, cwd, excludeFromContext }: UserBashEvent) => ({ command, cwd, excludeFromContext }),
    obeyUserBash,
  ),
  turn_end: translation(
    (event: TurnEndEvent) => ({
      ...tellBoundary(event),
      turnIndex: event.turnIndex,
      message: event.message,
      toolResults: event.toolResults,
    }),
    obeyBoundary,
  ),
  agent_before_settle: translation((event: AgentBeforeSettleEvent) => tellBoundary(event), obeyBoundary),
} satisfies Record<string, Translation>;

export type Forwarded = keyof typeof TRANSLATIONS;

/** Returns the protocol's name of an event: pi's, except that pi has two for a branch that is another one now. */
export function wireName(type: Forwarded): string {
  return type === "session_tree" || type === "session_compact" ? "branch_changed" : type;
}

function tellAgentStart(event: BeforeAgentStartEvent): Record<string, unknown> {
  const prompt = event.messageType === "user" ? event.prompt : event.message.content;
  return { prompt, systemPrompt: event.systemPrompt };
}

function obeyAgentStart(
  decision: Record<string, unknown>,
  _event: BeforeAgentStartEvent,
  pi: Pick<ExtensionAPI, "sendMessage">,
) {
  const [message, ...others] = (decision.messages ?? []) as Message[];
  // pi takes one message of each handler.
  for (const other of others) pi.sendMessage(other, { triggerTurn: false });
  const { systemPrompt } = decision;
  return { ...(message && { message }), ...(systemPrompt !== undefined && { systemPrompt }) };
}

function obeyInput(decision: Record<string, unknown>) {
  if (decision.handled === true) return { action: "handled" };
  const { text, images } = decision;
  return text === undefined ? undefined : { action: "transform", text, ...(images !== undefined && { images }) };
}

function tellToolCall({ toolName, toolCallId, parentToolCallId, input }: ToolCallEvent): Record<string, unknown> {
  return { toolName, toolCallId, parentToolCallId, input };
}

/** pi's tools read the input that the handlers share: it is changed in place, and only where the program says. */
function obeyToolCall(decision: Record<string, unknown>, event: ToolCallEvent) {
  if (decision.block !== undefined) {
    const { reason, terminate } = decision.block as { reason: string; terminate?: boolean };
    return { block: true, reason, terminate: terminate ?? false };
  }
  const input = event.input as Record<string, unknown>;
  for (const name of (decision.remove ?? []) as string[]) delete input[name];
  Object.assign(input, decision.set);
  return undefined;
}

function tellToolResult(event: ToolResultEvent): Record<string, unknown> {
  const { toolName, toolCallId, parentToolCallId, input, content, details, structuredContent, isError, usage } = event;
  return { toolName, toolCallId, parentToolCallId, input, content, details, structuredContent, isError, usage };
}

function obeyUserBash(decision: Record<string, unknown>) {
  // A handler that fails is how a command is stopped.
  if (decision.block !== undefined) throw new Error((decision.block as { reason: string }).reason);
  return decision.result === undefined ? undefined : { result: decision.result };
}

function tellBoundary({ outcome, context }: Boundary): Record<string, unknown> {
  return { outcome, canContinue: context.canContinue };
}

/** The program adds to what other extensions proposed. */
function obeyBoundary(decision: Record<string, unknown>, event: Boundary): BoundaryResult {
  const added = (decision.entries ?? []) as BoundaryResult["entries"] & object;
  return { entries: [...event.entries, ...added], continue: event.continue || decision.continue === true };
}
