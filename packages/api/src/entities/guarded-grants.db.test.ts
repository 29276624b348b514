import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;
let editor: { readonly key: string };
const base = "/v1/projects/default";
const regions = { aws: "eu-west-1", azure: "westeurope" } as const;
const group = "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/other/providers";

beforeAll(async () => {
  api = await startTestApi();
  editor = await api.createPerson("eddy", [{ project: "default", role: "editor" }]);
  for (const [cloud, region] of Object.entries(regions)) {
    const create = (collection: string, spec: JsonObject) =>
      api.must("POST", `${base}/${collection}`, { body: { metadata: { name: cloud }, spec } });
    await create("accounts", { simulated: true, [cloud]: {} });
    await create("networks", { account: cloud, region });
    await create("clusters", { network: cloud });
  }
});
afterAll(() => api.close());

describe("X062 access to cloud resources that the platform did not create is granted on behalf of admins only:", () => {
  const replication = { bucket: "arn:aws:s3:::victim" };
  const boundary = "arn:aws:iam::123456789012:policy/boundary";
  const registry = `${group}/Microsoft.ContainerRegistry/registries/images`;
  const vault = `${group}/Microsoft.KeyVault/vaults/keys`;
  const vaultKey = "https://keys.vault.azure.net/keys/secrets/00000000000000000000000000000001";
  const cases: [field: string, collection: string, spec: JsonObject][] = [
    ["spec.bucket.replication", "storages", { cluster: "aws", bucket: { versioning: true, replication } }],
    ["spec.aws.permissionsBoundaryArn", "clusters", { network: "aws", aws: { permissionsBoundaryArn: boundary } }],
    ["spec.aws.rolePath", "clusters", { network: "aws", aws: { rolePath: "/platform/" } }],
    ["spec.azure.containerRegistryIds", "clusters", { network: "azure", azure: { containerRegistryIds: [registry] } }],
    ["spec.azure.keyVaultId", "clusters", { network: "azure", azure: { keyVaultId: vault, keyVaultKeyId: vaultKey } }],
  ];

  test.each(cases)("%s", async (field, collection, spec) => {
    const body = { metadata: { name: "guarded" }, spec };
    const refused = await api.call("POST", `${base}/${collection}?dryRun=true`, { key: editor.key, body });
    expect(refused).toMatchObject({ status: 403, body: { code: "api.denied", fields: [{ field }] } });
    expect(await api.call("POST", `${base}/${collection}?dryRun=true`, { body })).toMatchObject({ status: 200 });
  });

  test("an editor can set other fields of the same cloud", async () => {
    const body = { metadata: { name: "plain" }, spec: { network: "azure", azure: { tier: "standard" } } };
    expect(await api.call("POST", `${base}/clusters?dryRun=true`, { key: editor.key, body })).toMatchObject({ status: 200 });
  });

  test("an editor can neither change nor remove what an admin set, but can change other fields", async () => {
    const spec = { network: "aws", aws: { permissionsBoundaryArn: boundary } };
    await api.must("POST", `${base}/clusters`, { body: { metadata: { name: "bounded" }, spec } });
    const patch = (change: JsonObject) =>
      api.call("PATCH", `${base}/clusters/bounded`, { key: editor.key, body: { spec: change } });
    for (const permissionsBoundaryArn of ["", `${boundary}-2`, null])
      expect(await patch({ aws: { permissionsBoundaryArn } })).toMatchObject({ status: 403, body: { code: "api.denied" } });
    expect(await patch({ workers: 3 })).toMatchObject({ status: 202 });
  });
});
