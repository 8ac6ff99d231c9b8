// Questions of the program, put to the user.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Answer, Dialog } from "./protocol.ts";

/** What is asked of pi's context. */
export type Asked = Pick<ExtensionContext, "hasUI"> & {
  ui: Pick<ExtensionContext["ui"], "select" | "confirm" | "input">;
};

/** pi says «no answer» alike for a closed dialog and for one whose time is over; timers may be early by a little. */
const EARLY_MS = 20;

/** Shows a dialog and returns its answer; an abort of `signal` dismisses it. */
export async function ask(dialog: Dialog, context: Asked, signal: AbortSignal | undefined): Promise<Answer> {
  if (!context.hasUI) return { kind: "no_ui" };
  const begin = performance.now();
  const options = {
    ...(signal && { signal }),
    ...(dialog.timeoutMs !== undefined && { timeout: dialog.timeoutMs }),
  };
  const answer = await show(dialog, context.ui, options);
  if (signal?.aborted) return { kind: "dismissed" };
  const isNone = answer.kind === "dismissed" || (answer.kind === "confirmed" && !answer.yes);
  const isOver = dialog.timeoutMs !== undefined && performance.now() - begin >= dialog.timeoutMs - EARLY_MS;
  return isNone && isOver ? { kind: "timed_out" } : answer;
}

async function show(
  dialog: Dialog,
  ui: Asked["ui"],
  options: { signal?: AbortSignal; timeout?: number },
): Promise<Answer> {
  switch (dialog.kind) {
    case "select": {
      const chosen = await ui.select(dialog.title, dialog.options, options);
      const index = chosen === undefined ? -1 : dialog.options.indexOf(chosen);
      return index < 0 ? { kind: "dismissed" } : { kind: "selected", index };
    }
    case "confirm":
      // pi says no for a closed dialog, too.
      return { kind: "confirmed", yes: await ui.confirm(dialog.title, dialog.message, options) };
    case "input": {
      const text = await ui.input(dialog.title, dialog.placeholder, options);
      return text === undefined ? { kind: "dismissed" } : { kind: "text", text };
    }
    default:
      return { kind: "no_ui" };
  }
}
