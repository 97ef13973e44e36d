// As much of MessagePack as Scoville's wire speaks: nil, booleans, numbers, text, arrays and maps.

/** Write a value as bytes. */
export function pack(value) {
  if (value === null || value === undefined) return Buffer.from([0xc0]);
  if (typeof value === "boolean") return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === "number") return packNumber(value);
  if (typeof value === "string") return packText(value);
  if (Array.isArray(value)) return Buffer.concat([head(0x90, 0xdc, value.length), ...value.map(pack)]);
  const entries = Object.entries(value);
  return Buffer.concat([head(0x80, 0xde, entries.length), ...entries.flat().map(pack)]);
}

function packNumber(value) {
  if (Number.isInteger(value) && value >= 0 && value < 0x80) return Buffer.from([value]);
  const bytes = Buffer.alloc(9);
  if (Number.isSafeInteger(value)) {
    bytes[0] = 0xd3;
    bytes.writeBigInt64BE(BigInt(value), 1);
  } else {
    bytes[0] = 0xcb;
    bytes.writeDoubleBE(value, 1);
  }
  return bytes;
}

function packText(value) {
  const text = Buffer.from(value, "utf8");
  const start = Buffer.from([0xda, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([text.length < 32 ? Buffer.from([0xa0 | text.length]) : start, text]);
}

function head(short, long, length) {
  return Buffer.from(length < 16 ? [short | length] : [long, length >> 8, length & 0xff]);
}

/** Reads messages from bytes, however the network cut them. */
export class Unpacker {
  #bytes = Buffer.alloc(0);
  #at = 0;

  /** Take bytes that arrived; gives the messages that are whole now. */
  *feed(data) {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    for (;;) {
      this.#at = 0;
      let message;
      try {
        message = this.#value();
      } catch (error) {
        if (error instanceof RangeError) return; // there is more to come
        throw error;
      }
      this.#bytes = this.#bytes.subarray(this.#at);
      yield message;
    }
  }

  #value() {
    const tag = this.#bytes.readUInt8(this.#step(1));
    if (tag < 0x80) return tag;
    if (tag < 0x90) return this.#map(tag & 0x0f);
    if (tag < 0xa0) return this.#array(tag & 0x0f);
    if (tag < 0xc0) return this.#text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x100;
    const bytes = this.#bytes;
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xca: return bytes.readFloatBE(this.#step(4));
      case 0xcb: return bytes.readDoubleBE(this.#step(8));
      case 0xcc: return bytes.readUInt8(this.#step(1));
      case 0xcd: return bytes.readUInt16BE(this.#step(2));
      case 0xce: return bytes.readUInt32BE(this.#step(4));
      case 0xcf: return Number(bytes.readBigUInt64BE(this.#step(8)));
      case 0xd0: return bytes.readInt8(this.#step(1));
      case 0xd1: return bytes.readInt16BE(this.#step(2));
      case 0xd2: return bytes.readInt32BE(this.#step(4));
      case 0xd3: return Number(bytes.readBigInt64BE(this.#step(8)));
      case 0xd9: return this.#text(bytes.readUInt8(this.#step(1)));
      case 0xda: return this.#text(bytes.readUInt16BE(this.#step(2)));
      case 0xdb: return this.#text(bytes.readUInt32BE(this.#step(4)));
      case 0xdc: return this.#array(bytes.readUInt16BE(this.#step(2)));
      case 0xdd: return this.#array(bytes.readUInt32BE(this.#step(4)));
      case 0xde: return this.#map(bytes.readUInt16BE(this.#step(2)));
      case 0xdf: return this.#map(bytes.readUInt32BE(this.#step(4)));
      default: throw new Error(`A server never sends the tag 0x${tag.toString(16)}.`);
    }
  }

  #text(length) {
    const start = this.#step(length);
    if (this.#at > this.#bytes.length) throw new RangeError("cut off");
    return this.#bytes.toString("utf8", start, this.#at);
  }

  #array(length) {
    return Array.from({ length }, () => this.#value());
  }

  #map(length) {
    return Object.fromEntries(Array.from({ length }, () => [this.#value(), this.#value()]));
  }

  #step(length) {
    this.#at += length;
    return this.#at - length;
  }
}
