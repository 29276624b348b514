import { kinds, methods, type Kind } from "@cloudwright/contract";
import { createManualClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { collectionPath, getSeed, localKey, renderEntity, seedProject, type Seeds } from "../testing/seed-project.ts";
import { readOperation, setOperationState } from "../testing/work.ts";

interface AuditRecord {
  readonly uid: string;
  readonly at: string;
  readonly actor: string;
  readonly credential: string;
  readonly verb: string;
  readonly kind: string;
  readonly project: string;
  readonly name: string;
  readonly outcome: string;
  readonly code: string;
  readonly source: string;
  readonly requestId: string;
  readonly entityUid: string;
}

const clock = createManualClock();
const project = "audited";
const all: readonly Kind[] = kinds;

let api: TestApi;
let olga: Person;
let seeds: Seeds;

beforeAll(async () => {
  api = await startTestApi({ clock });
  await api.createProject(project);
  olga = await api.createPerson("olga", [{ project: "system", role: "owner" }]);
  seeds = await seedProject(api, project, { suffix: "seed", user: olga });
});
afterAll(() => api.close());

/** Returns the audit records written by one call, in any project. */
async function recordsOf(answer: TestAnswer): Promise<AuditRecord[]> {
  const { rows } = await api.pool.query<AuditRecord>({
    text: `select actor, credential, verb, kind, project, name, outcome, code, source, request_id as "requestId", entity_uid as "entityUid",
      to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from audit where request_id = $1`,
    values: [answer.headers["x-request-id"]],
  });
  return rows;
}

async function list(query: string, at = project): Promise<AuditRecord[]> {
  const { body } = await api.must("GET", `/v1/projects/${at}/auditrecords?${query}`);
  return body.items as unknown as AuditRecord[];
}

function verbsOf(kind: string): string[] {
  const reading = ["get", "list", "watch"];
  return methods.filter((method) => method.kind === kind && !reading.includes(method.verb)).map(({ verb }) => verb);
}

describe("M014 every change leaves one audit record with caller, action, time, source and outcome", () => {
  // Users cannot create operations, so operations are tested separately below.
  const made = all.filter(({ kind }) => verbsOf(kind).includes("create"));
  test.each(made)("$kind", async ({ kind, scope }) => {
    const path = collectionPath(kind, project, seeds);
    // The uid of the created entity. Later responses may contain a different entity: for example, a preview returns an operation.
    let uid = "";
    const send = async (verb: string, method: string, at: string, body?: object): Promise<void> => {
      clock.advance(1000);
      const answer = await api.must(method, at, { key: olga.key, body: body as never });
      if (verb === "create") uid = answer.body.metadata.uid ?? "";
      expect(await recordsOf(answer)).toEqual([
        {
          at: new Date(clock.now()).toISOString(),
          actor: "olga",
          credential: expect.stringMatching(/^key:cw_/),
          verb,
          kind,
          project: scope === "project" ? project : kind === "Project" ? "made" : "system",
          name: "made",
          outcome: "allowed",
          code: "",
          source: "127.0.0.1",
          requestId: answer.headers["x-request-id"],
          // A preflight checks an entity that does not exist yet, so the record has no uid.
          entityUid: verb === "preflight" ? null : uid,
        },
      ]);
    };
    const tried = new Map<string, () => Promise<void>>([
      ["preflight", () => send("preflight", "POST", `${path}/made:preflight`, renderEntity(kind, "made", seeds))],
      ["create", () => send("create", "POST", path, renderEntity(kind, "made", seeds))],
      ["update", () => send("update", "PATCH", `${path}/made`, { metadata: { labels: { a: "b" } } })],
      ["pause", () => send("pause", "POST", `${path}/made:pause`, {})],
      ["resume", () => send("resume", "POST", `${path}/made:resume`, {})],
      ["discover", () => send("discover", "POST", `${path}/made:discover`, {})],
      ["rotate", () => send("rotate", "POST", `${path}/made:rotate`, {})],
      ["preview", () => send("preview", "POST", `${path}/made:preview`, { spec: { workers: 3 } })],
      ["upgrade", () => send("upgrade", "POST", `${path}/made:upgrade`, { version: "1.35" })],
      ["attach", () => send("attach", "POST", `${path}/made:attach`, { instance: getSeed(seeds, localKey("Instance")).name })],
      ["detach", () => send("detach", "POST", `${path}/made:detach`, {})],
      ["delete", () => send("delete", "DELETE", `${path}/made`)],
    ]);
    // These verbs need entities that are built, imported or in a certain cloud. get-kubeconfig.db.test.ts, instance.db.test.ts, manage-images.db.test.ts and the test below cover the
    // audit records of these verbs.
    const verbs = verbsOf(kind).filter((verb) => !["kubeconfig", "ssh", "log", "release", "images", "private"].includes(verb));
    for (const [verb, work] of tried) if (verbs.includes(verb)) await work();
    expect(verbs.filter((verb) => !tried.has(verb))).toEqual([]);
  });

  test("X016 release of an imported cluster", async () => {
    const path = `/v1/projects/${project}/clusters`;
    const id = "arn:aws:eks:eu-west-1:123456789012:cluster/shop";
    const existing = { account: getSeed(seeds, "Account").name, id, region: "eu-west-1" };
    await api.must("POST", path, { key: olga.key, body: { metadata: { name: "shop" }, spec: { existing } } });
    const released = await api.must("POST", `${path}/shop:release`, { key: olga.key, body: {} });
    expect(await recordsOf(released)).toMatchObject([
      { actor: "olga", verb: "release", name: "shop", outcome: "allowed", code: "" },
    ]);
  });

  test("Operation", async () => {
    const opened = await api.must("POST", `/v1/projects/${project}/accounts`, {
      body: renderEntity("Account", "followed", seeds),
    });
    const { name = "", uid = "" } = (await readOperation(api, opened)).metadata;
    const tried = ["cancel", "retry"];
    expect(verbsOf("Operation").toSorted()).toEqual(tried);
    for (const verb of tried) {
      const answer = await api.must("POST", `/v1/projects/${project}/operations/${name}:${verb}`, { key: olga.key, body: {} });
      expect(await recordsOf(answer)).toMatchObject([
        { actor: "olga", verb, kind: "Operation", name, entityUid: uid, outcome: "allowed" },
      ]);
      await setOperationState(api, uid, "CANCELLED");
    }
  });

  test("a cascade leaves one record for each deleted entity", async () => {
    await seedProject(api, project, { suffix: "below", user: olga });
    const answer = await api.must("DELETE", `/v1/projects/${project}/accounts/account-below?cascade=true`);
    const records = await recordsOf(answer);
    expect(records.map(({ name }) => name).toSorted()).toEqual([
      "account-below",
      "cluster-below",
      "instance-below",
      "network-below",
      "nodepool-below",
      "storage-below",
    ]);
    expect(new Set(records.map(({ actor, outcome }) => `${actor} ${outcome}`))).toEqual(new Set(["admin allowed"]));
  });

  test("Connect calls are audited like REST calls", async () => {
    const create = methods.find(({ verb, kind }) => verb === "create" && kind === "Agent");
    if (create === undefined) throw new Error("agents can be created");
    const entity = renderEntity("Agent", "by-connect", seeds);
    const { code } = await callConnect(api.url, create, { project, entity }, { key: olga.key });
    expect(code).toBe("ok");
    const records = await list("filter=name%3Dby-connect");
    expect(records).toMatchObject([{ actor: "olga", verb: "create", kind: "Agent", outcome: "allowed", source: "127.0.0.1" }]);
  });
});

describe("M014 a call that changes nothing", () => {
  test("does not leave a record if it reads, is a dry run or finds nothing to change", async () => {
    const path = `/v1/projects/${project}/agents`;
    const answers = [
      await api.must("GET", path),
      await api.must("GET", `${path}/agent-seed`),
      await api.call("GET", `${path}/nothing`),
      await api.must("POST", `${path}?dryRun=true`, { body: renderEntity("Agent", "tried", seeds) }),
      await api.must("PATCH", `${path}/agent-seed`, { body: {} }),
      await api.must("DELETE", `${path}/agent-seed?dryRun=true`),
    ];
    for (const answer of answers) expect(await recordsOf(answer)).toEqual([]);
  });

  test("leaves one record if it was meant to change something and failed", async () => {
    const path = `/v1/projects/${project}/agents`;
    const answers = [
      await api.call("POST", path, { body: renderEntity("Agent", "agent-seed", seeds) }),
      await api.call("PATCH", `${path}/nothing`, { body: {} }),
      await api.call("DELETE", `/v1/projects/${project}/accounts/account-seed`),
      await api.call("POST", path, { body: { metadata: { name: "UPPER" } } }),
    ];
    const records = (await Promise.all(answers.map(recordsOf))).flat();
    expect(records.map(({ verb, name, outcome, code }) => [verb, name, outcome, code])).toEqual([
      ["create", "agent-seed", "failed", "store.exists"],
      ["update", "nothing", "failed", "api.not_found"],
      ["delete", "account-seed", "failed", "api.has_children"],
      ["create", "", "failed", "api.invalid"],
    ]);
  });
});

test("M014 a project's audit log is listed newest first, can be filtered and does not contain records of other projects", async () => {
  const records = await list("pageSize=1000");
  expect(records.map(({ at }) => at)).toEqual(
    records
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  const failed = await list("filter=outcome%3Dfailed,kind%3DAgent");
  expect(failed.map(({ code }) => code).toSorted()).toEqual(["api.invalid", "api.not_found", "store.exists"]);
  expect(await list("filter=actor!%3Dolga,actor!%3Dadmin")).toEqual([]);
  for (const query of ["filter=source%3D127.0.0.1", "orderBy=name", "labelSelector=a"]) {
    expect((await api.call("GET", `/v1/projects/${project}/auditrecords?${query}`)).status).toBe(400);
  }
  expect(records.every((record) => record.project === project)).toBe(true);
});
