import type { JsonObject } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const project = "/v1/projects/default";
const sha256 = "a".repeat(64);
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await createAccount("rack", { local: {} });
});
afterAll(() => api.close());

const createAccount = (name: string, spec: JsonObject) =>
  api.must("POST", `${project}/accounts`, { body: { metadata: { name }, spec } });
const manage = (account: string, body: JsonObject) => api.call("POST", `${project}/accounts/${account}:images`, { body });

test.each<JsonObject>([
  { action: "list" },
  { action: "build", image: "debian-12" },
  { action: "remove", image: "web" },
  { action: "import", image: "web", path: "/srv/web.tar", format: "oci", sha256 },
])("M206 work on images is an operation beside the account's own, and audited: $action", async (body) => {
  const { status, body: operation } = await manage("rack", body);
  expect([status, operation.spec["verb"], operation.spec["entityName"]]).toEqual([202, "images", "rack"]);
  expect(operation.spec["imageWork"]).toMatchObject(body);
  const { body: audit } = await api.must("GET", `${project}/auditrecords?pageSize=1`);
  expect(audit.items).toMatchObject([{ verb: "images", kind: "Account", name: "rack", outcome: "allowed" }]);
});

test.each<[string, JsonObject]>([
  ["image", { action: "import", path: "/srv/web.tar" }],
  ["path", { action: "import", image: "web" }],
  ["image", { action: "remove" }],
  ["image", { action: "list", image: "web" }],
  ["path", { action: "build", image: "debian-12", path: "/srv" }],
  ["sha256", { action: "remove", image: "web", sha256 }],
  ["action", { action: "explode" }],
  ["action", {}],
  ["image", { action: "remove", image: "../web" }],
  ["path", { action: "import", image: "web", path: "relative" }],
  ["sha256", { action: "import", image: "web", path: "/srv/web.tar", sha256: "ABC" }],
])("M206 the wrong field is named: %s in %o", async (field, body) => {
  const answer = await manage("rack", body);
  expect([answer.status, answer.body.fields.map((each) => each.field)]).toEqual([400, [field]]);
});

test.each(cloudNames.filter((cloud) => getCloud(cloud).hasMachineImages !== true))(
  "M206 accounts in %s have no images to manage",
  async (cloud) => {
    await createAccount(cloud, { simulated: true, [cloud]: {} });
    const answer = await manage(cloud, { action: "list" });
    expect([answer.status, answer.body.fields.map(({ field }) => field)]).toEqual([400, ["name"]]);
  },
);
