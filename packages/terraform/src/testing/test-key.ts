import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";

/** An OpenPGP key pair for signing test releases. */
export interface TestKey {
  readonly fingerprint: string;
  readonly certificate: Buffer;
  sign(bytes: Buffer, options?: { createdAt?: number; type?: number; hash?: number }): Buffer;
}

/** Deviations from a valid key. */
export interface TestKeyOptions {
  readonly expiresAfter?: number;
  readonly flags?: number;
  readonly revoked?: boolean;
  /** Signs with a subkey, as HashiCorp does. `silent` omits the cross-signature, as with a stolen subkey. */
  readonly subkey?: "answering" | "silent";
}

interface Part {
  readonly framed: Buffer;
  readonly body: Buffer;
  readonly fingerprint: string;
  readonly secret: KeyObject;
}

const createdAt = 1_700_000_000;

/** Creates a key of only 2048 bits, to save time. */
export function createTestKey(options: TestKeyOptions = {}): TestKey {
  const primary = createPart();
  const name = Buffer.from("Test <test@example.org>");
  const nameFrame = Buffer.concat([Buffer.from([0xb4]), uint(name.length, 4), name]);
  const flags = [
    part(27, Buffer.from([options.flags ?? 3])),
    ...(options.expiresAfter === undefined ? [] : [part(9, uint(options.expiresAfter, 4))]),
  ];
  const packets = [
    packet(6, primary.body),
    ...(options.revoked === true ? [packet(2, signBody(primary, 0x20, [primary.framed], []))] : []),
    packet(13, name),
    packet(2, signBody(primary, 0x13, [primary.framed, nameFrame], flags)),
  ];
  let signer = primary;
  if (options.subkey !== undefined) {
    signer = createPart();
    const data = [primary.framed, signer.framed];
    const answer = options.subkey === "silent" ? [] : [part(32, signBody(signer, 0x19, data, []))];
    packets.push(packet(14, signer.body), packet(2, signBody(primary, 0x18, data, [part(27, Buffer.from([2])), ...answer])));
  }
  return {
    fingerprint: primary.fingerprint,
    certificate: armour(Buffer.concat(packets)),
    sign: (bytes, how = {}) => packet(2, signBody(signer, how.type ?? 0, [bytes], [], how.createdAt ?? createdAt + 10, how.hash)),
  };
}

function createPart(): Part {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n = "", e = "" } = publicKey.export({ format: "jwk" });
  const body = Buffer.concat([Buffer.from([4]), uint(createdAt, 4), Buffer.from([1]), bigNumber(n), bigNumber(e)]);
  const framed = Buffer.concat([Buffer.from([0x99]), uint(body.length, 2), body]);
  return { body, framed, fingerprint: createHash("sha1").update(framed).digest("hex"), secret: privateKey };
}

function signBody(by: Part, type: number, data: readonly Buffer[], parts: readonly Buffer[], at = createdAt, hash = 8): Buffer {
  const hashed = Buffer.concat([
    part(2, uint(at, 4)),
    part(33, Buffer.concat([Buffer.from([4]), Buffer.from(by.fingerprint, "hex")])),
    ...parts,
  ]);
  const head = Buffer.concat([Buffer.from([4, type, 1, hash]), uint(hashed.length, 2), hashed]);
  const trailer = Buffer.concat([head, Buffer.from([4, 0xff]), uint(head.length, 4)]);
  const proof = sign(hash === 2 ? "sha1" : "sha256", Buffer.concat([...data, trailer]), by.secret);
  return Buffer.concat([head, uint(0, 2), uint(0, 2), bigNumber(proof.toString("base64url"))]);
}

function part(kind: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff]), uint(body.length + 1, 4), Buffer.from([kind]), body]);
}

function packet(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0 | tag, 0xff]), uint(body.length, 4), body]);
}

function bigNumber(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, "base64url");
  const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([uint(trimmed.length * 8 - Math.clz32(trimmed[0] ?? 0) + 24, 2), trimmed]);
}

function uint(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}

function armour(bytes: Buffer): Buffer {
  const lines = bytes.toString("base64").replaceAll(/.{64}/g, "$&\n");
  return Buffer.from(
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\nComment: a test\n\n${lines}\n=AAAA\n-----END PGP PUBLIC KEY BLOCK-----\n`,
  );
}
