import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** A key and a certificate that vouches for itself. */
export interface SelfSigned {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly der: Buffer;
}

/** Makes the certificate that a plug-in shows its host: for `localhost`, P-256, good for both ends of mutual TLS, valid for a day. */
export function createSelfSigned(nowMs: number): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(setOf(sequence(oid("550403"), utf8("localhost"))));
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const toSign = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(nowMs - 30_000), time(nowMs + 86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions())),
  );
  const signature = createSign("sha256").update(toSign).sign(privateKey);
  const der = sequence(toSign, algorithm, bitString(0, signature));
  return { keyPem: String(privateKey.export({ type: "pkcs8", format: "pem" })), certificatePem: toPem(der), der };
}

function extensions(): Buffer[] {
  const critical = tagged(0x01, Buffer.from([0xff]));
  const isAuthority = sequence(tagged(0x01, Buffer.from([0xff])));
  // digitalSignature, keyEncipherment, keyAgreement, keyCertSign; Go refuses any other count of unused bits than two.
  const keyUsage = bitString(2, Buffer.from([0xac]));
  const purposes = sequence(oid("2b06010505070301"), oid("2b06010505070302"));
  const names = sequence(tagged(0x82, Buffer.from("localhost")));
  return [
    sequence(oid("551d13"), critical, octets(isAuthority)),
    sequence(oid("551d0f"), critical, octets(keyUsage)),
    sequence(oid("551d25"), octets(purposes)),
    sequence(oid("551d11"), octets(names)),
  ];
}

function tagged(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

function lengthOf(length: number): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
}

function sequence(...content: Buffer[]): Buffer {
  return tagged(0x30, ...content);
}

function setOf(...content: Buffer[]): Buffer {
  return tagged(0x31, ...content);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

function utf8(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value));
}

function octets(value: Buffer): Buffer {
  return tagged(0x04, value);
}

function bitString(unusedBits: number, value: Buffer): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), value);
}

// UTCTime has two digits of the year and is required up to 2049; afterwards it would have to be GeneralizedTime.
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return digits < "2050" ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}

function toPem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
