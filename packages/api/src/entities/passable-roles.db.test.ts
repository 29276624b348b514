import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestAnswer } from "../testing/http-call.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";

const base = "/v1/projects/default";
const arn = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;
const allowed = [arn("nodes"), arn("team-a/*")];
let api: TestApi;
let editor: Person;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
  editor = await api.createPerson("eddy", [{ project: "default", role: "editor" }]);
  for (const [name, passableRoles] of [
    ["open", []],
    ["listed", allowed],
  ] as const) {
    const spec = { simulated: true, aws: { passableRoles: [...passableRoles] } };
    await api.must("POST", `${base}/accounts`, { body: { metadata: { name }, spec } });
    await api.must("POST", `${base}/networks`, { body: { metadata: { name }, spec: { account: name, region: "eu-west-1" } } });
  }
});
afterAll(() => api.close());

const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const fieldsOf = ({ body }: TestAnswer): string[] =>
  (body as unknown as { fields: { field: string }[] }).fields.map(({ field }) => field);

function create(network: string, aws: JsonObject, key: string, query = "", name = `c-${(made += 1)}`): Promise<TestAnswer> {
  return api.call("POST", `${base}/clusters${query}`, { key, body: { metadata: { name }, spec: { network, aws } } });
}

const pod = (serviceAccount: string, roleArn: string): JsonObject => ({ namespace: "shop", serviceAccount, roleArn });
const uses: readonly [field: string, (role: string) => JsonObject][] = [
  ...["eks", "node", "ebsCsi", "loadBalancerController", "karpenter", "karpenterNode"].map(
    (name): [string, (role: string) => JsonObject] => [`spec.aws.${name}RoleArn`, (role) => ({ [`${name}RoleArn`]: role })],
  ),
  ["spec.aws.podIdentities[0].roleArn", (role) => ({ podIdentities: [pod("web", role)] })],
];

describe("X062 the IAM roles that a cluster may use", () => {
  test.each(uses)("%s is set by admins only, unless the account lists the role", async (field, render) => {
    const aws = render(arn("anything"));
    for (const query of ["", "?dryRun=true"]) {
      const denied = await create("open", aws, editor.key, query);
      expect([...seen(denied), ...fieldsOf(denied)]).toEqual([403, "api.denied", field]);
    }
    expect((await create("open", aws, api.adminKey)).status).toBe(202);
    expect((await create("listed", render(arn("team-a/x")), editor.key)).status).toBe(202);
    for (const key of [editor.key, api.adminKey]) {
      const denied = await create("listed", aws, key);
      expect([...seen(denied), ...fieldsOf(denied)]).toEqual([403, "api.denied", field]);
    }
  });

  test("are matched exactly, or by their start", async () => {
    const outcomes: [string, number][] = [
      [arn("nodes"), 202],
      [arn("nodes-2"), 403],
      [arn("team-a/deep/er"), 202],
      [arn("team-a"), 403],
      [arn("team-ab/x"), 403],
      [arn("x/team-a/x"), 403],
      ["arn:aws:iam::999999999999:role/nodes", 403],
    ];
    for (const [role, status] of outcomes)
      expect([role, (await create("listed", { nodeRoleArn: role }, editor.key)).status]).toEqual([role, status]);
  });

  test("that an admin has set stay when an editor changes something else, but cannot be given to another pod", async () => {
    const name = "kept";
    const aws = { nodeRoleArn: arn("special"), podIdentities: [pod("pay", arn("payments"))] };
    expect((await create("open", aws, api.adminKey, "", name)).status).toBe(202);
    const patch = (change: JsonObject): Promise<TestAnswer> =>
      api.call("PATCH", `${base}/clusters/${name}`, { key: editor.key, body: { spec: { aws: change } } });
    expect((await patch({ logTypes: ["audit"] })).status).toBeLessThan(300);
    expect(fieldsOf(await patch({ podIdentities: [pod("evil", arn("payments"))] }))).toEqual([
      "spec.aws.podIdentities[0].roleArn",
    ]);
    expect(fieldsOf(await patch({ nodeRoleArn: arn("payments") }))).toEqual(["spec.aws.nodeRoleArn"]);
    expect((await patch({ podIdentities: [] })).status).toBeLessThan(300);
  });

  test("are listed by admins of the account only, and a denial is audited", async () => {
    const body = { spec: { aws: { passableRoles: [arn("*")] } } };
    expect(seen(await api.call("PATCH", `${base}/accounts/open`, { key: editor.key, body }))).toEqual([403, "api.denied"]);
    const denied = await create("open", { nodeRoleArn: arn("anything") }, editor.key);
    const text = "select actor, outcome, code from audit where request_id = $1";
    const { rows } = await api.pool.query({ text, values: [denied.headers["x-request-id"]] });
    expect(rows).toEqual([{ actor: "eddy", outcome: "denied", code: "api.denied" }]);
  });

  test.each(["*", "arn:aws:iam::*:role/x", arn("a*b"), "arn:aws:iam::123456789012:user/x"])(
    "cannot be listed as %s",
    async (entry) => {
      const body = { spec: { aws: { passableRoles: [entry] } } };
      expect(seen(await api.call("PATCH", `${base}/accounts/open`, { body }))).toEqual([400, "api.invalid"]);
    },
  );
});
