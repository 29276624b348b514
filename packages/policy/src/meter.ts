import { isCelList, isCelMap, type CelValue } from "@bufbuild/cel";
import { policyLimits } from "./limits.ts";

/** The error of a rule that exceeds its steps. */
export const stepsExceeded = `it takes more than ${policyLimits.ruleSteps} steps`;

/** Counts the steps of one rule for one subject. The same subject always takes the same steps. */
export class Meter {
  #left: number = policyLimits.ruleSteps;

  /** True if the rule has exceeded its steps. Its result must be ignored then. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Charges for a value that is looped over, joined or read. */
  payFor(value: CelValue): void {
    this.#pay(sizeOf(value));
  }

  /** Charges for a text before it is matched against a pattern. */
  payForSearch(text: string): void {
    if (text.length > policyLimits.searchedChars)
      throw new Error(`a searched text has more than ${policyLimits.searchedChars} characters`);
    this.#pay(text.length);
  }

  /** Charges for a value that is compared, including everything inside it. */
  payForAll(value: CelValue): void {
    this.payFor(value);
    if (!isCelList(value) && !isCelMap(value)) return;
    for (const inner of value.values()) this.payForAll(inner);
  }

  #pay(steps: number): void {
    this.#left -= steps;
    if (this.isExhausted) throw new Error(stepsExceeded);
  }
}

function sizeOf(value: CelValue): number {
  if (typeof value === "string") return 1 + Math.ceil(value.length / 16);
  if (value instanceof Uint8Array) return 1 + Math.ceil(value.length / 16);
  return isCelList(value) || isCelMap(value) ? 1 + value.size : 1;
}
