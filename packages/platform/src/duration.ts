import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as 90m, 24h or 7d. If it is invalid, throws a fault that contains the variable's name. */
export function parseDuration(name: string, text: string): number {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text);
  if (match === null)
    throw new Fault(platformFaults.bad_configuration, `${name} is "${text}"; use a duration such as 90m, 24h or 7d`);
  return Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0);
}
