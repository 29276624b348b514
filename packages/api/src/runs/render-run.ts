import type { JsonObject } from "@cloudwright/contract";
import type { RunPlanRow, RunRow } from "@cloudwright/store";
import { operationName } from "../operations/operation-name.ts";

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
    // Deletions do not store a plan, so the count comes from the state. No count is available if the state is encrypted.
    ...(row.removes === null || row.removes === 0 ? {} : { counts: { delete: row.removes } }),
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

function describeRun({ state, words, failure, plan, purpose }: RunRow): string {
  switch (state) {
    case "PLANNING":
      return words ?? "planning";
    case "PLANNED":
      return plan?.approvedBy ? `approved by ${plan.approvedBy}; waiting to be applied` : "waiting to be applied";
    case "NEEDS_APPROVAL":
      return `waiting for approval: ${describeCounts(plan)}${describeReason(plan)}`;
    case "APPLYING":
      return words ?? "applying";
    case "DONE":
      return words ?? (purpose === "destroy" ? "removed" : "applied");
    case "DISCARDED":
      return `discarded by ${plan?.discardedBy ?? ""}${plan?.comment ? `: ${plan.comment}` : ""}`;
    case "STALE":
      if (failure !== null) return `the apply failed, and its plan cannot be applied again: ${failure}`;
      return plan?.isExpired === true && plan.needsApproval && plan.approvedBy === null
        ? "not approved in time; retry the operation to create a new plan"
        : "can no longer be applied: the spec, inputs or state have changed, or an apply was interrupted";
    default:
      return words ?? "";
  }
}

function describeCounts(plan: RunPlanRow | null): string {
  const { drifted: _drifted, overwritten: _overwritten, kept: _kept, ...actions } = plan?.counts ?? {};
  const parts = Object.entries(actions).filter(([, count]) => count > 0);
  return parts.length === 0 ? "no changes" : parts.map(([verb, count]) => `${count} to ${verb}`).join(", ");
}

function describeReason(plan: RunPlanRow | null): string {
  const finding = plan?.findings.find(({ severity }) => severity === "must");
  return finding === undefined ? "" : `; ${finding["path"] ?? ""}: ${finding["message"] ?? ""}`;
}
