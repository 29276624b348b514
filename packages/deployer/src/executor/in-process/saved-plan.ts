import { Fault, objectOf, parseJson } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { deployerFaults } from "../../faults.ts";
import type { ExecutorPlan, PlannedAction } from "../executor-plan.ts";
import type { JsonObject } from "../../task.ts";
import type { DesiredResource } from "./blueprint.ts";

/** Everything needed to apply a plan later. Contains sensitive attributes. */
export interface SavedPlan {
  readonly base: ExecutorPlan["base"];
  readonly desired: readonly DesiredResource[];
  /** Planned actions, keyed by address. */
  readonly actions: Readonly<Record<string, PlannedAction>>;
  /** Attributes that the resources had in the cloud when the plan was made, keyed by address. */
  readonly live: Readonly<Record<string, JsonObject>>;
}

const format = "cloudwright.in-process.plan/1";

/** Serialises a plan and computes the hash that identifies it. */
export function packPlan(plan: SavedPlan): { readonly bytes: Buffer; readonly digest: string } {
  const bytes = Buffer.from(JSON.stringify({ format, ...plan }));
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}

/** Parses a serialised plan. Throws if another type of executor created it. */
export function unpackPlan(bytes: Buffer): SavedPlan {
  const plan = objectOf(parseJson(bytes.toString()));
  if (plan["format"] === format) return plan as unknown as SavedPlan;
  throw new Fault(deployerFaults.plan_gone, "the plan was made by another executor; a new plan is needed");
}
