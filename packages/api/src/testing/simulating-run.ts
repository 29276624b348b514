import type { Json } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import type { TestApi } from "./test-api.ts";
import { enqueueTask } from "./enqueue-task.ts";
import type { TestAnswer } from "./http-call.ts";
import { startRun, type StateRun } from "./state-run.ts";

/** A run with access to its account's simulated cloud. */
export interface SimulatingRun extends StateRun {
  readonly accountUid: string;
  /** Sends a batch of actions, by default with a new request id. */
  batch(acts: Json[], options?: { accountUid?: string; request?: string }): Promise<TestAnswer>;
  /** Like `batch`, but throws unless the request succeeds. Returns the results of the actions. */
  must(...acts: Json[]): Promise<Json[]>;
}

/** Creates an account and returns its uid. */
export async function createAccount(api: TestApi, spec: Json = { simulated: true, aws: {} }, name = unique()): Promise<string> {
  return (
    (await api.must("POST", "/v1/projects/default/accounts", { body: { metadata: { name }, spec } })).body.metadata.uid ?? ""
  );
}

/** Creates a network in the account and leases a task for it to an agent. */
export async function startSimulatingRun(api: TestApi, agentKey: string, accountUid: string): Promise<SimulatingRun> {
  const body = { metadata: { name: unique() }, spec: { account: accountUid } };
  const { uid = "", name = "" } = (await api.must("POST", "/v1/projects/default/networks", { body })).body.metadata;
  await enqueueTask(api, { entityUid: uid, entityKind: "Network", entityName: name, accountUid });
  const run = await startRun(api, agentKey, uid, { task: false });
  const authorization = `Basic ${Buffer.from(`${run.username}:${run.password}`).toString("base64")}`;
  const batch: SimulatingRun["batch"] = (acts, given = {}) =>
    api.send({
      method: "POST",
      path: `/v1/simulator/${given.accountUid ?? accountUid}/batch`,
      body: { request: given.request ?? createUid(systemClock.now()), acts },
      headers: { authorization },
    });
  return {
    ...run,
    accountUid,
    batch,
    async must(...acts) {
      const { status, text, body: sent } = await batch(acts);
      if (status !== 200) throw new Error(`${status} ${text}`);
      return (sent as unknown as { answers: Json[] }).answers;
    },
  };
}

function unique(): string {
  return `sim-${createUid(systemClock.now()).slice(-12)}`;
}
