import type { MaintenanceWindow } from "./scope.ts";

const dayMs = 86_400_000;
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Returns whether running infrastructure may be changed now. Always true if no maintenance windows are defined. */
export function isMaintenance(windows: readonly MaintenanceWindow[], nowMs: number): boolean {
  return windows.length === 0 || windows.some((window) => isOpen(window, nowMs));
}

export function describeWindows(windows: readonly MaintenanceWindow[]): string {
  return windows
    .map(({ days, start, durationMinutes, timeZone }) => {
      const when = days.length === 0 ? "every day" : days.join(", ");
      return `${when} at ${start} ${timeZone || "UTC"} for ${durationMinutes} minutes`;
    })
    .join(" or ");
}

/** Returns whether a window is open. A window may end on the day after it started, so a window from yesterday may still be open. */
function isOpen({ days, start, durationMinutes, timeZone }: MaintenanceWindow, nowMs: number): boolean {
  const [hour = 0, minute = 0] = start.split(":").map(Number);
  return [nowMs, nowMs - dayMs].some((dayOfMs) => {
    const local = readLocal(dayOfMs, timeZone || "UTC");
    if (days.length > 0 && !days.includes(local.day)) return false;
    const passedMinutes = local.minutes - (hour * 60 + minute) + (nowMs - dayOfMs) / 60_000;
    return passedMinutes >= 0 && passedMinutes < durationMinutes;
  });
}

/**
 * Returns the day and time in a time zone. The API rejects unknown zones, but this machine may support fewer zones than the API server. An
 * unsupported zone is treated as UTC, so that it does not stop all work.
 */
function readLocal(ms: number, timeZone: string): { day: string; minutes: number } {
  const parts = createFormat(timeZone)
    .formatToParts(ms)
    .reduce<Record<string, string>>((all, { type, value }) => ({ ...all, [type]: value }), {});
  const day = (parts["weekday"] ?? "").toLowerCase();
  return {
    day: dayNames.find((name) => day.startsWith(name)) ?? day,
    minutes: Number(parts["hour"]) * 60 + Number(parts["minute"]),
  };
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const format = { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...format, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-GB", { ...format, timeZone: "UTC" });
  }
}
