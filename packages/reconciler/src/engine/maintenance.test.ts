import { describe, expect, test } from "vitest";
import { describeWindows, isMaintenance } from "./maintenance.ts";
import type { MaintenanceWindow } from "./scope.ts";

const at = (text: string): number => Date.parse(text);
const window = (part: Partial<MaintenanceWindow>): MaintenanceWindow => ({
  days: [],
  start: "22:00",
  durationMinutes: 120,
  timeZone: "",
  ...part,
});

describe("X022 maintenance windows", () => {
  test.each([
    ["changes are always allowed without windows", [], "2026-11-15T12:00:00Z", true],
    ["inside", [window({})], "2026-11-15T22:00:00Z", true],
    ["before", [window({})], "2026-11-15T21:59:59Z", false],
    ["after", [window({})], "2026-11-16T00:00:00Z", false],
    ["yesterday's window is still open after midnight", [window({ durationMinutes: 240 })], "2026-11-16T01:30:00Z", true],
    ["on the right day", [window({ days: ["sun"] })], "2026-11-15T22:30:00Z", true],
    ["on another day", [window({ days: ["sat"] })], "2026-11-15T22:30:00Z", false],
    [
      "the day of a window is the day on which it starts",
      [window({ days: ["sun"], durationMinutes: 240 })],
      "2026-11-16T01:00:00Z",
      true,
    ],
    ["in the window's own time zone", [window({ timeZone: "America/New_York" })], "2026-11-16T03:30:00Z", true],
    ["one of several", [window({ days: ["mon"] }), window({ start: "08:00" })], "2026-11-15T09:00:00Z", true],
    ["an unknown time zone is treated as UTC", [window({ timeZone: "Mars/Olympus" })], "2026-11-15T22:30:00Z", true],
  ])("%s", (_, windows, now, open) => {
    expect(isMaintenance(windows, at(now))).toBe(open);
  });

  test("are described in words", () => {
    expect(describeWindows([window({ days: ["sat", "sun"], timeZone: "Europe/Berlin" })])).toBe(
      "sat, sun at 22:00 Europe/Berlin for 120 minutes",
    );
  });
});
