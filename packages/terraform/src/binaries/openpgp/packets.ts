import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";

/** An OpenPGP packet (RFC 9580, section 4). */
export interface Packet {
  readonly tag: number;
  readonly body: Buffer;
}

/** Creates the fault for malformed or unsupported OpenPGP data. */
export function malformed(what: string): Fault {
  return new Fault(terraformFaults.bad_signature, `a key or signature is invalid: ${what}`);
}

/** Returns the binary content of a file that may be ASCII-armoured. */
export function removeArmour(file: Buffer): Buffer {
  const text = file.toString("latin1");
  const match = /-----BEGIN PGP [A-Z ]+-----\r?\n(?<rest>[\s\S]*?)-----END PGP/.exec(text);
  if (match?.groups === undefined) return file;
  // Headers end at the first empty line. The checksum after "=" is not verified, because the signature detects any damage.
  const [, ...body] = (match.groups["rest"] as string).split(/^[ \t]*\r?\n/m);
  return Buffer.from(body.join("").replace(/^=.*$/m, ""), "base64");
}

export function listPackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { tag, start, length } = readHeader(bytes, at);
    if (start + length > bytes.length) throw malformed("a packet is truncated");
    packets.push({ tag, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return packets;
}

function readHeader(bytes: Buffer, at: number): { tag: number; start: number; length: number } {
  const first = byteAt(bytes, at);
  if ((first & 0x80) === 0) throw malformed("a packet has an invalid header");
  if ((first & 0x40) !== 0) return { tag: first & 0x3f, ...readLength(bytes, at + 1) };
  const tag = (first >> 2) & 0x0f;
  switch (first & 3) {
    case 0:
      return { tag, start: at + 2, length: byteAt(bytes, at + 1) };
    case 1:
      return { tag, start: at + 3, length: readNumber(bytes, at + 1, 2) };
    case 2:
      return { tag, start: at + 5, length: readNumber(bytes, at + 1, 4) };
    default:
      throw malformed("a packet has no length");
  }
}

/** Reads a length of one, two or five bytes. Partial lengths do not occur in keys and signatures. */
export function readLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = byteAt(bytes, at);
  if (first < 192) return { start: at + 1, length: first };
  if (first < 224) return { start: at + 2, length: ((first - 192) << 8) + byteAt(bytes, at + 1) + 192 };
  if (first === 255) return { start: at + 5, length: readNumber(bytes, at + 1, 4) };
  throw malformed("a packet has a partial length");
}

export function readNumber(bytes: Buffer, at: number, size: 2 | 4): number {
  if (at + size > bytes.length) throw malformed("a number is truncated");
  return bytes.readUIntBE(at, size);
}

/** Returns the byte at a position. Throws if the data is too short. */
export function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw malformed("it ends too early");
  return byte;
}

/** Reads a multiprecision integer, which starts with its length in bits. `next` is the position after it. */
export function readBigNumber(bytes: Buffer, at: number): { value: Buffer; next: number } {
  const size = Math.ceil(readNumber(bytes, at, 2) / 8);
  const next = at + 2 + size;
  if (next > bytes.length) throw malformed("a number is truncated");
  return { value: bytes.subarray(at + 2, next), next };
}
