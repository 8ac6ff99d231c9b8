// Stands in for `brakeline serve` in tests of the connection. How it behaves is its first argument.

import { createInterface } from "node:readline";

const behaviour = process.argv[2] ?? "good";
const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

let asked: number | undefined;
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    switch (behaviour) {
      case "old":
        send({ type: "error", id: message.id, code: "unsupported_protocol", message: "protocol 0 is spoken here" });
        return;
      case "garbage":
        process.stdout.write("brakeline: usage …\n");
        return;
      case "silent":
        return;
      case "dies":
        process.stderr.write("out of memory\n");
        process.exit(3);
        break;
      case "pieces":
        // One answer in two pieces that cut a character, together with the next one.
        if (message.type === "hello") return send({ type: "result", id: message.id });
        if (message.id === 1) return;
        {
          const text = Buffer.from(
            [1, 2]
              .map((id) => JSON.stringify({ type: "result", id, effects: [{ type: "notify", text: "守卫" }] }))
              .join("\n"),
          );
          const cut = text.indexOf("守") + 1;
          process.stdout.write(text.subarray(0, cut));
          setTimeout(() => process.stdout.write(Buffer.concat([text.subarray(cut), Buffer.from("\n")])), 30);
        }
        return;
    }
    if (message.type === "command") {
      asked = message.id;
      send({
        type: "ask",
        id: message.id,
        session: message.session,
        question: "q1",
        dialog: { kind: "confirm", title: "?", message: "" },
      });
    } else if (message.type === "answer") {
      send({ type: "result", id: asked, decision: { answered: message.answer } });
    } else {
      send({ type: "result", id: message.id, decision: { got: message.type } });
    }
  })
  .on("close", () => process.exit(0));
