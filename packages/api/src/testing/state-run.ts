import { createHash } from "node:crypto";
import { createUid, systemClock } from "@cloudwright/platform";
import type { TaskInsert } from "@cloudwright/tasks";
import type { TestApi } from "./test-api.ts";
import { enqueueTask } from "./enqueue-task.ts";
import type { TestAnswer } from "./http-call.ts";
import { anyWork } from "./test-agent.ts";

/** A leased task with the same access to its entity's state that Terraform has. */
export interface StateRun {
  readonly entityUid: string;
  readonly taskUid: string;
  readonly leaseToken: string;
  readonly username: string;
  readonly password: string;
  readonly path: string;
  /** Sends a request to the state endpoint, as Terraform does. */
  send(method: string, options?: { body?: Buffer; query?: string; headers?: Record<string, string> }): Promise<TestAnswer>;
  lock(id: string): Promise<TestAnswer>;
  unlock(id: string): Promise<TestAnswer>;
  post(content: Buffer, lockId: string, headers?: Record<string, string>): Promise<TestAnswer>;
  /** Finishes the task, which ends its lease. */
  finish(outcome?: string): Promise<void>;
}

/** Creates an entity that can have a state and returns its uid. */
export async function createStack(api: TestApi, project = "default"): Promise<string> {
  const name = `stack-${createUid(systemClock.now()).slice(-12)}`;
  const body = { metadata: { name }, spec: { simulated: true, aws: {} } };
  return (await api.must("POST", `/v1/projects/${project}/accounts`, { body })).body.metadata.uid ?? "";
}

/** Leases a task for an entity to an agent and opens the entity's state. */
export async function startRun(
  api: TestApi,
  agentKey: string,
  entityUid: string,
  options: { project?: string; task?: boolean; work?: Partial<TaskInsert> } = {},
): Promise<StateRun> {
  const { project = "default", task = true, work = {} } = options;
  if (task) await enqueueTask(api, { entityUid, entityKind: "Account", entityName: "stack", project, ...work });
  const call = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await api.must("POST", path, { key: agentKey, body: body as never })).body as unknown as Record<string, unknown>;
  const { tasks } = (await call("/v1/worker/tasks", anyWork)) as {
    tasks: { uid: string; entityUid: string; leaseToken: string }[];
  };
  const leased = tasks.find((candidate) => candidate.entityUid === entityUid);
  if (leased === undefined) throw new Error("the task was not leased");
  const held = { uid: leased.uid, leaseToken: leased.leaseToken };
  const opened = (await call("/v1/worker/state", held)) as { address: string; username: string; password: string };
  const authorization = `Basic ${Buffer.from(`${opened.username}:${opened.password}`).toString("base64")}`;
  const send: StateRun["send"] = (method, { body, query = "", headers = {} } = {}) =>
    api.send({ method, path: opened.address + query, body, headers: { authorization, ...headers } });
  return {
    entityUid,
    taskUid: leased.uid,
    leaseToken: leased.leaseToken,
    username: opened.username,
    password: opened.password,
    path: opened.address,
    send,
    lock: (id) => send("LOCK", { body: renderLock(id) }),
    unlock: (id) => send("UNLOCK", { body: renderLock(id) }),
    post: (content, lockId, headers) =>
      send("POST", { body: content, query: `?ID=${lockId}`, headers: { "content-md5": md5(content), ...headers } }),
    finish: async (outcome = "done") => void (await call("/v1/worker/finish", { ...held, outcome })),
  };
}

/** Renders lock information in Terraform's format. */
function renderLock(id: string): Buffer {
  const info = { ID: id, Operation: "OperationTypeApply", Info: "", Who: "root@host", Version: "1.11.4", Path: "" };
  return Buffer.from(JSON.stringify({ ...info, Created: "2026-01-01T00:00:00.123456789Z" }));
}

/** Renders a state in Terraform's format. `resources` is keyed by the last part of the address. */
export function renderTfState(serial: number, resources: Readonly<Record<string, object>> = {}, lineage = "line-1"): Buffer {
  const state = {
    version: 4,
    terraform_version: "1.11.4",
    serial,
    lineage,
    outputs: {},
    resources: Object.entries(resources).map(([name, attributes]) => ({
      mode: "managed",
      type: "terraform_data",
      name,
      provider: 'provider["terraform.io/builtin/terraform"]',
      instances: [{ schema_version: 0, attributes, sensitive_attributes: [] }],
    })),
    check_results: null,
  };
  return Buffer.from(JSON.stringify(state, undefined, 2));
}

/** Returns the checksum that Terraform sends with a state. */
export function md5(content: Buffer): string {
  return createHash("md5").update(content).digest("base64");
}
