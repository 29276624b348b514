import type { Random } from "@cloudwright/platform/testing";
import type { ConformanceCase, Variables } from "./conformance-case.ts";

/** The configuration and seed of a random case. */
export interface RandomCasePlace {
  readonly place: string;
  readonly seed: number;
  /** Types of resources that hold data or carry traffic. No change may replace or delete them. */
  readonly kept: readonly string[];
}

/** Creates a case with random settings that changes to other random settings. The settings in `fixed` stay the same. */
export function createRandomCase(
  { place, seed, kept }: RandomCasePlace,
  fixed: Variables,
  pick: () => Variables,
): ConformanceCase {
  return {
    title: `random settings are changed to others (seed ${seed})`,
    place,
    variables: { ...fixed, ...pick() },
    changes: [{ variables: pick(), mayRemove: new RegExp(`^(?!(${kept.join("|")})\\.)`) }],
  };
}

/** Returns a random subset. */
export function pickSome<Item>(random: Random, items: readonly Item[]): Item[] {
  return items.filter(() => random.chance(0.5));
}
