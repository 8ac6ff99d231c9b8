// brakeline for OpenCode 1.18: asks `brakeline hook opencode` before a tool runs, and gives leases back when a session is idle.
//
// Nothing is decided here. If the program is missing or fails, what it would have judged does not run.
import { spawn } from "node:child_process"

const PROGRAM = process.env.BRAKELINE_BIN || "brakeline"

// The tools of OpenCode that brakeline has something to say about.
const JUDGED = new Set(["bash", "glob", "edit", "write", "patch", "multiedit", "apply_patch"])

// Beyond this the program is not just slow: it waits 2 s for a lock at most.
const PATIENCE_MS = 30_000

/** Runs the program with one event on its standard input. */
function ask(event) {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, ["hook", "opencode"], { stdio: ["pipe", "pipe", "pipe"] })
    const timer = setTimeout(() => child.kill(), PATIENCE_MS)
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text))
    // The program may end before it has read everything; its status says why.
    child.stdin.on("error", () => {})
    child.on("error", (error) => {
      clearTimeout(timer)
      reject(new Error(`brakeline cannot be run (${PROGRAM}): ${error.message}`))
    })
    child.on("close", (status, signal) => {
      clearTimeout(timer)
      if (status === 0) {
        try {
          return resolve(JSON.parse(out))
        } catch (error) {
          return reject(new Error(`brakeline answered something else than JSON: ${error.message}`))
        }
      }
      reject(new Error(err.trim() || `brakeline ended with ${signal ?? `status ${status}`}`))
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const BrakelinePlugin = async ({ directory, client }) => {
  // Sessions that may hold leases.
  const sessions = new Set()

  const note = async (message) => {
    const body = { service: "brakeline", level: "warn", message }
    await client?.app?.log?.({ body })?.catch?.(() => {})
  }

  const release = async (session, event) => {
    if (!sessions.delete(session)) return
    try {
      await ask({ hook_event_name: event, session_id: session, cwd: directory })
    } catch (error) {
      // A lease that stays ends with OpenCode itself.
      await note(error.message)
    }
  }

  return {
    "tool.execute.before": async (input, output) => {
      if (!JUDGED.has(input.tool)) return
      sessions.add(input.sessionID)
      const answer = await ask({
        hook_event_name: "tool.execute.before",
        session_id: input.sessionID,
        cwd: directory,
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: output.args,
      })
      if (answer.message) await note(answer.message)
      if (answer.block) throw new Error(answer.block)
      if (answer.args) Object.assign(output.args, answer.args)
    },

    event: async ({ event }) => {
      if (event.type === "session.idle") await release(event.properties.sessionID, "session.idle")
      if (event.type === "session.deleted") await release(event.properties.info.id, "session.deleted")
    },

    dispose: async () => {
      await Promise.all([...sessions].map((session) => release(session, "dispose")))
    },
  }
}
