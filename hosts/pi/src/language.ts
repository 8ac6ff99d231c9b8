// The language of the texts that the extension has itself, for when the program does not answer.

import type { Language } from "./protocol.ts";

/** Returns the language: the setting `brakeline.locale`, else Chinese for a locale `zh*`, else English. */
export function languageOf(settings: unknown, environment: NodeJS.ProcessEnv): Language {
  const set = localeSetting(settings);
  if (set === "zh-CN" || set === "en") return set;
  const locale = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || "";
  return /^zh/i.test(locale) ? "zh-CN" : "en";
}

function localeSetting(settings: unknown): unknown {
  const section = (settings as { brakeline?: { locale?: unknown } | null } | null)?.brakeline;
  return typeof section === "object" ? section?.locale : undefined;
}
