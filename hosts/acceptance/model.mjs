// A scripted model on the loopback interface, in the four protocols that the hosts speak.
//
// A turn is { call: { name, args } } or { text }. Requests without tools (titles, summaries) take no turn.
import { createServer } from "node:http"

/** Starts the model. `results` collects what the host says about each call, in order. */
export async function startModel(turns) {
  let at = 0
  const results = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (data) => (body += data))
    request.on("end", () => {
      const protocol = PROTOCOLS.find(({ path }) => path.test(request.url))
      if (!protocol || /count_?tokens/i.test(request.url)) {
        response.writeHead(200, { "content-type": "application/json" })
        return response.end('{"data":[],"models":[],"input_tokens":1,"totalTokens":1}')
      }
      const asked = JSON.parse(body)
      const hasTools = (asked.tools ?? []).length > 0
      if (hasTools && at > 0) results.push(JSON.stringify(protocol.last(asked) ?? ""))
      const turn = hasTools ? (turns[Math.min(at++, turns.length - 1)] ?? { text: "done" }) : { text: "title" }
      protocol.answer(response, turn, at, asked)
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address()
  return { url: `http://127.0.0.1:${port}`, results, close: () => server.close() }
}

const stream = (response) => response.writeHead(200, { "content-type": "text/event-stream" })
const event = (response, type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)

const PROTOCOLS = [
  { path: /\/chat\/completions/, last: ({ messages }) => messages.at(-1), answer: chatCompletions },
  { path: /\/messages/, last: ({ messages }) => messages.at(-1), answer: messages },
  { path: /\/responses/, last: ({ input }) => input.at(-1), answer: responses },
  { path: /generateContent/i, last: ({ contents }) => contents.at(-1), answer: generateContent },
]

/** OpenAI's chat completions: OpenCode, Copilot CLI. */
function chatCompletions(response, turn, at, { model }) {
  const delta = turn.call
    ? { tool_calls: [{ index: 0, id: `call_${at}`, type: "function", function: { name: turn.call.name, arguments: JSON.stringify(turn.call.args) } }] }
    : { content: turn.text }
  const chunk = (choice, more) => {
    const data = { id: `chat_${at}`, object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, ...choice }], ...more }
    response.write(`data: ${JSON.stringify(data)}\n\n`)
  }
  stream(response)
  chunk({ delta: { role: "assistant", ...delta }, finish_reason: null })
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  chunk({ delta: {}, finish_reason: turn.call ? "tool_calls" : "stop" }, { usage })
  response.end("data: [DONE]\n\n")
}

/** Anthropic's messages: Claude Code. */
function messages(response, turn, at, { model }) {
  const block = turn.call ? { type: "tool_use", id: `toolu_${at}`, name: turn.call.name, input: {} } : { type: "text", text: "" }
  const delta = turn.call
    ? { type: "input_json_delta", partial_json: JSON.stringify(turn.call.args) }
    : { type: "text_delta", text: turn.text }
  const message = { id: `msg_${at}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } }
  stream(response)
  event(response, "message_start", { message })
  event(response, "content_block_start", { index: 0, content_block: block })
  event(response, "content_block_delta", { index: 0, delta })
  event(response, "content_block_stop", { index: 0 })
  event(response, "message_delta", { delta: { stop_reason: turn.call ? "tool_use" : "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } })
  event(response, "message_stop", {})
  response.end()
}

/** OpenAI's responses: Codex. */
function responses(response, turn, at, { model }) {
  const item = turn.call
    ? { type: "function_call", id: `fc_${at}`, call_id: `call_${at}`, name: turn.call.name, arguments: JSON.stringify(turn.call.args), status: "completed" }
    : { type: "message", id: `msg_${at}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: turn.text, annotations: [] }] }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } }
  const whole = { id: `resp_${at}`, object: "response", created_at: 1, status: "completed", model, output: [item], usage }
  stream(response)
  event(response, "response.created", { response: { ...whole, status: "in_progress", output: [] } })
  event(response, "response.output_item.done", { output_index: 0, item })
  event(response, "response.completed", { response: whole })
  response.end()
}

/** Google's generateContent: Gemini CLI. */
function generateContent(response, turn) {
  const part = turn.call ? { functionCall: { name: turn.call.name, args: turn.call.args } } : { text: turn.text }
  const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  stream(response)
  response.end(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`)
}
