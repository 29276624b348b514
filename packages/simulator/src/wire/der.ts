/** One element of DER: a tag, a length, the content. */
export function tagged(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

function lengthOf(length: number): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
}

/** A SEQUENCE. */
export function sequence(...content: Buffer[]): Buffer {
  return tagged(0x30, ...content);
}

/** A SET. */
export function setOf(...content: Buffer[]): Buffer {
  return tagged(0x31, ...content);
}

/** An OBJECT IDENTIFIER, given as the hex of its content. */
export function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

/** An INTEGER, given as its bytes. */
export function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

/** A UTF8String. */
export function utf8(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value));
}

/** An OCTET STRING. */
export function octets(value: Buffer): Buffer {
  return tagged(0x04, value);
}

/** A BIT STRING. */
export function bitString(unusedBits: number, value: Buffer): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), value);
}

/** A moment: UTCTime has two digits of the year and is required up to 2049; afterwards it would have to be GeneralizedTime. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return digits < "2050" ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${digits}Z`));
}

/** A certificate as text. */
export function toPem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
