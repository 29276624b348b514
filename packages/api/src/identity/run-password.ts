import { createToken } from "@cloudwright/platform";
import type { KeyRing } from "@cloudwright/store";
import { createHmac, timingSafeEqual } from "node:crypto";

const pattern = /^cws_([\w-]{43})\.([\w-]{22})$/;
const macBytes = 16;

/**
 * Creates a run's password. The password contains a signature, so that every replica can tell without a database lookup that the platform
 * issued it. The lookup still decides whether the run holds its lease.
 */
export function createRunPassword(ring: KeyRing, taskUid: string): string {
  const random = createToken();
  return `cws_${random}.${sign(ring, ring.primary, taskUid, random).toString("base64url")}`;
}

/** Returns whether this platform issued a password for a task. */
export function isRunPassword(ring: KeyRing, taskUid: string, password: string): boolean {
  const [, random, mac] = pattern.exec(password) ?? [];
  if (random === undefined || mac === undefined) return false;
  const sent = Buffer.from(mac, "base64url");
  return [...ring.keys.keys()].some((id) => timingSafeEqual(sent, sign(ring, id, taskUid, random)));
}

function sign(ring: KeyRing, id: string, taskUid: string, random: string): Buffer {
  const key = ring.keys.get(id)?.reveal() ?? Buffer.alloc(0);
  // The key from the ring also encrypts secrets, so the signature uses a key derived from it.
  const derived = createHmac("sha256", key).update("cloudwright run password").digest();
  return createHmac("sha256", derived).update(`${taskUid} ${random}`).digest().subarray(0, macBytes);
}
