import type { EntityJson, Json, JsonObject } from "@cloudwright/contract";
import { objectOf, systemClock, textOf } from "@cloudwright/platform";
import { createAdminCalls } from "../admin-calls.ts";
import type { RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const project = "/v1/projects/default";
const withinMs = 10 * 60_000;
const lookEveryMs = 100;

/** The part of a rejected request's response that tests check: status, code, fields and detail. */
export type Refusal = readonly [status: number, code: string, fields: readonly string[], detail: string];

/** Requests to the REST API of a server, for entities of the default project. Paths start with a collection, such as `volumes/data`. */
export interface MachineClient {
  get(path: string): Promise<EntityJson>;
  /** Sends a request that must succeed. Returns the entity in the response. Does not wait for the operation. */
  request(method: string, path: string, body?: Json): Promise<EntityJson>;
  /** Creates an entity and waits until it is built. */
  create(collection: string, name: string, spec: JsonObject): Promise<EntityJson>;
  /** Changes fields of an entity's spec and waits until the change is applied. */
  change(path: string, spec: JsonObject): Promise<EntityJson>;
  /** Calls a verb, such as `volumes/data:attach`, and waits until the operation has ended. */
  act(path: string, verb: string, body?: JsonObject): Promise<EntityJson>;
  /** Deletes an entity and waits until it no longer exists. */
  delete(path: string, query?: string): Promise<void>;
  /** Sends a request that must be rejected. */
  refuse(method: string, path: string, body?: Json): Promise<Refusal>;
  /** Sends a request and returns its status and code. */
  outcome(method: string, path: string, body?: Json): Promise<readonly [status: number, code: string]>;
  /** Checks an entity for drift and returns the state of its last check. */
  checkDrift(path: string): Promise<string>;
  /** Waits until the entity's operation has ended, and returns the entity. Throws if the operation failed. */
  settle(path: string): Promise<EntityJson>;
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly fields?: readonly { readonly field: string }[];
}

/** Creates a client with the administrator's key. */
export function createMachineClient(server: RunningServer): MachineClient {
  const calls = createAdminCalls(server);
  const send = async (method: string, path: string, body?: Json) => {
    const response = await calls.send(method, `${project}/${path}`, body);
    return { status: response.status, body: (await response.json()) as EntityJson & Problem };
  };
  const refuse: MachineClient["refuse"] = async (method, path, given) => {
    const { status, body } = await send(method, path, given);
    if (status < 400) throw new Error(`${method} ${path} was accepted`);
    return [status, body.code ?? "", (body.fields ?? []).map(({ field }) => field), body.detail ?? ""];
  };
  const request: MachineClient["request"] = async (method, path, given) => {
    const { status, body } = await send(method, path, given);
    if (status < 400) return body;
    throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  };
  const get: MachineClient["get"] = (path) => request("GET", path);
  const waitForOperation = async (what: string, operation: string): Promise<void> => {
    const deadline = systemClock.now() + withinMs;
    for (;;) {
      const { status } = await get(`operations/${operation}`);
      if (status["state"] === "DONE") return;
      const isOver = status["state"] === "FAILED" || status["state"] === "CANCELLED" || systemClock.now() > deadline;
      if (isOver) throw new Error(`${what}: ${JSON.stringify(status)}\n${server.process.stdout().slice(-4000)}`);
      await systemClock.sleep(lookEveryMs);
    }
  };
  const settle: MachineClient["settle"] = async (path) => {
    const { metadata } = await get(path);
    if (metadata.operation !== undefined && metadata.operation !== "") await waitForOperation(path, metadata.operation);
    return get(path);
  };
  return {
    get,
    request,
    refuse,
    settle,
    async create(collection, name, spec) {
      await request("POST", collection, { metadata: { name }, spec });
      return settle(`${collection}/${name}`);
    },
    async change(path, spec) {
      await request("PATCH", path, { spec });
      return settle(path);
    },
    async act(path, verb, body = {}) {
      await request("POST", `${path}:${verb}`, body);
      return settle(path);
    },
    async delete(path, query = "") {
      const { metadata } = await request("DELETE", `${path}${query}`);
      const isGone = async (): Promise<boolean> => (await send("GET", path)).status === 404;
      if (await isGone()) return;
      // The operation disappears together with the entity's project or account.
      if (metadata.operation !== undefined)
        await waitForOperation(`delete ${path}`, metadata.operation).catch(async (error: unknown) => {
          if (!(await isGone())) throw error;
        });
      await waitUntil(`${path} is deleted`, isGone);
    },
    async outcome(method, path, given) {
      const { status, body } = await send(method, path, given);
      return [status, body.code ?? ""];
    },
    async checkDrift(path) {
      const { metadata } = await get(path);
      const operation = await request("POST", `drifts/${metadata.uid ?? ""}:check`, {});
      await waitForOperation(`drift check of ${path}`, operation.metadata.name ?? "");
      const { status } = await get(path);
      return textOf(objectOf(status["drift"])["state"]);
    },
  };
}
