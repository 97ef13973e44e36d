// A player that is a program in JavaScript, with nothing but Node: player.mjs HOST PORT CODE [watch].
//
// It joins a table by its code and plays at random, or watches; it reads the chat, writes a message
// and prints what it sees as lines of JSON. It receives notices.

import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { pack, Unpacker } from "./msgpack.mjs";

const [host, port, code, watch] = process.argv.slice(2);
const line = connect(Number(port), host);
const unpacker = new Unpacker();
const waiting = new Map();
const events = [];
let number = 0;
let wake = () => {};

line.on("data", (data) => {
  for (const message of unpacker.feed(data)) {
    if (message[0] === 1) answered(...message.slice(1));
    else if (message[0] === 2) noticed(message[1], message[2][0]);
  }
});
line.on("close", () => fail("The server is gone."));
line.on("error", (error) => fail(error.message));

function call(method, params = {}) {
  number += 1;
  line.write(pack([0, number, method, [params]]));
  return new Promise((resolve) => waiting.set(number, { method, resolve }));
}

function answered(msgid, error, result) {
  const { method, resolve } = waiting.get(msgid);
  waiting.delete(msgid);
  if (error !== null) fail(`${method}: ${error.message}`);
  resolve(result);
}

function noticed(name, params) {
  if (name === "chat.said") tell({ heard: params.message.text, from: params.message.name });
  if (name !== "table.event") return; // whatever else there is now, or will be one day
  events.push(params);
  wake();
}

async function nextEvent() {
  while (events.length === 0) await new Promise((resolve) => (wake = resolve));
  return events.shift();
}

function tell(what) {
  console.log(JSON.stringify(what));
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

await call("hello", { protocol: 1, client: "player.mjs", name: watch ? "Watcher" : "Noder" });
const { info } = await call("table.enter", { code });
const table = info.table;
const nonce = randomBytes(32);
const committed = createHash("sha256").update(`scoville/nonce/1\0${table}\0`).update(nonce).digest("hex");
const seat = watch ? null : (await call("table.join", { table, nonce_hash: committed })).seat;
let { seq, view, pending, move_counts: played } = await call("table.watch", { table });
const { messages } = await call("chat.read", { channel: "table", table });
tell({ seat, history: messages.map((said) => said.text) });
await call("chat.say", { table, text: watch ? "I am watching." : "Good luck!" });

for (let mine = 0, result = null; result === null; ) {
  // Notices before the event of my own move do not include it yet.
  if (seq >= mine && pending.includes(seat)) {
    const { moves } = await call("table.moves", { table });
    const move = moves[Math.floor(Math.random() * moves.length)];
    mine = (await call("table.play", { table, move, nth: played[seat] ?? 0 })).seq;
  }
  const { event, view: after } = await nextEvent();
  if (event.seq !== seq + 1) fail(`Event ${event.seq} came after event ${seq}.`);
  seq = event.seq;
  view = after;
  pending = event.pending ?? pending;
  played = event.move_counts ?? played;
  if (event.kind === "nonces_requested" && seat !== null) await call("table.reveal", { table, nonce: nonce.toString("hex") });
  if (event.kind === "finished") result = event;
  if (result) tell({ seq, view, scores: result.scores, places: result.places });
}
const proof = [];
let count;
do {
  const page = await call("table.export", { table, since: proof.length });
  proof.push(...page.lines);
  count = page.line_count;
} while (proof.length < count);
tell({ moves: proof.length - 3 }); // beside the header, the outcome and the signature
process.exit(0);
