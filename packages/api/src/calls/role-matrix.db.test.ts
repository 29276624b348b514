import { isEntityKind, methods, roleReaches, type Method } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { listRestRequests, renderMessage, type Place } from "../testing/method-requests.ts";
import { createAgentKey, createJoinToken } from "../testing/test-agent.ts";
import {
  collectionPath,
  getSeed,
  localKey,
  putSimulatedRecord,
  renderEntity,
  seedProject,
  simulatedKinds,
  type Seeds,
} from "../testing/seed-project.ts";
import { foundCluster, seedDiscovery } from "../testing/seed-discovery.ts";
import { markBuilt, seedDrift, seedRun } from "../testing/seed-run.ts";
import { endConsoleTasks, seedBuiltInstance } from "../testing/seed-built-instance.ts";
import { seedBuiltCluster } from "../testing/seed-built-cluster.ts";
import { readOperation, setOperationState } from "../testing/work.ts";

const project = "matrix";
const projectRoles = ["viewer", "editor", "admin", "owner", "agent"] as const;
const callers = ["nobody", "stranger", ...projectRoles, "platform"] as const;
type CallerName = (typeof callers)[number];

let api: TestApi;
let people: Readonly<Record<string, Person>>;
let seeds: Seeds;
let made = 0;
/** Stands in for an agent that reads the logs of instances. */
let agent: ReturnType<typeof setInterval>;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject(project);
  const entries: [string, Person][] = [];
  for (const role of projectRoles) entries.push([role, await api.createPerson(`the-${role}`, [{ project, role }])]);
  entries.push(["stranger", await api.createPerson("the-stranger", [{ project: "default", role: "owner" }])]);
  entries.push(["platform", await api.createPerson("the-platform", [{ project: "system", role: "owner" }])]);
  people = Object.fromEntries(entries);
  seeds = await seedProject(api, project, { suffix: "seed", user: await api.createPerson("bystander") });
  await seedBuiltCluster(api, getSeed(seeds, "Cluster").uid, "built");
  await markBuilt(api, getSeed(seeds, "Network").uid);
  await seedBuiltInstance(api, getSeed(seeds, "Instance").uid);
  agent = setInterval(() => void endConsoleTasks(api).catch(() => undefined), 50);
});
afterAll(async () => {
  clearInterval(agent);
  await api.close();
});

describe("M008 M014 each method is allowed for exactly the roles in the contract, and a denied call changes nothing and is audited:", () => {
  test.each(methods)("$id", async (method) => {
    const seen: Record<string, string[]> = {};
    for (const caller of callers) {
      const outcomes: string[] = [];
      for (let way = 0; way < Math.max(1, method.bindings.length); way += 1) {
        outcomes.push(await tryWay(method, caller, way));
      }
      seen[caller] = outcomes;
    }
    const expected = callers.map((caller) => [caller, seen[caller]?.map(() => expectedOf(method, caller))]);
    expect(seen).toEqual(Object.fromEntries(expected));
  });
});

describe("M008 Connect gives the same responses:", () => {
  const codes = { allowed: "ok ", "403": "PermissionDenied ", "404": "NotFound " };

  test.each(methods)("$id", async (method) => {
    const seen: string[] = [];
    const expected: string[] = [];
    for (const caller of ["stranger", "editor"] as const) {
      const message = renderMessage(method, await preparePlace(method, caller));
      const { code, reason } = await callConnect(api.url, method, message, { key: people[caller]?.key });
      seen.push(`${code} ${reason}`);
      const [status = "", fault = ""] = expectedOf(method, caller).split(/[ ,]/);
      expected.push(`${codes[status as keyof typeof codes]}${fault}`);
    }
    expect(seen).toEqual(expected);
  });
});

/** Derives the expected response from the method's `(access)` option. */
function expectedOf({ role, platform, kind }: Method, caller: CallerName): string {
  if (role === "public") return "allowed";
  if (caller === "nobody") return "401 api.unauthenticated";
  // Only agents lease tasks, and no user is treated as an agent, regardless of role.
  if (kind === "Work") return "403 api.denied, audited";
  if (role === "authenticated" || caller === "platform") return "allowed";
  if (platform) return "403 api.denied, audited";
  if (caller === "stranger") return "404 api.not_found, audited";
  return roleReaches(caller, role) ? "allowed" : "403 api.denied, audited";
}

async function tryWay(method: Method, caller: CallerName, way: number): Promise<string> {
  const request = listRestRequests(method, await preparePlace(method, caller))[way];
  if (request === undefined) throw new Error("every method has a route");
  const before = await api.countStored();
  // Role bindings belong to their project, so a project with members can be deleted only with `cascade`.
  const path = method.kind === "Project" && method.verb === "delete" ? `${request.path}?cascade=true` : request.path;
  const answer = await api.send({ ...request, path, key: people[caller]?.key });
  if (answer.status < 300) return "allowed";
  expect(await api.countStored()).toEqual(before);
  const record = await describeRecord(method, caller, answer);
  return `${answer.status} ${answer.body.code}${record}`;
}

async function describeRecord({ verb, kind }: Method, caller: CallerName, answer: TestAnswer): Promise<string> {
  const { rows } = await api.pool.query<Record<string, string>>({
    text: "select actor, verb, kind, outcome, code, source from audit where request_id = $1",
    values: [answer.headers["x-request-id"]],
  });
  if (rows.length === 0) return "";
  const actor = `the-${caller}`;
  expect(rows).toEqual([{ actor, verb, kind, outcome: "denied", code: answer.body.code, source: "127.0.0.1" }]);
  return ", audited";
}

