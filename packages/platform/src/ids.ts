import { randomBytes, randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4096);
let used = pool.length;

/** Creates a version 7 UUID. Such UUIDs sort by creation time, which keeps database indexes compact. */
export function createUid(nowMs: number): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString("hex", used, (used += 10));
  const time = Math.floor(nowMs).toString(16).padStart(12, "0");
  const variant = ((parseInt(random[3] as string, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

const uidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns whether a string is a uid. Entity names can never have this form. */
export function isUid(text: string): boolean {
  return uidPattern.test(text);
}

/** Creates a random 256-bit token from characters that are safe in URLs and shells. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}
