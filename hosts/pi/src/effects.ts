// What the program wants done, done.

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Effect, Level } from "./protocol.ts";

type MessageContent = Parameters<ExtensionAPI["sendMessage"]>[0]["content"];

/** What is asked of pi. */
export type Actions = Pick<ExtensionAPI, "appendEntry" | "sendMessage" | "getActiveTools" | "setActiveTools">;

/** What is asked of pi's context. */
export type Told = Pick<ExtensionContext, "hasUI"> & { ui: Pick<ExtensionContext["ui"], "notify" | "setStatus"> };

/** Does effects in their order. */
export function apply(effects: Effect[] | undefined, pi: Actions, context: Told): void {
  for (const effect of effects ?? []) applyOne(effect, pi, context);
}

function applyOne(effect: Effect, pi: Actions, context: Told): void {
  switch (effect.type) {
    case "append_entry":
      pi.appendEntry(effect.customType, effect.data);
      break;
    case "send_message": {
      const { customType, display, details } = effect;
      const content = effect.content as MessageContent;
      pi.sendMessage({ customType, content, display, details }, { triggerTurn: effect.triggerTurn ?? false });
      break;
    }
    case "set_tools":
      setTools(effect.activate, effect.deactivate, pi);
      break;
    case "notify":
      notify(effect.text, effect.level, context);
      break;
    case "set_status":
      context.ui.setStatus(effect.key, effect.text ?? undefined);
      break;
  }
}

/** Switches tools on and off, and leaves alone all others. */
export function setTools(activate: string[], deactivate: string[], pi: Actions): void {
  const now = pi.getActiveTools();
  const wanted = [
    ...now.filter((name) => !deactivate.includes(name)),
    ...activate.filter((name) => !now.includes(name)),
  ];
  const changes = wanted.length !== now.length || wanted.some((name, at) => name !== now[at]);
  // pi writes the set of tools into the session each time.
  if (changes) pi.setActiveTools(wanted);
}

/** Tells the user; where there is no user interface, standard error. */
export function notify(text: string, level: Level, context: Told): void {
  if (context.hasUI) context.ui.notify(text, level);
  else console.error(text);
}
