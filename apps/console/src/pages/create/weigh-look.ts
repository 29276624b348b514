import type { FindingJson } from "@cloudwright/api-client";
import { toFault } from "../../data/client.ts";
import type { Look } from "../../data/use-look.ts";
import type { CreatableKind } from "./creatable.ts";

type Found = Pick<Look, "state" | "status" | "error" | "isSlow">;

/** Returns whether a finding blocks creation. Policies can also produce warnings and hints. */
export function isObstacle({ severity }: FindingJson): boolean {
  return severity !== "should" && severity !== "may";
}

/** Returns whether preflight checks exist for the kind. */
export function hasCheck(kind: CreatableKind): boolean {
  return kind === "Network" || kind === "Cluster" || kind === "NodePool" || kind === "Storage";
}

/** Returns the findings of the cloud, the policies or the server's validation. */
export function listFindings({ status, error, state }: Found): readonly FindingJson[] {
  if (error !== undefined)
    return toFault(error).fields.map(({ field, message }) => ({
      field: field.replace(/^entity\./, ""),
      message,
      severity: "must",
    }));
  return state === "done" ? (status?.findings ?? []) : [];
}

/** Returns whether creation is allowed: the check found no obstacle, or it could not run. */
export function allowsCreation(look: Found): boolean {
  if (listFindings(look).some(isObstacle)) return false;
  return look.state === "done" || look.state === "failed" || look.isSlow;
}
