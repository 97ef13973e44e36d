// A client with the types of `node examples/generate_types.mjs`: it must compile in strict mode, and play.
//   node client.js HOST PORT
import { connect } from "node:net";
import { pack, Unpacker } from "./msgpack.mjs";
import type { ErrorCode, ErrorData, Methods, Notices, no_thanks } from "./scoville.js";

type Failure = { [C in ErrorCode]: { code: C; message: string; data: ErrorData[C] } }[ErrorCode];
type Waiting = { resolve: (reply: unknown) => void; reject: (failure: Failure) => void };

const [host, port] = process.argv.slice(2);
const socket = connect(Number(port), host);
const unpacker = new Unpacker();
const waiting = new Map<number, Waiting>();
let msgid = 0;
let seen = 0;

socket.on("data", (data: Uint8Array) => {
  for (const [kind, ...rest] of unpacker.feed(data) as Array<[number, ...unknown[]]>) {
    if (kind === 1) {
      const [id, error, result] = rest as [number, Failure | null, unknown];
      const { resolve, reject } = waiting.get(id)!;
      waiting.delete(id);
      if (error === null) resolve(result);
      else reject(error);
    } else if (kind === 2 && rest[0] === "table.event") {
      const [{ event }] = rest[1] as [Notices["table.event"]];
      seen += event.seq > 0 ? 1 : 0;
    }
  }
});

function call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["reply"]> {
  msgid += 1;
  socket.write(pack([0, msgid, method, [params]]));
  return new Promise((resolve, reject) => waiting.set(msgid, { resolve: resolve as (reply: unknown) => void, reject }));
}

async function play(): Promise<void> {
  const welcome = await call("hello", { protocol: 1, client: "typed 1.0", name: "Tess" });
  const games: string[] = welcome.games.map((game) => game.slug);
  const { info } = await call("table.create", { game: "no_thanks", seat_count: 3 });
  const rated: boolean = info.rated; // always sent, so not "boolean | undefined"
  const { seat } = await call("table.join", { table: info.table });
  await call("table.watch", { table: info.table });
  await call("table.start", { table: info.table });
  const refused: string[] = [];
  for (;;) {
    const table = await call("table.poll", { table: info.table });
    if (table.info.status === "finished") break;
    if (!table.pending.includes(seat)) continue;
    const view = table.view as unknown as no_thanks.View;
    const { moves } = await call("table.moves", { table: info.table });
    if (view.chips === 0 && view.board.card !== null) {
      await call("table.play", { table: info.table, move: { pass: true } }).catch((failure: Failure) => refused.push(failure.code));
    }
    await call("table.play", { table: info.table, move: moves[0]! });
  }
  const missing = await call("table.leave", { table: "nowhere" }).catch((failure: Failure) => failure);
  if (!("code" in missing) || missing.code !== "unknown_table") throw new Error("no refusal");
  const table: string | undefined = missing.data.table;
  console.log(JSON.stringify({ games, rated, refused, seen: seen > 0, table }));
  socket.end();
}

void play();
