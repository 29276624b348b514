import { renderExternalId, renderTaskPlacement, type JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enqueueTask } from "../testing/enqueue-task.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { anyWork, createJoinToken, joinTestAgent, type TestAgent } from "../testing/test-agent.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";

/**
 * Two projects share one agent, which has its own cloud identity. Ann administers `victim`, which may use the identity and the state
 * backend `states`. Mallory administers `hostile`, which may use neither. The operator administers the platform.
 */
let api: TestApi;
let ann: Person;
let mallory: Person;
let shared: TestAgent;
let victimUid: string;
let hostileUid: string;

const role = "arn:aws:iam::210987654321:role/cloudwright";
const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI-canary" };
const password = "canary-password-of-the-operator";
const bucket = { bucket: "operator-states", region: "eu-west-1" };
const database = { host: "db.operator.example", database: "states", user: "tf" };

beforeAll(async () => {
  api = await startTestApi();
  victimUid = await api.createProject("victim");
  hostileUid = await api.createProject("hostile");
  ann = await api.createPerson("ann", [{ project: "victim", role: "owner" }]);
  mallory = await api.createPerson("mallory", [{ project: "hostile", role: "owner" }]);
  shared = await joinTestAgent(api, "system", "shared");
  await api.must("PATCH", "/v1/projects/system/agents/shared", { body: { spec: { identityProjects: ["victim"] } } });
  const secrets = { accessKeyId: "AKIAIOSFODNN7STATES", secretAccessKey: "canary-of-the-bucket" };
  await createBackend("states", { type: "s3", settings: bucket, projects: ["victim"], ...secrets });
  await createBackend("records", { type: "pg", settings: database, projects: ["victim"], password });
  await as(ann, "POST", "/v1/projects/victim/accounts", { metadata: { name: "prod" }, spec: { aws: keys } });
  await as(mallory, "POST", "/v1/projects/hostile/accounts", { metadata: { name: "prod" }, spec: { aws: keys } });
});
afterAll(() => api.close());

const as = (person: Person, method: string, path: string, body?: JsonObject): Promise<TestAnswer> =>
  api.call(method, path, { key: person.key, ...(body === undefined ? {} : { body }) });

async function createBackend(name: string, spec: JsonObject): Promise<void> {
  await api.must("POST", "/v1/backends", { body: { metadata: { name }, spec } });
}

function network(name: string, backend: JsonObject): JsonObject {
  return { metadata: { name }, spec: { account: "prod", region: "eu-west-1", infra: { backend } } };
}

async function listDenials(project: string): Promise<string[]> {
  const text = "select code from audit where project = $1 and outcome = 'denied' order by at, uid";
  const { rows } = await api.pool.query<{ code: string }>({ text, values: [project] });
  return rows.map(({ code }) => code);
}

interface Held {
  readonly uid: string;
  readonly leaseToken: string;
  readonly entityUid: string;
}

async function leaseAll(agent: TestAgent, labels: Record<string, string> = anyWork.labels): Promise<readonly Held[]> {
  const body = { ...anyWork, labels: { ...labels } } as never;
  const answer = await api.must("POST", "/v1/worker/tasks", { key: await agent.sign(), body });
  return (answer.body as unknown as { tasks: Held[] }).tasks;
}

const exchange = async (agent: TestAgent, { uid, leaseToken }: Held): Promise<TestAnswer> =>
  api.call("POST", "/v1/worker/credentials", { key: await agent.sign(), body: { uid, leaseToken } });

const openState = async (agent: TestAgent, { uid, leaseToken }: Held): Promise<TestAnswer> =>
  api.call("POST", "/v1/worker/state", { key: await agent.sign(), body: { uid, leaseToken } });

