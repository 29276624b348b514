import { isCelList, isCelMap, type CelValue } from "@bufbuild/cel";
import { policyLimits } from "./limits.ts";

/** Error message for a rule that exceeds its step limit. */
export const stepsExceeded = `evaluation takes more than ${policyLimits.ruleSteps} steps`;

/** Counts the steps that one rule uses for one subject. The count is deterministic. */
export class Meter {
  #left: number = policyLimits.ruleSteps;

  /** True if the rule has exceeded its step limit. Its result must then be ignored. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Deducts steps for the size of a value, excluding nested values. */
  payFor(value: CelValue): void {
    this.#pay(sizeOf(value));
  }

  /** Deducts steps for matching a string against a pattern. Called before the match. */
  payForSearch(text: string): void {
    if (text.length > policyLimits.searchedChars)
      throw new Error(`a string to search has more than ${policyLimits.searchedChars} characters`);
    this.#pay(text.length);
  }

  /** Deducts steps for a value and all nested values, because a comparison visits all of them. */
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
