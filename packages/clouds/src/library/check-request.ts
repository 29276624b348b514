import { createHash, randomUUID } from "node:crypto";
import type { CreateOptions } from "./call-options.ts";
import { refuseRequest } from "./errors.ts";

/** Returns the caller's token, or a random one. Throws `clouds.invalid` if the caller's token is malformed. */
export function readToken(cloud: string, { token }: CreateOptions): string {
  if (token === undefined) return randomUUID();
  if (/^[\w-]{1,64}$/.test(token)) return token;
  throw refuseRequest(cloud, "the token must consist of 1 to 64 letters, digits, - and _");
}

/** Derives the token of one request from the token of a call that sends several. */
export function deriveToken(token: string, request: string): string {
  return createHash("sha256").update(`${token}\n${request}`).digest("hex").slice(0, 48);
}

/** Throws `clouds.invalid` unless a count is a whole number in the range. */
export function checkCount(cloud: string, field: string, count: number, { least = 0, most = 10_000 } = {}): void {
  if (Number.isInteger(count) && count >= least && count <= most) return;
  throw refuseRequest(cloud, `${field} must be a whole number from ${least} to ${most}, not ${count}`);
}

/** Throws `clouds.invalid` unless a required string is present. */
export function checkText(cloud: string, field: string, text: unknown): void {
  if (typeof text === "string" && text.trim() !== "") return;
  throw refuseRequest(cloud, `${field} is required`);
}

/** Throws `clouds.invalid` unless a required option of a factory such as `createAws` is present. */
export function checkOption(cloud: string, factory: string, name: string, value: unknown): void {
  if (typeof value === "string" && value.trim() !== "") return;
  throw refuseRequest(cloud, `${name} is required; pass it to ${factory}`);
}

/** Throws `clouds.invalid` unless a number of nodes is within the pool's limits. */
export function checkScale(cloud: string, { count, min, max }: { count: number; min?: number; max?: number }): void {
  checkCount(cloud, "the number of nodes", count);
  if (min !== undefined) checkCount(cloud, "min", min, { most: max ?? 10_000 });
  if (max !== undefined) checkCount(cloud, "max", max, { least: Math.max(1, min ?? 0) });
  if ((min !== undefined && count < min) || (max !== undefined && count > max))
    throw refuseRequest(
      cloud,
      `the number of nodes is ${count}, which is not between min (${min ?? 0}) and max (${max ?? "unlimited"})`,
    );
}
