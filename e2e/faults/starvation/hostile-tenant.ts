import { payloadVersion } from "@cloudwright/contract";
import { parseTaskType } from "@cloudwright/contract/task-types";
import { systemClock } from "@cloudwright/platform";
import type { Answer, Client } from "../client.ts";
import { joinAgent } from "../join-agent.ts";
import type { Attack } from "./attack.ts";

/** A tenant with an API key, its own agent, and a task for which it may store plans. */
export interface HostileTenant {
  readonly weapons: Omit<Attack, "kind" | "seed">;
  /** Stops renewing the lease of the tenant's task. */
  close(): Promise<void>;
}

export const hostileProject = "hostile";
const base = `/v1/projects/${hostileProject}`;
const renewEveryMs = 2000;
const taskWithinMs = 30_000;
const tokenSeconds = 300;

interface Task {
  readonly uid: string;
  readonly type: string;
  readonly leaseToken: string;
}

/** Creates the tenant. No other agent may serve the tenant's project, so that the tenant's own agent gets the tasks. */
export async function createHostileTenant(client: Client, url: string): Promise<HostileTenant> {
  await must(client.send("POST", "/v1/projects", { metadata: { name: hostileProject } }));
  const key = await createEditor(client, hostileProject);
  await must(client.send("POST", `${base}/environments`, { metadata: { name: "own" } }));
  await must(client.send("POST", `${base}/accounts`, { metadata: { name: "own" }, spec: { simulated: true, aws: {} } }));
  await must(
    client.send("POST", `${base}/networks`, { metadata: { name: "own" }, spec: { account: "own", region: "eu-west-1" } }),
  );
  const { signToken } = await joinAgent(client, hostileProject, "hostile");
  const agentToken = signToken(Math.floor(systemClock.now() / 1000), tokenSeconds);
  const call = async <Body>(path: string, body: object): Promise<Body> => {
    const headers = { authorization: `Bearer ${agentToken}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const { uid, leaseToken } = await takePlanning(call);
  const opened = await call<Attack["plan"]>("/v1/worker/state", { uid, leaseToken });
  const over = new AbortController();
  const renewing = renew(call, { uid, leaseToken }, over.signal);
  const address = new URL(`${opened.address}/plans/${uid}`, url).href;
  return {
    weapons: {
      url,
      project: hostileProject,
      key,
      agentToken,
      path: `${base}/environments/own`,
      plan: { address, username: opened.username, password: opened.password },
    },
    async close() {
      over.abort();
      await renewing;
    },
  };
}

export async function createEditor(client: Client, project: string): Promise<string> {
  const name = `${project}-editor`;
  await must(client.send("POST", "/v1/users", { metadata: { name } }));
  await must(
    client.send("POST", `/v1/projects/${project}/rolebindings`, { metadata: { name }, spec: { user: name, role: "editor" } }),
  );
  const { body } = await must(client.send("POST", "/v1/apikeys", { metadata: { name }, spec: { user: name } }));
  return (body as { status: { key: string } }).status.key;
}

/** Returns the response to a request. Throws if the server rejected it. */
export async function must(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`rejected with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`);
  return answer;
}

type Call = <Body>(path: string, body: object) => Promise<Body>;

const ability = {
  longLane: 1,
  shortLane: 1,
  labels: { cloud: "*", account: "*", region: "*" },
  types: ["*"],
  minPayloadVersion: 1,
  maxPayloadVersion: payloadVersion,
  version: "0.1.0",
  waitSeconds: 5,
};

/** Leases and completes tasks until one of them is a plan task, and returns that task. */
async function takePlanning(call: Call): Promise<Task> {
  const endMs = systemClock.now() + taskWithinMs;
  while (systemClock.now() < endMs) {
    const { tasks } = await call<{ tasks: Task[] }>("/v1/worker/tasks", ability);
    const planning = tasks.find(({ type }) => parseTaskType(type)?.action === "plan");
    if (planning !== undefined) return planning;
    for (const { uid, leaseToken } of tasks) await call("/v1/worker/finish", { uid, leaseToken, outcome: "done", outputs: {} });
  }
  throw new Error("the hostile agent got no task that makes a plan");
}

async function renew(call: Call, held: Pick<Task, "uid" | "leaseToken">, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await call("/v1/worker/heartbeat", { tasks: [held] }).catch(() => undefined);
    await systemClock.sleep(renewEveryMs, over).catch(() => undefined);
  }
}
