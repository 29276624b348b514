import type { FindingJson } from "@cloudwright/api-client";
import { toFault } from "../../data/client.ts";
import type { Look } from "../../data/use-look.ts";
import type { CreatableKind } from "./creatable.ts";

type Found = Pick<Look, "state" | "status" | "error" | "isSlow">;

/** Whether it cannot be made as it is; policies also warn and tell. */
export function isObstacle({ severity }: FindingJson): boolean {
  return severity !== "should" && severity !== "may";
}

/** The kinds whose creation can be looked at before. */
export function hasCheck(kind: CreatableKind): boolean {
  return kind === "Network" || kind === "Cluster" || kind === "NodePool" || kind === "Storage";
}

/** What a check found: by the cloud and policies, or by the server that would not even take it. */
export function listFindings({ status, error, state }: Found): readonly FindingJson[] {
  if (error !== undefined)
    return toFault(error).fields.map(({ field, message }) => ({
      field: field.replace(/^entity\./, ""),
      message,
      severity: "must",
    }));
  return state === "done" ? (status?.findings ?? []) : [];
}

/** Whether something may be created after a check: nothing stands in its way, or the check cannot say. */
export function allowsCreation(look: Found): boolean {
  if (listFindings(look).some(isObstacle)) return false;
  return look.state === "done" || look.state === "failed" || look.isSlow;
}
