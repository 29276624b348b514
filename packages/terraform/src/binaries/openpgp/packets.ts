import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";

/** One packet of an OpenPGP message (RFC 9580, section 4). */
export interface Packet {
  readonly tag: number;
  readonly body: Buffer;
}

/** Any text or bytes that are not OpenPGP as it is read here. */
export function malformed(what: string): Fault {
  return new Fault(terraformFaults.bad_signature, `a key or signature cannot be read: ${what}`);
}

/** The bytes of a file that may be armoured. */
export function removeArmour(file: Buffer): Buffer {
  const text = file.toString("latin1");
  const match = /-----BEGIN PGP [A-Z ]+-----\r?\n(?<rest>[\s\S]*?)-----END PGP/.exec(text);
  if (match?.groups === undefined) return file;
  // Headers end at the first empty line; the checksum after "=" protects against accidents only, which the signature finds too.
  const [, ...body] = (match.groups["rest"] as string).split(/^[ \t]*\r?\n/m);
  return Buffer.from(body.join("").replace(/^=.*$/m, ""), "base64");
}

/** Every packet, in order. */
export function listPackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { tag, start, length } = readHeader(bytes, at);
    if (start + length > bytes.length) throw malformed("a packet is cut off");
    packets.push({ tag, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return packets;
}

function readHeader(bytes: Buffer, at: number): { tag: number; start: number; length: number } {
  const first = byteAt(bytes, at);
  if ((first & 0x80) === 0) throw malformed("what should be a packet is none");
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

/** A length of one, two or five bytes; those of unfinished packets are not for keys and signatures. */
export function readLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = byteAt(bytes, at);
  if (first < 192) return { start: at + 1, length: first };
  if (first < 224) return { start: at + 2, length: ((first - 192) << 8) + byteAt(bytes, at + 1) + 192 };
  if (first === 255) return { start: at + 5, length: readNumber(bytes, at + 1, 4) };
  throw malformed("a packet comes in parts");
}

/** A number of so many bytes. */
export function readNumber(bytes: Buffer, at: number, size: 2 | 4): number {
  if (at + size > bytes.length) throw malformed("a number is cut off");
  return bytes.readUIntBE(at, size);
}

/** One byte that must be there. */
export function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw malformed("it ends too early");
  return byte;
}

/** A big number with its length in bits before it, and where the next thing begins. */
export function readBigNumber(bytes: Buffer, at: number): { value: Buffer; next: number } {
  const size = Math.ceil(readNumber(bytes, at, 2) / 8);
  const next = at + 2 + size;
  if (next > bytes.length) throw malformed("a number is cut off");
  return { value: bytes.subarray(at + 2, next), next };
}
