import { Fault, trimEnd } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

/** Returns the canonical form of a number: a number if it is a safe integer, or else a plain decimal string. */
export function normalizeNumber(given: number | bigint | string): number | string {
  if (typeof given === "number") return Number.isSafeInteger(given) ? given + 0 : normalizeText(writeExactly(given));
  return normalizeText(String(given));
}

function normalizeText(given: string): number | string {
  const match = /^(?<sign>[+-]?)(?<whole>\d+)(?:\.(?<part>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/.exec(given);
  const exponent = Number(match?.groups?.["exponent"] ?? 0);
  // Limits the exponent, because a malformed number could otherwise fill the memory with zeros.
  if (match?.groups === undefined || Math.abs(exponent) > 10_000) {
    throw new Fault(simulatorFaults.bad_value, `"${given.slice(0, 40)}" is not a number`);
  }
  const { sign, whole = "", part = "" } = match.groups;
  const point = whole.length + exponent;
  const padded = `${"0".repeat(Math.max(0, -point))}${whole}${part}`;
  const at = Math.max(0, point);
  const before = padded.slice(0, at).padEnd(at, "0").replace(/^0+/, "") || "0";
  const after = trimEnd(padded.slice(at), "0");
  const text = after === "" ? before : `${before}.${after}`;
  const signed = sign === "-" && text !== "0" ? `-${text}` : text;
  return after === "" && Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

/** Writes all digits of a double. At Terraform's 512-bit precision, the double's shortest form would denote a different number. */
function writeExactly(double: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  if (biased === 0x7ff) return String(double);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const power = Math.max(biased, 1) - 1075;
  const sign = double < 0 ? "-" : "";
  if (power >= 0) return `${sign}${mantissa << BigInt(power)}`;
  return `${sign}${mantissa * 5n ** BigInt(-power)}e${power}`;
}
