import { findField } from "../cluster/own-fields.ts";

const units: Record<string, number> = {
  "": 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
};

/** No valid quantity is longer than this. */
const longest = 64;

/** Parses a quantity such as `500m`, `1Gi` or `2`. Returns zero if it is malformed. */
export function parseQuantity(text: string | number | undefined): number {
  const given = String(text ?? "0");
  if (given.length > longest) return 0;
  const [, number = "0", unit = ""] = /^([0-9.eE+-]*[0-9.+-])([a-zA-Z]*)$/.exec(given) ?? [];
  return Number(number) * (findField(units, unit) ?? 0);
}
