import type { TaskNodePool } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { Surroundings } from "../../task.ts";
import type { ExecutorWork } from "../executor.ts";
import type { PoolProblem } from "../pool-problem.ts";
import type { Blueprint, DesiredResource } from "./blueprint.ts";
import type { StateDocument } from "./state-document.ts";

/** The node pools of a cluster, separated into those that can be built and those that cannot. */
export interface SplitPools {
  readonly valid: readonly TaskNodePool[];
  readonly problems: readonly PoolProblem[];
}

/**
 * Finds the node pools whose spec cannot be built, so that they do not block the other pools. A cluster that was never built is refused as a
 * whole, before anything is created. Throws if the cluster itself cannot be built.
 */
export function splitPools(blueprint: Blueprint, { task, account }: Pick<ExecutorWork, "task" | "account">): SplitPools {
  const { payload } = task;
  const { nodePools, entity } = payload;
  if (blueprint.poolOf === undefined || Object.keys(payload.outputs).length === 0) return { valid: nodePools, problems: [] };
  const check = (pools: readonly TaskNodePool[]): void => {
    const around: Surroundings = { ...payload, nodePools: pools };
    blueprint.resources(entity, account, around);
  };
  if (nodePools.length > 0) check([]);
  const problems = nodePools.flatMap((pool): PoolProblem[] => {
    try {
      check([pool]);
      return [];
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== "invalid") throw error;
      return [{ pool: pool.name, fault: error }];
    }
  });
  const invalid = new Set(problems.map(({ pool }) => pool));
  return { valid: nodePools.filter(({ name }) => !invalid.has(name)), problems };
}

/** Returns the built resources of pools that cannot be built as their spec says. They have no desired attributes, so they stay as they are. */
export function keepPools(
  blueprint: Blueprint,
  { resources }: StateDocument,
  problems: readonly PoolProblem[],
): readonly DesiredResource[] {
  const kept = new Set(problems.map(({ pool }) => pool));
  return resources
    .filter((each) => !each.isSurplus && kept.has(blueprint.poolOf?.(each) ?? ""))
    .map(({ type, name, needs }) => ({ type, name, attributes: {}, needs }));
}

/** Returns the pools that have resources, as outputs describe them. */
export function listBuiltPools(
  blueprint: Blueprint,
  { resources }: StateDocument,
  { valid, problems }: SplitPools,
): readonly TaskNodePool[] {
  if (problems.length === 0) return valid;
  const built = new Set(resources.map((each) => blueprint.poolOf?.(each)));
  return valid.filter(({ name }) => built.has(name));
}
