import { trimEnd } from "./trim-end.ts";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";

const magic = Buffer.from("openssh-key-v1\0");
const frame = (word: "BEGIN" | "END"): string => `-----${word} OPENSSH PRIVATE KEY-----`;

/** A key pair in OpenSSH's formats. */
export interface KeyPair {
  /** One line: type and base64. */
  readonly publicKey: string;
  /** A PEM file without a passphrase. */
  readonly privateKey: string;
}

/** Generates an Ed25519 key pair. Node cannot write OpenSSH's format, which is described in OpenSSH's PROTOCOL.key. */
export function generateKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "", d = "" } = privateKey.export({ format: "jwk" });
  const [open, seed] = [Buffer.from(x, "base64url"), Buffer.from(d, "base64url")];
  const blob = Buffer.concat([text("ssh-ed25519"), lengthed(open)]);
  const check = randomBytes(4);
  const whole = Buffer.concat([check, check, blob, lengthed(Buffer.concat([seed, open])), text("")]);
  const padding = Buffer.from(Array.from({ length: (8 - (whole.length % 8)) % 8 }, (_, index) => index + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const file = [magic, text("none"), text("none"), text(""), count, lengthed(blob), lengthed(Buffer.concat([whole, padding]))];
  const lines =
    Buffer.concat(file)
      .toString("base64")
      .match(/.{1,70}/g) ?? [];
  return {
    publicKey: `ssh-ed25519 ${blob.toString("base64")}`,
    privateKey: [frame("BEGIN"), ...lines, frame("END"), ""].join("\n"),
  };
}

/** The parts of a private key file that can be read without its passphrase. The public half is never encrypted. */
export interface PrivateKeyFile {
  /** One line: type and base64. */
  readonly publicKey: string;
  readonly isEncrypted: boolean;
}

/** Reads a private key file in OpenSSH's format. Returns undefined if it is not such a file. */
export function readPrivateKey(file: string): PrivateKeyFile | undefined {
  const body = findBody(file.trim());
  const bytes = Buffer.from(body ?? "", "base64");
  if (body === undefined || !bytes.subarray(0, magic.length).equals(magic)) return undefined;
  const reader = createReader(bytes.subarray(magic.length));
  const [cipher, , , count, blob] = [reader.next(), reader.next(), reader.next(), reader.number(), reader.next()];
  const type = blob === undefined ? undefined : createReader(blob).next();
  if (cipher === undefined || count !== 1 || blob === undefined || type === undefined) return undefined;
  return { publicKey: `${type.toString()} ${blob.toString("base64")}`, isEncrypted: cipher.toString() !== "none" };
}

// A single regular expression for the whole file would take time that is cubic in the file's length.
function findBody(file: string): string | undefined {
  const [begin, end] = [frame("BEGIN"), frame("END")];
  if (!file.startsWith(begin) || !file.endsWith(end)) return undefined;
  const body = file.slice(begin.length, -end.length);
  return /^\s[A-Za-z0-9+/=\s]*\s$/.test(body) ? body.trim() : undefined;
}

/** Returns the type and base64 of a public key, without its comment. Undefined if the base64 does not contain a key of that type. */
export function readPublicKey(line: string): { readonly type: string; readonly key: string } | undefined {
  const [type = "", base64 = ""] = line.trim().split(/\s+/);
  const blob = Buffer.from(base64, "base64");
  const isWhole = trimEnd(blob.toString("base64"), "=") === trimEnd(base64, "=");
  return isWhole && createReader(blob).next()?.toString() === type ? { type, key: `${type} ${base64}` } : undefined;
}

/** Returns the fingerprint of a public key, as `ssh-keygen -l` prints it. */
export function renderFingerprint(publicKey: string): string {
  const [, base64 = ""] = publicKey.split(" ");
  const digest = createHash("sha256").update(Buffer.from(base64, "base64")).digest("base64");
  return `SHA256:${trimEnd(digest, "=")}`;
}

function lengthed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function text(value: string): Buffer {
  return lengthed(Buffer.from(value));
}

/** Reads fields that start with their length. Returns undefined at the end, or if a field is truncated. */
function createReader(bytes: Buffer): { next(): Buffer | undefined; number(): number | undefined } {
  let at = 0;
  const number = (): number | undefined => {
    if (at + 4 > bytes.length) return undefined;
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  return {
    number,
    next() {
      const length = number();
      if (length === undefined || at + length > bytes.length) return undefined;
      at += length;
      return bytes.subarray(at - length, at);
    },
  };
}
