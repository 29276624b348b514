import type { JsonObject } from "@cloudwright/contract";
import type { RunPlanRow, RunRow } from "@cloudwright/store";
import { operationName } from "../operations/operation-name.ts";

/** A run as callers see it. */
export function renderRun(row: RunRow): JsonObject {
  return {
    uid: row.uid,
    project: row.project,
    environment: row.environment,
    entityKind: row.kind,
    entityUid: row.entityUid,
    entityName: row.name,
    operation: operationName(row.operationUid),
    purpose: row.purpose,
    state: row.state,
    message: describeRun(row),
    createdAt: row.createdAt.toISOString(),
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt.toISOString() }),
    planTask: row.purpose === "apply" ? row.uid : "",
    applyTask: row.purpose === "apply" ? (row.applyUid ?? "") : row.uid,
    entityGeneration: row.generation ?? 0,
    ...renderPlan(row.plan),
  };
}

function renderPlan(plan: RunPlanRow | null): JsonObject {
  if (plan === null) return { findings: [], stateSerial: 0, approvedBy: "", discardedBy: "", comment: "" };
  const times = {
    approvedAt: plan.approvedAt,
    discardedAt: plan.discardedAt,
    expiresAt: plan.needsApproval ? plan.expiresAt : null,
  };
  return {
    counts: { ...plan.counts },
    findings: plan.findings.map((finding) => ({ ...finding })),
    stateSerial: plan.serial,
    approvedBy: plan.approvedBy ?? "",
    discardedBy: plan.discardedBy ?? "",
    comment: plan.comment,
    ...Object.fromEntries(
      Object.entries(times).flatMap(([name, time]) => (time === null ? [] : [[name, new Date(time).toISOString()]])),
    ),
  };
}

function describeRun({ state, words, plan, purpose }: RunRow): string {
  switch (state) {
    case "PLANNING":
      return words ?? "what is to be changed is being found out";
    case "PLANNED":
      return plan?.approvedBy ? `approved by ${plan.approvedBy}; about to be applied` : "about to be applied";
    case "NEEDS_APPROVAL":
      return `waits for an approval: ${describeCounts(plan)}${describeReason(plan)}`;
    case "APPLYING":
      return words ?? "is being applied";
    case "DONE":
      return words ?? (purpose === "destroy" ? "removed" : "applied");
    case "DISCARDED":
      return `discarded by ${plan?.discardedBy ?? ""}${plan?.comment ? `: ${plan.comment}` : ""}`;
    case "STALE":
      return plan?.isExpired === true && plan.needsApproval && plan.approvedBy === null
        ? "nobody approved it in time; retrying the operation plans again"
        : "the spec, the inputs or the state have changed since, or it was begun and could not end: it will never be applied";
    default:
      return words ?? "";
  }
}

function describeCounts(plan: RunPlanRow | null): string {
  const parts = Object.entries(plan?.counts ?? {}).filter(([, count]) => count > 0);
  return parts.length === 0 ? "nothing to change" : parts.map(([verb, count]) => `${count} to ${verb}`).join(", ");
}

function describeReason(plan: RunPlanRow | null): string {
  const finding = plan?.findings.find(({ severity }) => severity === "must");
  return finding === undefined ? "" : `; ${finding["path"] ?? ""}: ${finding["message"] ?? ""}`;
}