/** Leases a task that any agent may run. Tests use it to check that a lease alone does not give access to credentials or states. */
async function leaseFor(agent: TestAgent, project: string, entityUid: string, accountUid: string | null): Promise<Held> {
  await enqueueTask(api, { project, entityUid, entityKind: "Account", accountUid, placement: {} });
  const held = (await leaseAll(agent)).find((task) => task.entityUid === entityUid);
  if (held === undefined) throw new Error("the task was not leased");
  return held;
}

describe("X062 M009 a hostile admin and the identity of a shared agent", () => {
  test.each([
    ["agentCredentials", { aws: { agentCredentials: true } }],
    ["agentCredentials with a role", { aws: { agentCredentials: true, roleArn: role } }],
    ["agentCredentials together with a key id", { aws: { agentCredentials: true, accessKeyId: keys.accessKeyId } }],
    ["a role without a key", { aws: { roleArn: role } }],
    ["webIdentity", { aws: { webIdentity: true, roleArn: role } }],
    ["agentCredentials of Google Cloud", { gcp: { projectId: "my-project-1", agentCredentials: true } }],
    ["agentCredentials of Azure", { azure: { agentCredentials: true } }],
  ] as [string, JsonObject][])("cannot create an account with %s, and the attempt is audited", async (_what, spec) => {
    const before = (await listDenials("hostile")).length;
    for (const name of ["stolen", "prod"]) {
      const { status, body } = await as(mallory, "POST", "/v1/projects/hostile/accounts", { metadata: { name }, spec });
      expect([status, body.code]).toEqual([403, "api.identity_not_granted"]);
    }
    const put = await as(mallory, "PUT", "/v1/projects/hostile/accounts/stolen?allowMissing=true", {
      metadata: { name: "stolen" },
      spec,
    });
    expect([put.status, put.body.code]).toEqual([403, "api.identity_not_granted"]);
    const denials = (await listDenials("hostile")).slice(before);
    expect(denials).toEqual(Array.from({ length: 3 }, () => "api.identity_not_granted"));
  });

  test.each([
    ["agentCredentials", { accessKeyId: "", secretAccessKey: null, agentCredentials: true }],
    ["a role instead of the key", { accessKeyId: "", secretAccessKey: null, roleArn: role }],
    ["webIdentity", { accessKeyId: "", secretAccessKey: null, webIdentity: true, roleArn: role }],
  ] as [string, JsonObject][])("cannot switch an account of their own to %s", async (_what, aws) => {
    const { status, body } = await as(mallory, "PATCH", "/v1/projects/hostile/accounts/prod", { spec: { aws } });
    expect([status, body.code]).toEqual([403, "api.identity_not_granted"]);
  });

  test("cannot turn a simulated account into one that uses the identity", async () => {
    const simulated = { metadata: { name: "toy" }, spec: { simulated: true, aws: { agentCredentials: true } } };
    expect((await as(mallory, "POST", "/v1/projects/hostile/accounts", simulated)).status).toBe(202);
    const { status, body } = await as(mallory, "PATCH", "/v1/projects/hostile/accounts/toy", { spec: { simulated: false } });
    expect([status, body.code, body.fields.map(({ field }) => field)]).toEqual([400, "api.invalid", ["spec.simulated"]]);
  });

  test("cannot change the grants of a shared agent, nor join an agent to the platform", async () => {
    const grant = { spec: { identityProjects: ["hostile"], projects: [] } };
    const tries = [
      await as(mallory, "PATCH", "/v1/projects/system/agents/shared", grant),
      await as(mallory, "PATCH", `/v1/projects/hostile/agents/${shared.uid}`, grant),
      await as(mallory, "POST", "/v1/projects/system/jointokens", {}),
      await as(mallory, "POST", "/v1/projects/victim/jointokens", {}),
    ];
    for (const { status } of tries) expect([403, 404]).toContain(status);
    const { body } = await api.must("GET", "/v1/projects/system/agents/shared");
    expect(body.spec["identityProjects"]).toEqual(["victim"]);
  });

  test("cannot place a task that needs the identity on the shared agent, whatever labels the agent reports", async () => {
    const spec = { aws: { agentCredentials: true } };
    // Operators can create an account that uses an agent's identity before they grant the identity to it.
    const { body } = await api.must("POST", "/v1/projects/hostile/accounts", { body: { metadata: { name: "ungranted" }, spec } });
    const uid = body.metadata.uid ?? "";
    const task = { project: "hostile", entityUid: uid, entityKind: "Account", accountUid: uid };
    const placement = renderTaskPlacement("hostile", { uid, name: "ungranted", spec }, []);
    await enqueueTask(api, { ...task, placement });
    const labels = { ...anyWork.labels, identity: `*,hostile,hostile/${uid},${uid}`, project: "*" };
    expect((await leaseAll(shared, labels)).map(({ entityUid }) => entityUid)).not.toContain(uid);

    await api.must("PATCH", "/v1/projects/system/agents/shared", { body: { spec: { identityAccounts: [uid] } } });
    const [held] = await leaseAll(shared);
    expect(held?.entityUid).toBe(uid);
    expect((await exchange(shared, held as Held)).status).toBe(200);

    // Withdrawing the grant while the task runs prevents any further use of the identity.
    await api.must("PATCH", "/v1/projects/system/agents/shared", { body: { spec: { identityAccounts: [] } } });
    const before = (await listDenials("hostile")).length;
    const refused = await exchange(shared, held as Held);
    expect([refused.status, refused.body.code]).toEqual([403, "api.identity_refused"]);
    expect((await listDenials("hostile")).slice(before)).toEqual(["api.identity_refused"]);
  });

  test("cannot use an agent of their own to run another project's tasks, whatever its spec says", async () => {
    const own = await joinTestAgent(api, "hostile", "own");
    const spec = { projects: ["victim"], identityProjects: ["*"] };
    await as(mallory, "PATCH", "/v1/projects/hostile/agents/own", { spec });
    const { uid = "" } = (await as(ann, "GET", "/v1/projects/victim/accounts/prod")).body.metadata;
    await enqueueTask(api, { project: "victim", entityUid: uid, entityKind: "Account", accountUid: uid, placement: {} });
    expect(await leaseAll(own)).toEqual([]);
    const held = (await leaseAll(shared)).find(({ entityUid }) => entityUid === uid) as Held;
    expect((await exchange(own, held)).status).toBe(409);
    expect((await openState(own, held)).status).toBe(409);
    // A project with its own agent may have accounts that use that agent's identity, but not the identity of any other agent.
    const account = { metadata: { name: "mine" }, spec: { aws: { agentCredentials: true } } };
    const created = await as(mallory, "POST", "/v1/projects/hostile/accounts", account);
    expect(created.status).toBe(202);
    const mine = created.body.metadata.uid ?? "";
    const placement = renderTaskPlacement("hostile", { uid: mine, name: "mine", spec: account.spec }, []);
    await enqueueTask(api, { project: "hostile", entityUid: mine, entityKind: "Account", accountUid: mine, placement });
    expect((await leaseAll(shared)).map(({ entityUid }) => entityUid)).not.toContain(mine);
    expect((await leaseAll(own)).map(({ entityUid }) => entityUid)).toContain(mine);
    await api.must("DELETE", "/v1/projects/hostile/agents/own");
  });

  test("cannot assume another project's role: the platform sends the external id of the account's own project", async () => {
    await api.must("PATCH", "/v1/projects/system/agents/shared", { body: { spec: { identityProjects: ["victim", "hostile"] } } });
    const victimId = renderExternalId(victimUid);
    const chosen = { metadata: { name: "deputy" }, spec: { aws: { roleArn: role, externalId: victimId } } };
    expect((await as(mallory, "POST", "/v1/projects/hostile/accounts", chosen)).status).toBe(400);
    // An account with its own access key may have any external id. The id must be cleared when the account switches to the agent's
    // identity.
    const keyed = { metadata: { name: "deputy" }, spec: { aws: { ...keys, roleArn: role, externalId: victimId } } };
    expect((await as(mallory, "POST", "/v1/projects/hostile/accounts", keyed)).status).toBe(202);
    const withoutKey = { spec: { aws: { accessKeyId: "", secretAccessKey: null } } };
    expect((await as(mallory, "PATCH", "/v1/projects/hostile/accounts/deputy", withoutKey)).status).toBe(400);
    const cleared = { spec: { aws: { accessKeyId: "", secretAccessKey: null, externalId: null } } };
    const changed = await as(mallory, "PATCH", "/v1/projects/hostile/accounts/deputy", cleared);
    expect(changed.status).toBe(202);
    expect(changed.body.status["externalId"]).toBe(renderExternalId(hostileUid));
    const uid = changed.body.metadata.uid ?? "";
    const { body } = await exchange(shared, await leaseFor(shared, "hostile", uid, uid));
    expect((body.spec["aws"] as JsonObject)["externalId"]).toBe(renderExternalId(hostileUid));
    await api.must("PATCH", "/v1/projects/system/agents/shared", { body: { spec: { identityProjects: ["victim"] } } });
  });

  test("does not prevent a granted project from using the identity", async () => {
    const spec = { aws: { roleArn: role } };
    const { status, body } = await as(ann, "POST", "/v1/projects/victim/accounts", { metadata: { name: "granted" }, spec });
    expect(status).toBe(202);
    const uid = body.metadata.uid ?? "";
    const placement = renderTaskPlacement("victim", { uid, name: "granted", spec }, []);
    await enqueueTask(api, { project: "victim", entityUid: uid, entityKind: "Account", accountUid: uid, placement });
    const held = (await leaseAll(shared)).find(({ entityUid }) => entityUid === uid) as Held;
    const opened = (await exchange(shared, held)).body.spec["aws"] as JsonObject;
    expect(opened["externalId"]).toBe(renderExternalId(victimUid));
  });
});

