// The plugin with the real program (BRAKELINE_BIN): what OpenCode 1.18 hands it, and what it does with the answer.
import assert from "node:assert/strict"
import { mkdtempSync, mkdirSync, writeFileSync, existsSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"

assert.ok(process.env.BRAKELINE_BIN, "BRAKELINE_BIN names the program")

const home = mkdtempSync(join(tmpdir(), "brakeline-opencode-"))
process.env.HOME = home
delete process.env.XDG_CONFIG_HOME
process.env.LC_ALL = "C"
mkdirSync(join(home, ".config/brakeline"), { recursive: true })
writeFileSync(join(home, ".config/brakeline/settings.json"), '{"blockFindRoot": {"blockBash": true}}')
const { BrakelinePlugin } = await import("../brakeline.js")

const notes = []
const client = { app: { log: async ({ body }) => void notes.push(body.message) } }
const plugin = () => BrakelinePlugin({ directory: home, client })

const before = async (hooks, tool, args, sessionID = "ses_1") => {
  const output = { args }
  await hooks["tool.execute.before"]({ tool, sessionID, callID: "call_1" }, output)
  return output.args
}
const idle = (sessionID) => ({ event: { type: "session.idle", properties: { sessionID } } })
const claims = () => {
  const folder = join(home, ".pi/agent/collision-guard/claims")
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.json$/.test(name)) : []
}

test("a forbidden search does not run, and the model is told why", async () => {
  const hooks = await plugin()
  await assert.rejects(before(hooks, "bash", { command: "find / -name aaa" }), /bash may not run find in \/ \(rule: \/\)/)
  await assert.rejects(before(hooks, "glob", { pattern: "*", path: "/" }), /find is not allowed in \//)
})

test("a command gets a timeout in milliseconds, in place, and keeps its own", async () => {
  const hooks = await plugin()
  const args = { command: "make", description: "Builds" }
  assert.equal(await before(hooks, "bash", args), args)
  assert.deepEqual(args, { command: "make", description: "Builds", timeout: 120000 })
  assert.deepEqual(await before(hooks, "bash", { command: "make", timeout: 5 }), { command: "make", timeout: 5 })
})

test("a file is leased until its session is idle, and other sessions are kept out", async () => {
  const hooks = await plugin()
  const edit = (session) => before(hooks, "edit", { filePath: join(home, "a"), oldString: "", newString: "x" }, session)
  await edit("ses_1")
  await assert.rejects(edit("ses_2"), /^Error: Collision guard blocked/)
  assert.equal(claims().length, 1)
  await hooks.event(idle("ses_1"))
  assert.equal(claims().length, 0)
  await edit("ses_2")
  await hooks.event({ event: { type: "session.deleted", properties: { info: { id: "ses_2" } } } })
  assert.equal(claims().length, 0)
  await edit("ses_3")
  await hooks.dispose()
  assert.equal(claims().length, 0)
})

test("a patch leases all of its files or none", async () => {
  const hooks = await plugin()
  await before(hooks, "write", { filePath: join(home, "b"), content: "" }, "ses_1")
  const patch = ["a", "b", "c"].map((name) => `*** Add File: ${join(home, name)}\n+x\n`).join("")
  const patchText = `*** Begin Patch\n${patch}*** End Patch`
  await assert.rejects(before(hooks, "apply_patch", { patchText }, "ses_2"), /Collision guard blocked/)
  assert.equal(claims().length, 1)
  await hooks.event(idle("ses_1"))
  await before(hooks, "apply_patch", { patchText }, "ses_2")
  assert.equal(claims().length, 3)
  await hooks.event(idle("ses_2"))
})

test("tools that are not judged are not asked about", async () => {
  const hooks = await plugin()
  const args = { filePath: "/etc/passwd" }
  assert.deepEqual(await before(hooks, "read", args), args)
})

test("settings that cannot be used block what they would have judged", async () => {
  const file = join(home, ".config/brakeline/settings.json")
  writeFileSync(file, "{")
  const hooks = await plugin()
  await assert.rejects(before(hooks, "bash", { command: "ls" }), /settings\.json:1:1/)
  // The end of a run is not held up: what went wrong is noted.
  await hooks.event(idle("ses_1"))
  writeFileSync(file, "{}")
})

test("a program that is missing blocks, and lets go of what is idle with a note", async () => {
  process.env.BRAKELINE_BIN = "/no/such/brakeline"
  const { BrakelinePlugin } = await import("../brakeline.js?missing")
  const hooks = await BrakelinePlugin({ directory: home, client })
  await assert.rejects(before(hooks, "bash", { command: "ls" }), /brakeline cannot be run/)
  notes.length = 0
  await hooks.event(idle("ses_1"))
  assert.match(notes.join(), /brakeline cannot be run/)
})
