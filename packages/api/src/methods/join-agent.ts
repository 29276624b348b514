import { getKind, type EntityJson, type Method } from "@cloudwright/contract";
import type { JoinAgentRequest } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import { createUid, Fault, isUid } from "@cloudwright/platform";
import {
  findAgent,
  findEntity,
  insertEntity,
  lockJoinToken,
  readAgentGrants,
  useJoinToken,
  type Database,
  type EntityInsert,
  type JoinTokenRow,
} from "@cloudwright/store";
import { importJWK } from "jose";
import type { Answer } from "../calls/answer.ts";
import { createAgentCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { firstStatus } from "../entities/entity-json.ts";
import { apiFaults } from "../faults.ts";
import { hashCredential } from "../identity/api-keys.ts";
import { createFailureAudit, type FailureAudit } from "../identity/audit-failures.ts";
import { parsePublicKey, renderPublicKey } from "../identity/public-key.ts";
import { traceCall } from "../calls/trace-call.ts";

/** Registers an agent in the join token's project. If the response was lost, the agent can repeat the request and gets the same result. */
export async function joinAgent(deps: ApiDeps, call: Call, method: Method, request: JoinAgentRequest): Promise<Answer> {
  const publicKey = await readPublicKey(request.publicKey);
  if (isUid(request.name)) throw invalid("the request", [{ field: "name", message: "looks like a uid; choose another name" }]);
  const hash = hashCredential(request.joinToken);
  const joining = deps.pool.transaction(async (database) => {
    const token = await lockJoinToken(database, hash);
    if (token === undefined || token.expires_at.getTime() <= deps.clock.now()) throw rejectJoin();
    if (token.agent_uid !== null) return findJoined(database, token, token.agent_uid, request.name, publicKey);
    const { uid, object, version } = await insertAgent(deps, database, call, method, token, { ...request, publicKey });
    await useJoinToken(database, hash, uid);
    return { body: object, version };
  });
  const answer = await joining.catch(async (error: unknown) => {
    if (error instanceof Fault && error.code === apiFaults.join_refused.code) await recordRejection(deps, call);
    throw error;
  });
  deps.feed.poke();
  return answer;
}

const rejections = new WeakMap<object, FailureAudit>();

/** Audits a rejected join token. The number of records per source is limited, because the caller is not authenticated. */
async function recordRejection(deps: ApiDeps, { source, requestId }: Call): Promise<void> {
  const audit = rejections.get(deps.pool) ?? createFailureAudit(deps);
  rejections.set(deps.pool, audit);
  await audit.record({ source, requestId, code: apiFaults.join_refused.code });
}

async function readPublicKey(text: string): Promise<string> {
  const key = parsePublicKey(text);
  const usable =
    key !== undefined &&
    (await importJWK({ ...key }, "EdDSA").then(
      () => true,
      () => false,
    ));
  if (!usable) throw invalid("the request", [{ field: "publicKey", message: "must be a public Ed25519 key in JWK format" }]);
  return renderPublicKey(key);
}

async function findJoined(
  database: Database,
  token: JoinTokenRow,
  agentUid: string,
  name: string,
  publicKey: string,
): Promise<Answer> {
  const agent = await findAgent(database, agentUid);
  if (agent === undefined || agent.name !== name || agent.public_key !== publicKey) throw rejectJoin();
  const row = await findEntity(database, { kind: "Agent", project: token.project, namingScope: "", ref: agentUid });
  if (row === undefined) throw rejectJoin();
  return { body: row.object, version: row.resource_version };
}

async function insertAgent(
  deps: ApiDeps,
  database: Database,
  call: Call,
  method: Method,
  { project, project_uid, created_by }: JoinTokenRow,
  { name, publicKey, version: release }: Pick<JoinAgentRequest, "name" | "publicKey" | "version">,
): Promise<{ uid: string; object: string; version: string }> {
  const nowMs = deps.clock.now();
  const at = new Date(nowMs).toISOString();
  const uid = createUid(nowMs);
  const version = await deps.versions.next();
  const metadata = {
    project,
    name,
    uid,
    labels: {},
    annotations: {},
    generation: 1,
    resourceVersion: version,
    createdAt: at,
    updatedAt: at,
  };
  const entity: EntityJson = {
    metadata: { ...metadata, environment: "", paused: false, parent: "" },
    spec: { description: "", draining: false, publicKey },
    status: { ...firstStatus(getKind("Agent")), phase: "PENDING", message: "has not requested tasks yet", version: release },
  };
  const object = JSON.stringify(entity);
  const columns = { uid, kind: "Agent", project, namingScope: "", name, environment: "", labels: {}, at, object };
  const unset = { subjectUid: null, environmentUid: null, sealed: null };
  const insert: EntityInsert = { ...columns, ...unset, parentUid: project_uid, resourceVersion: version };
  const message = `the agent joined with a token created by ${created_by}`;
  const row = { ...columns, parent_uid: project_uid };
  const joined = {
    ...call,
    caller: createAgentCaller({ uid, name, project, draining: false, grants: readAgentGrants(project, {}, []) }),
  };
  const deed = { type: "ADDED", reason: "Joined", message, row, oldLabels: null, version, object } as const;
  await insertEntity(database, insert, await traceCall(deps, joined, method, [deed]));
  return { uid, object, version };
}

/** Creates the fault for an unusable join token. The fault is always the same, so that callers cannot learn the reason. */
function rejectJoin(): Fault {
  return new Fault(apiFaults.join_refused, "the join token is unknown, was already used or has expired");
}
