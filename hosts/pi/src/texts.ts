// What the extension says itself, in both languages; everything else is worded by the program.

import type { Gone } from "./connection.ts";
import { type Language, PROTOCOL } from "./protocol.ts";

type Both = { "zh-CN": string; en: string };

/** Returns why there is no program, in one sentence. */
export function goneText(why: Gone, language: Language): string {
  return goneTexts(why)[language];
}

function goneTexts(why: Gone): Both {
  switch (why.kind) {
    case "missing":
      return {
        "zh-CN": `找不到 brakeline 程序 \`${why.program}\``,
        en: `the brakeline program \`${why.program}\` is not found`,
      };
    case "not-started":
      return {
        "zh-CN": `brakeline 程序 \`${why.program}\` 无法启动：${why.message}`,
        en: `the brakeline program \`${why.program}\` cannot be started: ${why.message}`,
      };
    case "wrong-version":
      return {
        "zh-CN": `brakeline 程序 \`${why.program}\` 的版本与本扩展（协议 ${PROTOCOL}）不匹配：${why.message}`,
        en: `the brakeline program \`${why.program}\` does not fit this extension (protocol ${PROTOCOL}): ${why.message}`,
      };
    case "refused":
      return {
        "zh-CN": `brakeline 程序 \`${why.program}\` 无法接管本会话：${why.message}`,
        en: `the brakeline program \`${why.program}\` cannot serve this session: ${why.message}`,
      };
    case "silent":
      return {
        "zh-CN": `brakeline 程序 \`${why.program}\` 在 ${why.seconds} 秒内没有回答`,
        en: `the brakeline program \`${why.program}\` did not answer within ${why.seconds} seconds`,
      };
    case "ended": {
      const said = why.said === "" ? { "zh-CN": "", en: "" } : { "zh-CN": `：${why.said}`, en: `: ${why.said}` };
      return {
        "zh-CN": `brakeline 程序 \`${why.program}\` 已退出（${why.status}）${said["zh-CN"]}`,
        en: `the brakeline program \`${why.program}\` has ended (${why.status})${said.en}`,
      };
    }
  }
}

/** Returns how to get the program back. */
export function remedyText(why: Gone, language: Language): string {
  return remedy(why)[language];
}

function remedy({ kind }: Gone): Both {
  switch (kind) {
    case "ended":
    case "silent":
      return {
        "zh-CN": "用 /reload 重新启动它；不再需要时用 pi remove 卸载本扩展。",
        en: "Start it again with /reload; to do without, uninstall this extension with pi remove.",
      };
    case "refused":
      return {
        "zh-CN": "请按上面的说明修正，然后 /reload；不再需要时用 pi remove 卸载本扩展。",
        en: "Mend what it says, then /reload; to do without, uninstall this extension with pi remove.",
      };
    default:
      return {
        "zh-CN":
          "请安装匹配的 brakeline 并放入 PATH，或用 BRAKELINE_BIN 指明它的位置，然后 /reload；不再需要时用 pi remove 卸载本扩展。",
        en: "Install a brakeline that fits and put it on PATH, or name it in BRAKELINE_BIN, then /reload; to do without, uninstall this extension with pi remove.",
      };
  }
}

/** Returns why a call is blocked while there is no program. */
export function blockedText(tool: string, why: Gone, language: Language): string {
  const first: Both = {
    "zh-CN": `已阻止 ${tool}（fail-closed）：${goneText(why, "zh-CN")}`,
    en: `${tool} is blocked (fail closed): ${goneText(why, "en")}`,
  };
  return `${first[language]}\n${remedyText(why, language)}`;
}

/** Returns what the user is told when the program is not there any more. */
export function warningText(why: Gone, language: Language): string {
  const tools: Both = {
    "zh-CN": "在此期间 bash、edit、write 和 find 都会被阻止。",
    en: "Until it is back, bash, edit, write and find are blocked.",
  };
  return `brakeline: ${goneText(why, language)}\n${tools[language]}\n${remedyText(why, language)}`;
}

/** Returns what the user is told when a guard was in force and nobody keeps it any more; also what the model reads. */
export function guardGoneText(language: Language): string {
  const texts: Both = {
    "zh-CN": "⚠️ 守卫程序已退出，守卫放行",
    en: "⚠️ The program that keeps the guard is gone: the guard lets go",
  };
  return texts[language];
}

/** Returns why a call is blocked that the program could not judge. */
export function refusedText(tool: string, message: string, language: Language): string {
  const texts: Both = {
    "zh-CN": `已阻止 ${tool}（fail-closed）：brakeline 无法判断这次调用：${message}`,
    en: `${tool} is blocked (fail closed): brakeline could not judge this call: ${message}`,
  };
  return texts[language];
}

/** The commands that exist whether the program runs or not, so that they never reach the model as a prompt. */
export const COMMANDS: Record<string, Both> = {
  guard: {
    "zh-CN": "守卫：/guard 看，/guard <条件> 设，/guard off 解除，/guard max [n] 看或改续跑上限",
    en: "Guard: /guard shows it, /guard <condition> sets it, /guard off clears it, /guard max [n] shows or changes the limit",
  },
  collision: {
    "zh-CN": "文件租约：/collision status 列出，/collision force-release <path> 强制释放",
    en: "Leases on files: /collision status lists them, /collision force-release <path> releases one by force",
  },
};