describe("X062 M009 a hostile admin and external state backends", () => {
  const refusals: [string, JsonObject][] = [
    ["a host of their own", { type: "pg", settings: { host: "evil.example", database: "d", user: "u" } }],
    ["the host of the operator with another database", { type: "pg", settings: { ...database, database: "other" } }],
    ["a Unix socket", { type: "pg", settings: { host: "/var/run/postgresql", database: "d", user: "u" } }],
    ["an endpoint of their own", { type: "s3", settings: { ...bucket, endpoint: "https://evil.example" } }],
    ["a role of the operator", { type: "s3", settings: { ...bucket, role_arn: role } }],
    ["the bucket of another project", { type: "s3", settings: bucket }],
    ["the name of another project's backend", { name: "states" }],
    ["that name with settings of their own", { name: "states", type: "s3", settings: { bucket: "mine", region: "eu-west-1" } }],
    ["an unknown name", { name: "nothing" }],
    ["an impersonated service account", { type: "gcs", settings: { bucket: "b", impersonate_service_account: "a@b" } }],
    ["a container of their own", { type: "azurerm", settings: { storage_account_name: "mine", container_name: "c" } }],
  ];

  test.each(refusals)("cannot use %s, and the attempt is audited", async (_what, backend) => {
    const before = (await listDenials("hostile")).length;
    const created = await as(mallory, "POST", "/v1/projects/hostile/networks", network("n", backend));
    expect([created.status, created.body.code]).toEqual([403, "api.backend_not_allowed"]);
    expect(created.text).not.toContain("operator-states");
    const dry = await as(mallory, "POST", "/v1/projects/hostile/networks?dryRun=true", network("n", backend));
    expect(dry.body.code).toBe("api.backend_not_allowed");
    const checked = await as(mallory, "POST", "/v1/projects/hostile/networks/n:preflight", network("n", backend));
    expect(checked.body.code).toBe("api.backend_not_allowed");
    expect((await listDenials("hostile")).slice(before)).toEqual(Array.from({ length: 3 }, () => "api.backend_not_allowed"));
  });

  test("cannot see, create or change backends", async () => {
    const mine = { metadata: { name: "mine" }, spec: { type: "s3", settings: bucket, projects: ["hostile"] } };
    const tries = [
      await as(mallory, "GET", "/v1/backends"),
      await as(mallory, "GET", "/v1/backends/states"),
      await as(mallory, "POST", "/v1/backends", mine),
      await as(mallory, "PATCH", "/v1/backends/states", { spec: { projects: ["hostile"] } }),
      await as(mallory, "DELETE", "/v1/backends/states"),
    ];
    for (const { status, text } of tries) {
      expect([403, 404]).toContain(status);
      expect(text).not.toContain("operator-states");
    }
    const read = await api.must("GET", "/v1/backends/states");
    expect(read.text).not.toContain("canary-of-the-bucket");
    expect(read.body.spec["projects"]).toEqual(["victim"]);
  });

  test("cannot leave the folder of their own project once they may use a bucket", async () => {
    await createBackend("common", { type: "s3", settings: bucket, prefix: "tf", projects: ["victim", "hostile"] });
    const places = [
      "tf/victim/network/x.tfstate",
      "tf/hostile/../victim/x",
      "tf/hostile//x",
      "tf/hostile-2/x",
      "tf/hostile",
      "x",
      "",
    ];
    for (const key of places) {
      const answer = await as(
        mallory,
        "POST",
        "/v1/projects/hostile/networks",
        network("n", { name: "common", settings: { key } }),
      );
      expect([key, answer.status]).toEqual([key, 400]);
    }
    const inside = network("inside", { name: "common", settings: { key: "tf/hostile/mine.tfstate" } });
    expect((await as(mallory, "POST", "/v1/projects/hostile/networks", inside)).status).toBe(202);
  });

  test("cannot move a state by changing the backend of an entity", async () => {
    expect((await as(mallory, "POST", "/v1/projects/hostile/networks", network("kept", { name: "common" }))).status).toBe(202);
    const path = "/v1/projects/hostile/networks/kept";
    const { body } = await as(mallory, "GET", path);
    const uid = body.metadata.uid ?? "";
    const stored = { name: "common", type: "s3", settings: { ...bucket, key: `tf/hostile/network/${uid}.tfstate` } };
    expect((body.spec["infra"] as JsonObject)["backend"]).toEqual(stored);
    const changes: JsonObject[] = [
      { type: "pg", settings: { host: "evil.example" } },
      { settings: { key: "tf/victim/x" } },
      { name: "states" },
      { settings: { endpoint: "https://evil.example" } },
    ];
    for (const backend of changes) {
      const { status } = await as(mallory, "PATCH", path, { spec: { infra: { backend } } });
      expect([backend, status]).toEqual([backend, 400]);
    }
    // Applying the same file again changes nothing.
    const again = await as(mallory, "PUT", path, network("kept", { name: "common" }));
    expect([again.status, again.body.metadata.generation]).toEqual([200, 1]);
  });

  test("loses access to a backend when an operator withdraws it, which is audited", async () => {
    const { body } = await as(mallory, "GET", "/v1/projects/hostile/networks/kept");
    const uid = body.metadata.uid ?? "";
    const held = await leaseFor(shared, "hostile", uid, null);
    const opened = (await openState(shared, held)).body as unknown as { backend: JsonObject };
    expect(opened.backend).toMatchObject({ name: "common", type: "s3", settings: { key: `tf/hostile/network/${uid}.tfstate` } });
    expect(opened.backend["secrets"] ?? {}).toEqual({});
    await api.must("PATCH", "/v1/backends/common", { body: { spec: { projects: ["victim"] } } });
    const before = (await listDenials("hostile")).length;
    const refused = await openState(shared, held);
    expect([refused.status, refused.body.code]).toEqual([403, "api.backend_refused"]);
    expect((await listDenials("hostile")).slice(before)).toEqual(["api.backend_refused"]);
    expect((await api.call("DELETE", "/v1/backends/common")).body.code).toBe("store.in_use");
  });

  test("does not get any backend's secrets; a run of the allowed project gets only the secrets of its own backend", async () => {
    const created = await as(
      ann,
      "POST",
      "/v1/projects/victim/networks",
      network("recorded", { type: "pg", settings: database }),
    );
    expect(created.status).toBe(202);
    const uid = created.body.metadata.uid ?? "";
    const { body, text } = await openState(shared, await leaseFor(shared, "victim", uid, null));
    const { backend } = body as unknown as { backend: JsonObject };
    const schema = `network_${uid.replaceAll("-", "_")}`;
    expect(backend).toEqual({
      name: "records",
      type: "pg",
      settings: { ...database, schema_name: schema },
      secrets: { PGPASSWORD: password },
    });
    expect(text).not.toContain("canary-of-the-bucket");
    for (const path of ["/v1/projects/victim/networks/recorded", `/v1/projects/hostile/networks/${uid}`]) {
      expect((await as(mallory, "GET", path)).status).toBe(404);
    }
  });
});

