import type { FindingJson } from "@cloudwright/api-client";
import { toFault } from "../data/client.ts";
import type { Probe } from "./use-probe.ts";

type Found = Pick<Probe, "state" | "status" | "error" | "isSlow">;

/** Returns whether a finding blocks creation. Warnings and hints from policies do not. */
export function isObstacle({ severity }: FindingJson): boolean {
  return severity !== "should" && severity !== "may";
}

/** Returns the findings of the preflight checks, policies and server validation. */
export function listFindings({ status, error, state }: Found): readonly FindingJson[] {
  if (error !== undefined)
    return toFault(error).fields.map(({ field, message }) => ({
      field: field.replace(/^entity\./, ""),
      message,
      severity: "must",
    }));
  return state === "done" ? (status?.findings ?? []) : [];
}

/** Returns whether the user may create the entity. A blocking finding prevents it. Checks that failed to run or take too long do not. */
export function allowsCreation(probe: Found): boolean {
  if (listFindings(probe).some(isObstacle)) return false;
  return probe.state === "done" || probe.state === "failed" || probe.isSlow;
}