/** Kinds whose `name` parameter identifies a seeded record instead of an entity of that kind. */
const namedBySeed = new Set([
  "TaskLog",
  "Timeline",
  "State",
  "StateVersion",
  "StateContent",
  "StateDiff",
  "StateResource",
  "Run",
  "RunPlan",
  "Drift",
  ...simulatedKinds,
]);

/** Prepares an entity for the method. Methods that delete get a new entity for each call. */
async function preparePlace(method: Method, caller: CallerName): Promise<Place> {
  const { verb, kind } = method;
  made += 1;
  const fresh = `${kind.toLowerCase()}-${made}`.replace("*", "any");
  const parent = kind === "NodePool" ? getSeed(seeds, "Cluster").name : "";
  const base = { project, parent, name: "", entity: {} };
  if (verb === "join") return { ...base, entity: await renderJoin(fresh) };
  if (kind === "Run" && (verb === "approve" || verb === "discard"))
    return { ...base, name: await seedRun(api, getSeed(seeds, "Network").uid) };
  if (kind === "Drift" && (verb === "accept" || verb === "correct"))
    return { ...base, name: await seedDrift(api, getSeed(seeds, "Network").uid) };
  if (kind === "Drift" && verb === "check") return { ...base, name: getSeed(seeds, "Network").uid };
  if (kind === "SimulatedRecord") await putSimulatedRecord(api, getSeed(seeds, kind).uid);
  if (kind === "State" && (verb === "adopt" || verb === "forget")) await endRepairs();
  if (namedBySeed.has(kind)) return { ...base, name: getSeed(seeds, kind).name };
  if (!isEntityKind(kind) || verb === "list" || verb === "watch") return base;
  if (verb === "create") return { ...base, entity: renderFor(kind, fresh) };
  if (kind === "Account" && verb === "images") return { ...base, name: getSeed(seeds, localKey("Account")).name };
  if (kind === "Account" && verb === "kubeconfig") return { ...base, ...(await prepareDiscovery()) };
  const name = await prepareEntity(method, caller, fresh);
  if (verb === "attach") return { ...base, name, entity: { instance: getSeed(seeds, localKey("Instance")).name } };
  const entity =
    verb === "update" || verb === "preview" || verb === "preflight"
      ? { ...renderFor(kind, name), metadata: { name, labels: { n: String(made) } } }
      : {};
  return { ...base, name, entity };
}

/** Ends the operations that earlier calls started, because only one operation may change a state at a time. */
async function endRepairs(): Promise<void> {
  const text = `select uid from entity where kind = 'Operation' and open_about_uid is not null and object -> 'spec' ->> 'verb' in ('adopt', 'forget')`;
  const { rows } = await api.pool.query<{ uid: string }>({ text, values: [] });
  for (const { uid } of rows) await setOperationState(api, uid, "DONE");
}

async function prepareDiscovery(): Promise<Pick<Place, "name" | "entity">> {
  const account = getSeed(seeds, "Account");
  return { name: account.name, entity: { discovery: await seedDiscovery(api, { project, account }), cluster: foundCluster.id } };
}

async function renderJoin(name: string): Promise<Place["entity"]> {
  return { joinToken: await createJoinToken(api, project), name, publicKey: (await createAgentKey()).publicKey };
}

/** Renders an entity of the kind. API keys do not name a user here, so they belong to the caller. */
function renderFor(kind: string, name: string): Place["entity"] {
  return kind === "ApiKey" ? { metadata: { name } } : renderEntity(kind, name, seeds);
}

async function prepareEntity({ verb, kind }: Method, caller: CallerName, fresh: string): Promise<string> {
  if (kind === "Project") return verb === "delete" ? prepareProject(caller, fresh) : project;
  if (kind === "Operation" && verb !== "get") return prepareOperation(fresh, verb === "retry" ? "FAILED" : "WAITING");
  if (kind === "ApiKey") {
    await api.must("POST", "/v1/apikeys", { key: people[caller]?.key ?? api.adminKey, body: { metadata: { name: fresh } } });
    return fresh;
  }
  // The seeded key is in use by an instance in a cloud where keys cannot be replaced.
  const isReplaced = kind === "SshKey" && verb === "rotate";
  if (verb !== "delete" && verb !== "release" && !isReplaced) return getSeed(seeds, kind).name;
  // Only clusters that the platform did not create can be released.
  const id = `arn:aws:eks:eu-west-1:123456789012:cluster/${fresh}`;
  const existing = { account: getSeed(seeds, "Account").name, id, region: "eu-west-1" };
  const body = verb === "release" ? { metadata: { name: fresh }, spec: { existing } } : renderEntity(kind, fresh, seeds);
  await api.must("POST", collectionPath(kind, project, seeds), { body });
  return fresh;
}

async function prepareOperation(fresh: string, state: string): Promise<string> {
  const body = renderEntity("Account", fresh, seeds);
  const { metadata } = await readOperation(api, await api.must("POST", collectionPath("Account", project, seeds), { body }));
  await setOperationState(api, metadata.uid ?? "", state);
  return metadata.name ?? "";
}

/** Creates a project. A caller that is named after a role gets that role in the project. */
async function prepareProject(caller: CallerName, name: string): Promise<string> {
  await api.createProject(name);
  const role = projectRoles.find((known) => known === caller);
  if (role === undefined) return name;
  const body = { metadata: { name: "given" }, spec: { user: `the-${caller}`, role } };
  await api.must("POST", `/v1/projects/${name}/rolebindings`, { body });
  return name;
}
