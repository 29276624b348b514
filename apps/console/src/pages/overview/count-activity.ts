import type { EntityByKind } from "@cloudwright/api-client";

const minutes = 60;

/** Counts finished and failed operations for each of the last 60 minutes. The times in the result are in seconds. */
export function countActivity(
  operations: readonly EntityByKind["Operation"][],
  nowMs: number,
): [times: number[], ended: number[], failed: number[]] {
  const last = Math.floor(nowMs / 60_000);
  const times = Array.from({ length: minutes }, (_, index) => (last - minutes + 1 + index) * 60);
  const ended = times.map(() => 0);
  const failed = times.map(() => 0);
  for (const { status } of operations) {
    if (status?.endedAt === undefined) continue;
    const place = Math.floor(Date.parse(status.endedAt) / 60_000) - (last - minutes + 1);
    if (!(place >= 0 && place < minutes)) continue;
    ended[place] = (ended[place] ?? 0) + 1;
    if (status.state === "FAILED") failed[place] = (failed[place] ?? 0) + 1;
  }
  return [times, ended, failed];
}
