import { generateKeyPairSync } from "node:crypto";
import { createUid, Secret, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApiHost } from "../../api/start-api-host.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { accountOf, tenantOf } from "./credentials.ts";
import type { KeyFile } from "./service-account-keys.ts";
import { openGcp, type GcpUnderTest } from "./testing/open-gcp.ts";
import { requestToken, signAssertion } from "./testing/sign-assertion.ts";

let gcp: GcpUnderTest;
let valid: Set<string>;

beforeEach(async () => {
  valid = new Set(["alice", "bob"]);
  gcp = await openGcp({ isSourceValid: async (source) => valid.has(source) });
});
afterEach(() => gcp.close());

const hourMs = 3_600_000;
const clusters = "/v1/projects/acme-project-1/locations/-/clusters";

async function keyOf(tenant: string, source?: string): Promise<KeyFile> {
  const origin = source === undefined ? {} : { origin: { source, expiresAtMs: Date.now() + 12 * hourMs } };
  const { options } = await gcp.host.issue(tenant, "gcp", origin);
  return options["serviceAccountKey"] as KeyFile;
}

async function exchange(assertion: string): Promise<readonly [status: number, error: unknown, token: string]> {
  const { status, body } = await requestToken(gcp.host.address, assertion);
  return [status, body["error"], textOf(body["access_token"])];
}

async function statusWith(token: string): Promise<number> {
  return (await gcp.connect(token)("GET", clusters)).status;
}

test("M007 a service account exchanges a signed assertion for a token that expires after an hour", async () => {
  const { status, body } = await requestToken(gcp.host.address, signAssertion(await keyOf("a")));
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
  const token = textOf(body["access_token"]);
  expect(await statusWith(token)).toBe(200);
  gcp.shift(hourMs - 60_000);
  expect(await statusWith(token)).toBe(200);
  gcp.shift(60_001);
  expect(await statusWith(token)).toBe(401);
});

test("M007 assertions that are forged, expired, from the future or for somebody else are refused", async () => {
  const key = await keyOf("a");
  const now = Math.floor(Date.now() / 1000);
  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
  const other = await keyOf("b");
  const bad = [
    signAssertion({ ...key, private_key: String(stranger) }),
    signAssertion({ ...key, private_key: other["private_key"] ?? "" }),
    signAssertion(key, { iss: other["client_email"] }),
    signAssertion(key, { iss: "deployer@acme-project-1.iam.gserviceaccount.com" }),
    signAssertion(key, { aud: "https://example.org/token" }),
    signAssertion(key, { iat: now - 7200, exp: now - 3600 }),
    signAssertion(key, { iat: now + 900, exp: now + 4000 }),
    signAssertion(key, { exp: now + 36_000 }),
    signAssertion(key, {}, { alg: "none" }),
    signAssertion(key, {}, { alg: "HS256" }),
    `${signAssertion(key)}x.y`,
    "",
    "..",
    "%%%.%%%.%%%",
  ];
  for (const assertion of bad) expect((await exchange(assertion)).slice(0, 2)).toEqual([400, "invalid_grant"]);
  expect(await exchange(signAssertion(key, { scope: "" }))).toEqual([400, "invalid_scope", ""]);
  const { body } = await requestToken(gcp.host.address, signAssertion(key), "password");
  expect(body["error"]).toBe("unsupported_grant_type");
  expect((await exchange(signAssertion(key)))[0]).toBe(200);
});

test("M007 a clock that is ten minutes off is refused by the token endpoint", async () => {
  const key = await keyOf("a");
  const at = Math.floor(Date.now() / 1000) + 600;
  expect((await exchange(signAssertion(key, { iat: at, exp: at + 3600 })))[1]).toBe("invalid_grant");
  gcp.shift(600_000);
  expect((await exchange(signAssertion(key, { iat: at, exp: at + 3600 })))[0]).toBe(200);
});

test("M007 rotation invalidates the tenant's keys and tokens, but nobody else's", async () => {
  const [key, other] = [await keyOf("a"), await keyOf("b")];
  const [token, kept] = [(await exchange(signAssertion(key)))[2], (await exchange(signAssertion(other)))[2]];
  await gcp.host.rotate("a");
  expect(await statusWith(token)).toBe(401);
  expect((await exchange(signAssertion(key)))[1]).toBe("invalid_grant");
  expect(await statusWith(kept)).toBe(200);
  expect(await statusWith((await exchange(signAssertion(await keyOf("a"))))[2])).toBe(200);
});

