import { createRandom, type Random } from "@cloudwright/platform/testing";
import { targetClouds, targets, type Target, type TargetCloud } from "./targets.ts";

export const victims = ["terraform", "agent", "control plane"] as const;
export type Victim = (typeof victims)[number];

/** One cell of the matrix: which process is killed, where, and what happens next. */
export interface KillCase {
  readonly victim: Victim;
  readonly target: Target;
  /** Number of resources that exist when the process is killed. In a sampled cell, it is a share of all resources, from 0 to 1. */
  readonly boundary: { readonly resources: number } | { readonly share: number };
  /** Whether the interrupted run is allowed to resume or the entity is deleted immediately. */
  readonly ending: "resume" | "delete";
  /** Time between reaching the boundary and the kill. */
  readonly delayMs: number;
}

const longestDelayMs = 400;

/**
 * Returns random cells, by default for all victims. Clouds, targets and endings alternate, so that a small sample covers many of them. Six
 * cells cover every cloud twice, with different victims.
 */
export function sampleCases(seed: number, count: number, only: readonly Victim[] = victims): KillCase[] {
  const random = createRandom(seed);
  const clouds = random.shuffle(targetClouds);
  const orders = new Map(clouds.map((cloud) => [cloud, random.shuffle(targets.filter((target) => target.cloud === cloud))]));
  const first = random.whole(0, 1);
  const findTarget = (nth: number): Target => {
    const turn = Math.floor(nth / clouds.length);
    const order = orders.get(clouds[(nth + turn) % clouds.length] as TargetCloud) ?? [];
    return order[turn % order.length] as Target;
  };
  return Array.from({ length: count }, (_, nth) => ({
    victim: only[nth % only.length] as Victim,
    target: findTarget(nth),
    boundary: { share: random.next() },
    ending: (Math.floor(nth / only.length) + first) % 2 === 0 ? "resume" : "delete",
    delayMs: chooseDelay(random),
  }));
}

/** Returns every cell for one target, with boundaries from none to all of its resources. */
export function listCases(seed: number, target: Target, total: number, only: readonly Victim[] = victims): KillCase[] {
  const random = createRandom(seed);
  const boundaries = Array.from({ length: total + 1 }, (_, resources) => resources);
  return only.flatMap((victim) =>
    boundaries.flatMap((resources) =>
      (["resume", "delete"] as const).map((ending) => ({
        victim,
        target,
        boundary: { resources },
        ending,
        delayMs: chooseDelay(random),
      })),
    ),
  );
}

/** Returns the number of resources at a cell's boundary. */
export function countAtBoundary({ boundary }: Pick<KillCase, "boundary">, total: number): number {
  return "resources" in boundary ? boundary.resources : Math.min(total, Math.floor(boundary.share * (total + 1)));
}

/** Describes a cell in one line. */
export function describeCase({ victim, target, boundary, ending, delayMs }: KillCase): string {
  const where =
    "resources" in boundary ? `${boundary.resources} resources` : `${Math.round(boundary.share * 100)} % of the resources`;
  return `${victim} killed after ${where} and ${delayMs} ms, then ${ending}: ${target.name}`;
}

function chooseDelay(random: Random): number {
  return random.chance(0.5) ? 0 : random.whole(1, longestDelayMs);
}
