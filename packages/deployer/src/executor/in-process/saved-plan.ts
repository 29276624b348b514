import { Fault, objectOf, parseJson } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { deployerFaults } from "../../faults.ts";
import type { ExecutorPlan, PlannedAction } from "../executor-plan.ts";
import type { JsonObject } from "../../task.ts";
import type { DesiredResource } from "./blueprint.ts";

/** A plan with everything that is needed to apply it. It contains sensitive attributes. */
export interface SavedPlan {
  readonly base: ExecutorPlan["base"];
  readonly desired: readonly DesiredResource[];
  /** The action by address. */
  readonly actions: Readonly<Record<string, PlannedAction>>;
  /** The attributes in the cloud when the plan was made, by address. */
  readonly live: Readonly<Record<string, JsonObject>>;
}

const format = "cloudwright.in-process.plan/1";

/** Renders a plan as bytes for the control plane, and the hash that identifies them. */
export function packPlan(plan: SavedPlan): { readonly bytes: Buffer; readonly digest: string } {
  const bytes = Buffer.from(JSON.stringify({ format, ...plan }));
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}

/** Parses the bytes of a plan. Throws if another executor packed them. */
export function unpackPlan(bytes: Buffer): SavedPlan {
  const plan = objectOf(parseJson(bytes.toString()));
  if (plan["format"] === format) return plan as unknown as SavedPlan;
  throw new Fault(deployerFaults.plan_gone, "the plan was made by another executor; a new plan is needed");
}
