/** Encodes a DER element from its tag and content. */
export function tagged(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

function lengthOf(length: number): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
}

/** Encodes a SEQUENCE. */
export function sequence(...content: Buffer[]): Buffer {
  return tagged(0x30, ...content);
}

/** Encodes a SET. */
export function setOf(...content: Buffer[]): Buffer {
  return tagged(0x31, ...content);
}

/** Encodes an OBJECT IDENTIFIER from the hexadecimal form of its content. */
export function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

/** Encodes an INTEGER from its bytes. */
export function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

/** Encodes a UTF8String. */
export function utf8(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value));
}

/** Encodes an OCTET STRING. */
export function octets(value: Buffer): Buffer {
  return tagged(0x04, value);
}

/** Encodes a BIT STRING. */
export function bitString(unusedBits: number, value: Buffer): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), value);
}

/** Encodes a timestamp as X.509 requires: UTCTime through 2049, GeneralizedTime from 2050 on. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return digits < "2050" ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}

/** Converts a DER certificate to PEM. */
export function toPem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
