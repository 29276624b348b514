import { dropIgnoredChanges, getValue, type IgnoreRule, type ResourceChange, type ResourceSchemas } from "@cloudwright/terraform";
import type { DeployerTask, JsonObject } from "../../task.ts";
import type { Run, Subject } from "./open-run.ts";
import { renderPath } from "../render-path.ts";

/** What others have changed: the resources and their attributes, without values. */
export interface Drift {
  readonly drifted: boolean;
  /** The first few, in one sentence. */
  readonly summary: string;
  readonly items: readonly {
    readonly address: string;
    readonly resourceType: string;
    readonly action: "update" | "delete";
    readonly paths: readonly string[];
  }[];
  /** How many attributes were left out because a rule says that others may change them. */
  readonly ignored: number;
}

/** Compares the cloud with the state; nothing is changed. */
export async function checkStack(task: DeployerTask, { wishes }: Subject, { terraform }: Run): Promise<JsonObject> {
  task.progress(10, "refresh");
  const planned = await terraform.plan({ mode: "refresh" });
  const { id } = getValue(planned);
  // Which attributes differ is in the plan only; mostly there is nothing to ask for.
  const { drift } = planned.report.drift.length === 0 ? { drift: [] } : getValue(await terraform.showPlan(id));
  const isNumbered = drift.some(({ changedPaths }) => changedPaths.some(({ path }) => path.some(Number.isInteger)));
  const schemas = isNumbered ? getValue(await terraform.readSchemas()) : undefined;
  return findDrift(drift, wishes.ignore, schemas) as unknown as JsonObject;
}

/** Reads what Terraform reports as drift, without what the rules ignore. A place that it names can be the path of a rule: none goes on into a set. */
export function findDrift(
  changes: readonly ResourceChange[],
  rules: readonly IgnoreRule[],
  { cutAtSet }: ResourceSchemas = { cutAtSet: (_type, path) => path },
): Drift {
  const changed = changes.filter(({ action, changedPaths }) => action === "delete" || changedPaths.length > 0);
  const left = dropIgnoredChanges(changed, rules);
  const count = (all: readonly ResourceChange[]): number => all.reduce((sum, { changedPaths }) => sum + changedPaths.length, 0);
  return {
    drifted: left.length > 0,
    summary: describeDrift(left),
    items: left.map(({ address, resourceType, action, changedPaths }) => ({
      address,
      resourceType,
      action: action === "delete" ? "delete" : "update",
      paths: action === "delete" ? [] : [...new Set(changedPaths.map(({ path }) => renderPath(cutAtSet(resourceType, path))))],
    })),
    ignored: count(changed) - count(left),
  };
}

const named = 5;

function describeDrift(changes: readonly Pick<ResourceChange, "address" | "action" | "changedPaths">[]): string {
  const parts = changes.slice(0, named).map(({ address, action, changedPaths }) => {
    if (action === "delete") return `${address} is gone`;
    const paths = [...new Set(changedPaths.map(({ path }) => String(path[0])))];
    return `${address}: ${paths.join(", ")} changed`;
  });
  return [...parts, ...(changes.length > named ? [`and ${changes.length - named} more`] : [])].join("; ");
}