test("M007 keys and tokens become invalid with the API key that was used to request them", async () => {
  const key = await keyOf("a", "alice");
  const [, , token] = await exchange(signAssertion(key));
  expect(await statusWith(token)).toBe(200);
  valid.delete("alice");
  expect(await statusWith(token)).toBe(401);
  expect((await exchange(signAssertion(key)))[1]).toBe("invalid_grant");
  valid.add("alice");
  gcp.shift(12 * hourMs);
  expect((await exchange(signAssertion(key)))[1]).toBe("invalid_grant");
});

test("M007 keys without an owner are refused where they must have one", async () => {
  await gcp.close();
  gcp = await openGcp({ lastingKeys: false, isSourceValid: async (source) => valid.has(source) });
  expect(await statusWith(await gcp.tokenOf("a"))).toBe(401);
  expect((await exchange(signAssertion(await keyOf("a"))))[1]).toBe("invalid_grant");
  expect((await exchange(signAssertion(await keyOf("a", "alice"))))[0]).toBe(200);
});

test("M007 a service account has at most ten keys, and the oldest one is removed to make room", async () => {
  const first = await keyOf("a");
  const keys: KeyFile[] = [];
  for (let count = 0; count < 10; count++) {
    gcp.advance(1);
    keys.push(await keyOf("a"));
  }
  expect((await exchange(signAssertion(first)))[1]).toBe("invalid_grant");
  for (const key of keys) expect((await exchange(signAssertion(key)))[0]).toBe(200);
  const stored = JSON.stringify(await gcp.inventory.list("a"));
  expect(stored).not.toContain("PRIVATE KEY");
});

test("M007 X020 a key that somebody writes into the inventory, or copies from another tenant, is not accepted", async () => {
  const [key, other] = [await keyOf("a"), await keyOf("b")];
  const type = "cloud_service_account_key";
  const [stolen] = await gcp.inventory.list("b", type);
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const plain = { email: key["client_email"] ?? "", public_key: String(publicKey.export({ type: "spki", format: "pem" })) };
  await gcp.inventory.put("a", { type, id: "planted", attributes: plain });
  await gcp.inventory.put("a", { type, id: "copied", attributes: stolen?.attributes ?? {} });
  const forged = signAssertion({ ...other, client_email: key["client_email"] ?? "" });
  expect((await exchange(forged))[1]).toBe("invalid_grant");
  expect((await exchange(signAssertion(key)))[0]).toBe(200);
});

test("M007 a caller can impersonate only service accounts in its own projects", async () => {
  const call = gcp.connect(await gcp.tokenOf("a"));
  const accounts = "/v1/projects/acme-project-1/serviceAccounts";
  await call("POST", accounts, { accountId: "deployer" });
  const email = "deployer@acme-project-1.iam.gserviceaccount.com";
  const ask = (client = call) => client("POST", `/v1/projects/-/serviceAccounts/${email}:generateAccessToken`, { scope: ["x"] });
  const { status, body } = await ask();
  expect(status).toBe(200);
  const info = await gcp.connect(textOf(body["accessToken"]))("POST", "/tokeninfo");
  expect(info.body).toMatchObject({ email });
  const stranger = gcp.connect(await gcp.tokenOf("b"));
  expect((await ask(stranger)).status).toBe(404);
});

test("M007 the email address of a service account contains its tenant", () => {
  for (const tenant of ["a", "Tenant with spaces", createUid(0), createUid(Date.now())])
    expect(tenantOf(accountOf(tenant, "acme-project-1"))).toBe(tenant);
  for (const email of ["", "x@y", "sim-u@p", "sim-tzz@p", `sim-u${"z".repeat(26)}@p`]) expect(tenantOf(email)).toBeUndefined();
});

test("M007 a host with keys of its own does not invalidate the keys of another host of the same inventory", async () => {
  const key = await keyOf("a");
  const secret = new Secret("the secret of one run");
  const { inventory } = gcp;
  const other = await startApiHost({ listen: { port: 0 }, inventory, secret, keys: createMemoryInventory() });
  const { options } = await other.issue("a", "gcp");
  expect((await requestToken(other.address, signAssertion(options["serviceAccountKey"] as KeyFile))).status).toBe(200);
  await other.close();
  expect((await exchange(signAssertion(key)))[0]).toBe(200);
  expect((await inventory.list("a", "cloud_service_account_key")).length).toBe(1);
});
