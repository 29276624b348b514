import { isCelList, isCelMap, type CelValue } from "@bufbuild/cel";
import { policyLimits } from "./limits.ts";

/** Why a rule that takes too long has no answer. */
export const stepsExceeded = `it takes more than ${policyLimits.ruleSteps} steps`;

/** Counts the steps of one rule on one subject; the same subject always takes the same steps. */
export class Meter {
  #left: number = policyLimits.ruleSteps;

  /** Whether the rule has asked for more than it may; whatever it answered is then worth nothing. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Pays for a value that is looped over, joined or read. */
  payFor(value: CelValue): void {
    this.#pay(sizeOf(value));
  }

  /** Pays for a text that is searched by a pattern, before it is. */
  payForSearch(text: string): void {
    if (text.length > policyLimits.searchedChars)
      throw new Error(`a searched text has more than ${policyLimits.searchedChars} characters`);
    this.#pay(text.length);
  }

  /** Pays for a value that is compared, with all that is in it. */
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