describe("X062 M009 a hostile admin and another project's accounts and states", () => {
  test("cannot build on another project's account, by name or by uid", async () => {
    const { uid = "" } = (await as(ann, "GET", "/v1/projects/victim/accounts/prod")).body.metadata;
    for (const account of [uid, "victim/prod", "../victim/prod"]) {
      const body = { metadata: { name: "x" }, spec: { account, region: "eu-west-1" } };
      const { status, text } = await as(mallory, "POST", "/v1/projects/hostile/networks", body);
      expect([400, 404]).toContain(status);
      expect(text).not.toContain(keys.secretAccessKey);
    }
  });

  test("cannot reach another project's state with the credential of one of their own runs", async () => {
    const theirs = (await as(ann, "GET", "/v1/projects/victim/networks/recorded")).body.metadata.uid ?? "";
    const spec = { account: "prod", region: "eu-west-1" };
    const created = await as(mallory, "POST", "/v1/projects/hostile/networks", { metadata: { name: "plain" }, spec });
    const uid = created.body.metadata.uid ?? "";
    const held = await leaseFor(shared, "hostile", uid, null);
    const { body } = await openState(shared, held);
    const { username, password: word, address } = body as unknown as { username: string; password: string; address: string };
    const authorization = `Basic ${Buffer.from(`${username}:${word}`).toString("base64")}`;
    const read = (path: string) => api.send({ method: "GET", path, headers: { authorization } });
    expect((await read(address)).status).toBe(204);
    expect([401, 403, 404]).toContain((await read(`/v1/states/${theirs}`)).status);
    for (const path of [`/v1/projects/hostile/states/${theirs}`, `/v1/projects/victim/states/${theirs}`])
      expect((await as(mallory, "GET", path)).status).toBe(404);
  });

  test("a shared agent that serves chosen projects gets the tasks of those projects only", async () => {
    const limited = await joinTestAgent(api, "system", "limited");
    await api.must("PATCH", "/v1/projects/system/agents/limited", { body: { spec: { projects: ["victim"] } } });
    const [ours, theirs] = [await enqueueTask(api, { project: "victim" }), await enqueueTask(api, { project: "hostile" })];
    const leased = (await leaseAll(limited)).map(({ uid }) => uid);
    expect(leased).toContain(ours.uid);
    expect(leased).not.toContain(theirs.uid);
  });

  test("a project's unused join token cannot be used to join the platform", async () => {
    const token = await createJoinToken(api, "hostile");
    const { body } = await api.call("POST", "/v1/join", {
      key: undefined,
      body: {
        joinToken: token,
        name: "shared",
        publicKey: (await joinTestAgent(api, "hostile", "other")).publicKey,
        version: "1",
      },
    });
    expect(body.metadata.project).toBe("hostile");
  });
});
