import { textOf } from "@cloudwright/platform";
import { afterEach, expect, test } from "vitest";
import { idsOf } from "../credentials.ts";
import { openAzure, type AzureUnderTest } from "../testing/open-azure.ts";

let azure: AzureUnderTest;
afterEach(() => azure.close());

const hourMs = 3_600_000;
const clusters = (tenant: string): string =>
  `/subscriptions/${idsOf(tenant).subscriptionId}/providers/Microsoft.ContainerService/managedClusters`;

async function attempt(tenant: string, token: string): Promise<string> {
  const send = await azure.connect(tenant, token);
  return (await send("GET", clusters(tenant))).code;
}

test("M150 an application gets a token for its secret, and the token is accepted until it expires", async () => {
  azure = await openAzure();
  const reply = await azure.requestToken("a", await azure.formOf("a"));
  expect(reply).toMatchObject({ status: 200, body: { token_type: "Bearer", expires_in: 3599 } });
  const token = textOf(reply.body["access_token"]);
  const [, payload = ""] = token.split(".");
  const { tenantId, clientId, objectId } = idsOf("a");
  expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toMatchObject({
    tid: tenantId,
    appid: clientId,
    oid: objectId,
  });
  expect(await attempt("a", token)).toBe("");
  azure.shift(hourMs);
  const send = await azure.connect("a", token);
  const late = await send("GET", clusters("a"));
  expect(late).toMatchObject({ status: 401, code: "ExpiredAuthenticationToken" });
  expect(late.headers.get("www-authenticate")).toContain('error="invalid_token"');
});

test("M150 the login endpoint refuses wrong applications, secrets, directories, grants and scopes with Entra's errors", async () => {
  azure = await openAzure();
  const form = await azure.formOf("a");
  const other = await azure.formOf("b");
  const codeOf = async (change: Record<string, string>, tenant = "a"): Promise<unknown> => {
    const { status, code, body } = await azure.requestToken(tenant, { ...form, ...change });
    return [status, code, (body["error_codes"] as unknown as number[])[0]];
  };
  expect(await codeOf({ client_secret: "wrong" })).toEqual([401, "invalid_client", 7_000_215]);
  expect(await codeOf({ client_secret: `${form["client_secret"] ?? ""}x` })).toEqual([401, "invalid_client", 7_000_215]);
  expect(await codeOf({ client_secret: other["client_secret"] ?? "" })).toEqual([400, "unauthorized_client", 700_016]);
  expect(await codeOf({ client_id: other["client_id"] ?? "" })).toEqual([400, "unauthorized_client", 700_016]);
  expect(await codeOf({}, "b")).toEqual([400, "invalid_request", 90_002]);
  expect(await codeOf({ grant_type: "password" })).toEqual([400, "unsupported_grant_type", 70_003]);
  expect(await codeOf({ scope: "openid" })).toEqual([400, "invalid_scope", 1_002_012]);
});

test("M150 a token is refused if it is for another audience, modified, unsigned or foreign", async () => {
  azure = await openAzure();
  const form = await azure.formOf("a");
  const kubernetes = await azure.requestToken("a", { ...form, scope: "6dae42f8-4368-4678-94ff-3960e28e3630/.default" });
  expect(await attempt("a", textOf(kubernetes.body["access_token"]))).toBe("InvalidAuthenticationTokenAudience");
  const official = await azure.requestToken("a", { ...form, scope: "https://management.azure.com/.default" });
  expect(await attempt("a", textOf(official.body["access_token"]))).toBe("");
  const token = await azure.tokenOf("a");
  const [head = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as { simulated: object };
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = encode({ ...claims, simulated: { tenant: "b" } });
  const none = `${encode({ alg: "none", typ: "JWT" })}.${payload}.`;
  const wrong = [`${head}.${forged}.${signature}`, none, `${head}.${payload}`, `${token}.x`, "x", `${head}.e30.${signature}`];
  for (const each of wrong) expect(await attempt("a", each)).toBe("InvalidAuthenticationToken");
  const send = await azure.connect("a");
  for (const authorization of ["", "Basic YTpi", "Bearer", "Bearer a b"]) {
    const reply = await send("GET", clusters("a"), { headers: { authorization } });
    expect(reply).toMatchObject({ status: 401, code: "AuthenticationFailed" });
  }
});

test("M150 secrets and tokens become invalid with their origin and at the next rotation", async () => {
  const valid = new Set(["alice", "bob"]);
  azure = await openAzure({ lastingKeys: false, isSourceValid: async (source) => valid.has(source) });
  const tokenFor = async (source: string): Promise<string> => {
    const origin = { source, expiresAtMs: Date.now() + hourMs / 2 };
    const { environment } = await azure.host.issue("a", "azure", { origin });
    const form = { ...(await azure.formOf("a")), client_secret: environment["AZURE_CLIENT_SECRET"] ?? "" };
    const { body } = await azure.requestToken("a", form);
    expect(body["expires_in"]).toBeLessThanOrEqual(hourMs / 2000);
    return textOf(body["access_token"]);
  };
  const [alice, bob] = [await tokenFor("alice"), await tokenFor("bob")];
  expect(await attempt("a", alice)).toBe("");
  valid.delete("alice");
  expect(await attempt("a", alice)).toBe("InvalidAuthenticationToken");
  expect(await attempt("a", bob)).toBe("");
  expect((await azure.requestToken("a", await azure.formOf("a"))).code).toBe("invalid_client");
  await azure.host.rotate("a");
  expect(await attempt("a", bob)).toBe("InvalidAuthenticationToken");
});

test("M163 the descriptions of the login endpoint and of the cloud need no credential", async () => {
  azure = await openAzure();
  const { address } = azure.host;
  const read = async (path: string): Promise<unknown> => (await fetch(`${address}${path}`)).json();
  const { tenantId } = idsOf("a");
  expect(await read(`/${tenantId}/v2.0/.well-known/openid-configuration`)).toMatchObject({
    token_endpoint: `${address}/${tenantId}/oauth2/v2.0/token`,
  });
  expect(await read("/common/discovery/instance?api-version=1.1")).toMatchObject({
    tenant_discovery_endpoint: `${address}/common/v2.0/.well-known/openid-configuration`,
  });
  expect(await read("/metadata/endpoints?api-version=2022-09-01")).toMatchObject({ resourceManager: `${address}/` });
});

test("X063 a scope or a path full of slashes does not block the host", async () => {
  azure = await openAzure();
  const form = await azure.formOf("a");
  const scope = `${"/".repeat(4000)}x/.default`;
  expect(await azure.requestToken("a", { ...form, scope })).toMatchObject({ status: 200 });
  expect(await azure.requestToken("a", { ...form, scope: `${azure.host.address}//.default` })).toMatchObject({ status: 200 });
  const send = await azure.connect("a");
  for (let round = 0; round < 100; round += 1)
    expect(await send("GET", `/subscriptions${"/".repeat(12_000)}x`)).toMatchObject({ status: 404 });
});
