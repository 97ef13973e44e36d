// A player that validates every message it receives against docs/protocol/schema.json, with nothing but Node.js:
//   node examples/validating_player.mjs HOST PORT [GAME]
//
// It opens a table, lets bots take the other seats, plays a whole game by notices and prints the result as JSON. It
// exits with 1 and a list of faults if a message does not fit the schema.

import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { pack, Unpacker } from "./msgpack.mjs";
import { faults, schema } from "./schema.mjs";

const [host, port, game = "no_thanks"] = process.argv.slice(2);
const socket = connect(Number(port), host);
const unpacker = new Unpacker();
const calls = new Map();
const events = [];
const validated = { replies: 0, notices: 0, views: 0, facts: 0, moves: 0 };
let msgid = 0;
let wake = () => {};

socket.on("data", (data) => {
  for (const [kind, ...rest] of unpacker.feed(data)) {
    if (kind === 1) onResponse(...rest);
    else if (kind === 2) onNotice(...rest);
  }
});
socket.on("close", () => fail("The connection is closed."));
socket.on("error", (error) => fail(error.message));

function call(method, params = {}) {
  validate(params, schema.methods[method].params, `params of ${method}`);
  msgid += 1;
  socket.write(pack([0, msgid, method, [params]]));
  return new Promise((resolve) => calls.set(msgid, { method, resolve }));
}

function onResponse(id, error, result) {
  const { method, resolve } = calls.get(id);
  calls.delete(id);
  if (error !== null) fail(`${method}: ${error.code}: ${error.message}`);
  validate(result, schema.methods[method].reply, `reply to ${method}`);
  validated.replies += 1;
  resolve(result);
}

function onNotice(name, [params]) {
  const shape = schema.notices[name];
  if (shape === undefined) return; // of a later server
  validate(params, shape, `notice ${name}`);
  validated.notices += 1;
  if (name !== "table.event") return;
  events.push(params);
  wake();
}

async function nextEvent() {
  while (events.length === 0) await new Promise((resolve) => (wake = resolve));
  return events.shift();
}

/** Validate what the game defines: the protocol itself has plain maps there. */
function validateGame(view, facts) {
  if (view !== null) validate(view, schema.games[game].view, "the View");
  validated.views += view !== null;
  for (const fact of facts) validate(fact, schema.games[game].fact, `the fact ${fact.fact}`);
  validated.facts += facts.length;
}

function validate(value, shape, what) {
  const found = faults(value, shape, what);
  if (found.length > 0) fail(found.join("\n"));
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Choose a move: in No Thanks! by the View alone, in the other games the first legal one. */
async function chooseMove(view, table) {
  if (game !== "no_thanks") return (await call("table.moves", { table })).moves[0];
  const { card, pot, cards } = view.board;
  const mine = cards[view.seat];
  const continues = mine.includes(card - 1) || mine.includes(card + 1);
  return { action: view.chips === 0 || continues || pot * 2 >= card ? "take" : "pass" };
}

await call("hello", { protocol: schema.protocol, client: "validating_player.mjs" });
const { info } = await call("table.create", { game, seat_count: 3, settings: { private: true } });
const table = info.table;
const nonce = randomBytes(32);
const nonce_hash = createHash("sha256").update(`scoville/nonce/1\0${table}\0`).update(nonce).digest("hex");
const { seat } = await call("table.join", { table, nonce_hash });
let { seq, view, pending, move_counts } = await call("table.watch", { table });
await call("table.start", { table });

for (let played = 0, result = null; result === null; ) {
  // Events from before my own move may still be on their way: they do not know of it.
  if (seq >= played && pending.includes(seat)) {
    const move = await chooseMove(view, table);
    if (!schema.games[game].moves.some((shape) => faults(move, shape).length === 0)) fail("The move does not fit.");
    validated.moves += 1;
    played = (await call("table.play", { table, move, nth: move_counts[seat] })).seq;
  }
  const { event, view: after } = await nextEvent();
  if (event.seq !== seq + 1) fail(`Event ${event.seq} came after event ${seq}.`);
  validateGame(after, event.facts ?? []);
  seq = event.seq;
  view = after;
  pending = event.pending ?? pending;
  move_counts = event.move_counts ?? move_counts;
  if (event.kind === "nonces_requested") await call("table.reveal", { table, nonce: nonce.toString("hex") });
  if (event.kind === "finished") result = event;
  if (result) console.log(JSON.stringify({ game, seat, scores: result.scores, places: result.places, validated }));
}
process.exit(0);
