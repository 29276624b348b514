import { createHash } from "node:crypto";

/**
 * How long after its slot a check may still start. A longer delay means that the platform was probably down, so the check waits for its
 * next slot.
 */
const graceMs = 600_000;

/**
 * Returns the time until an entity's next drift check; 0 or less means that the check is due. Every entity has its own slot in the
 * interval, derived from its uid, so a fleet's checks are spread evenly. A check that was missed while the platform was down is skipped.
 * Otherwise, all entities would be due at the same time after a restart.
 */
export function findCheckDueInMs(
  entityUid: string,
  { intervalMs, lastMs, nowMs }: { readonly intervalMs: number; readonly lastMs: number; readonly nowMs: number },
): number {
  const sinceSlotMs = modulo(nowMs - findOffsetMs(entityUid, intervalMs), intervalMs);
  const isMissed = sinceSlotMs > Math.min(graceMs, intervalMs);
  return lastMs < nowMs - sinceSlotMs && !isMissed ? -sinceSlotMs : intervalMs - sinceSlotMs;
}

function findOffsetMs(entityUid: string, intervalMs: number): number {
  return (createHash("sha256").update(entityUid).digest().readUInt32BE() / 2 ** 32) * intervalMs;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
