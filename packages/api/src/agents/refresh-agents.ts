import { systemProject, type EntityJson, type JsonObject, type Method } from "@cloudwright/contract";
import { updateEntity } from "@cloudwright/store";
import { listAgentPresence, type AgentPresence } from "@cloudwright/tasks";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { isEqual, textAt } from "../entities/json-tree.ts";
import { parseEntity, traceCall } from "../calls/trace-call.ts";

type RefreshDeps = Pick<ApiDeps, "pool" | "clock" | "versions" | "feed">;

/** Minimum interval between status updates for a busy agent. Each update is sent to every watcher. */
const busyMs = 10_000;
const seenMs = 60_000;

const call: Call = {
  caller: {
    userUid: "00000000-0000-0000-0000-000000000000",
    user: "platform",
    credential: "platform",
    credentialId: "refresh",
    keyUid: undefined,
    cap: { project: "", role: "" },
    grants: [{ project: systemProject, environment: "", role: "owner" }],
  },
  source: "local",
  requestId: "refresh",
};

/**
 * Updates the status of agents from their latest reports and returns the number of updated agents. Called every few seconds, possibly on
 * several replicas. Insignificant changes are not written.
 */
export async function refreshAgents(deps: RefreshDeps): Promise<number> {
  let written = 0;
  for (const presence of await listAgentPresence(deps.pool)) {
    const entity = parseEntity(presence.object);
    const status = renderStatus(presence, entity);
    if (isWorthShowing(entity.status, status) && (await saveStatus(deps, presence, entity, status))) written += 1;
  }
  if (written > 0) deps.feed.poke();
  return written;
}

function renderStatus(presence: AgentPresence, { metadata, spec, status }: EntityJson): JsonObject {
  const { report, seenAt, isLive, runningTasks } = presence;
  const observedGeneration = metadata.generation ?? 0;
  if (report === null || seenAt === null) {
    return { ...status, phase: "PENDING", message: "has not requested tasks yet", observedGeneration, runningTasks };
  }
  const drained = spec["draining"] === true ? "is draining and receives no new tasks" : "";
  return {
    ...status,
    phase: isLive ? "RUNNING" : "FAILED",
    message: isLive ? drained : "has stopped reporting: check that it is running and can reach the control plane",
    observedGeneration,
    version: report.version,
    lastSeenAt: seenAt.toISOString(),
    labels: { ...report.labels },
    types: [...report.types],
    minPayloadVersion: report.payloadVersions.min,
    maxPayloadVersion: report.payloadVersions.max,
    runningTasks,
  };
}

function isWorthShowing(shown: JsonObject, status: JsonObject): boolean {
  const { lastSeenAt: _before, runningTasks: had = 0, ...rest } = shown;
  const { lastSeenAt: _seen, runningTasks: has = 0, ...news } = status;
  if (!isEqual(rest, news)) return true;
  const ageMs = Date.parse(textAt(status, "lastSeenAt")) - Date.parse(textAt(shown, "lastSeenAt"));
  return ageMs >= (had === has ? seenMs : busyMs);
}

async function saveStatus(deps: RefreshDeps, row: AgentPresence, entity: EntityJson, status: JsonObject): Promise<boolean> {
  const version = await deps.versions.next();
  const at = new Date(deps.clock.now()).toISOString();
  const object = JSON.stringify({ ...entity, metadata: { ...entity.metadata, resourceVersion: version, updatedAt: at }, status });
  const turned = entity.status["phase"] !== status["phase"];
  const [reason, message] = describeTurn(status);
  const deed = { type: "MODIFIED", reason, message, row, oldLabels: row.labels, version, object, quiet: !turned } as const;
  const { changes, events } = await traceCall(deps, call, refreshing, [deed]);
  const update = {
    uid: row.uid,
    oldVersion: row.resource_version,
    resourceVersion: version,
    at,
    deletedAt: row.deleted_at?.toISOString() ?? null,
    environmentUid: row.environment_uid,
    environment: row.environment,
    labels: row.labels,
    object,
    sealed: row.sealed,
  };
  return updateEntity(deps.pool, update, { changes, events, audits: [] });
}

const refreshing = { verb: "refresh", kind: "Agent" } as Method;

function describeTurn(status: JsonObject): [reason: string, message: string] {
  if (status["phase"] === "RUNNING") return ["AgentSeen", "the agent is polling for tasks"];
  if (status["phase"] === "FAILED") return ["AgentLost", "the agent has stopped reporting"];
  return ["AgentAwaited", "the agent has not requested tasks yet"];
}
