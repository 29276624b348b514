import { createHash, createHmac } from "node:crypto";

/** SHA-256 with the interface that the SDK's signer expects. */
export class Sha256 {
  readonly #parts: Buffer[] = [];
  readonly #key: Buffer | undefined;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#key = key === undefined ? undefined : toBytes(key);
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#parts.push(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    const hash = this.#key === undefined ? createHash("sha256") : createHmac("sha256", this.#key);
    for (const part of this.#parts) hash.update(part);
    return hash.digest();
  }

  reset(): void {
    this.#parts.length = 0;
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
