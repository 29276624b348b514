import { usesAgentIdentity } from "@cloudwright/contract/clouds";
import { createManualClock, Fault, requireTool, Secret, systemClock, type Clock } from "@cloudwright/platform";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readAzureAccess } from "./account-access.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { createAzureProvider } from "./provider.ts";
import {
  createAccessToken,
  fakeClient,
  fakeObject,
  fakeSecret,
  fakeSubscription,
  fakeTenant,
  refuse,
  startFakeAzure,
  type FakeAzure,
} from "./testing/fake-azure.ts";

const application = { tenantId: fakeTenant, clientId: fakeClient };

test("M020 the fault for an account without credentials names the account", () => {
  for (const azure of [{}, application, { clientSecret: "s" }, { clientSecret: "s", tenantId: fakeTenant }]) {
    const read = () => readAzureAccess("prod", new Secret({ azure }));
    expect(read).toThrow(expect.objectContaining({ code: "clouds.no_credentials" }));
    expect(read).toThrow(/"prod"/);
  }
});

test("X062 an account that needs no grant never uses the agent's identity, whichever fields it sets", () => {
  const texts = { tenantId: ["", fakeTenant], clientId: ["", fakeClient], clientSecret: ["", "s"], clientCertificate: ["", "c"] };
  const flags = Object.fromEntries(
    ["agentCredentials", "managedIdentity", "federatedToken"].map((name) => [name, [undefined, false, true]]),
  );
  const fields = Object.entries({ ...texts, ...flags }) as [string, readonly unknown[]][];
  const specs = fields.reduce<Record<string, unknown>[]>(
    (all, [name, values]) => all.flatMap((spec) => values.map((value) => ({ ...spec, [name]: value }))),
    [{}],
  );
  expect(specs).toHaveLength(432);
  const origins = specs.flatMap((azure) => {
    const { clientSecret: _secret, clientCertificate: _certificate, ...visible } = azure;
    return usesAgentIdentity({ azure: visible }) ? [] : [findOrigin(azure)];
  });
  expect(new Set(origins)).toEqual(new Set(["secret", "certificate", "none"]));
});

function findOrigin(azure: Record<string, unknown>): string {
  try {
    return readAzureAccess("prod", new Secret({ azure })).login.by;
  } catch {
    return "none";
  }
}

const openssl = requireTool("openssl");
describe.skipIf(!openssl.found)(`M020 credentials of an Azure account${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let fake: FakeAzure;
  beforeAll(async () => {
    fake = await startFakeAzure(openssl.found ? openssl.path : "");
  });
  afterEach(() => {
    fake.answer(undefined);
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await fake.close();
  });

  const scope = "https://vault.azure.net/.default";
  const open = (azure: () => object, options: { clock?: Clock; federatedTokenFile?: string } = {}): CredentialSource => {
    const { clock = systemClock, ...rest } = options;
    const openAccess = async () => readAzureAccess("prod", new Secret({ azure: azure() }));
    return createCredentialSource({ clock, openAccess }, { endpoints: fake.endpoints, ...rest });
  };
  const verify = (azure: object) =>
    createAzureProvider({ endpoints: fake.endpoints })
      .openAccount({
        account: "prod",
        spec: {},
        region: "westeurope",
        session: "cloudwright-t",
        openCredentials: async () => new Secret({ azure }),
      })
      .verify();
  const lastForm = () => new URLSearchParams(fake.seen.findLast(({ path }) => path.endsWith("/oauth2/v2.0/token"))?.body ?? "");

  test("M153 are exchanged for a token with the requested scope, using a client secret", async () => {
    const { token, expiresAtMs } = await open(() => ({ ...application, clientSecret: fakeSecret })).get(scope);
    expect(token.reveal()).toBe(createAccessToken(lastForm().get("scope") ?? ""));
    expect(lastForm().get("scope")).toContain(scope);
    expect(Object.fromEntries(lastForm())).toMatchObject({ grant_type: "client_credentials", client_id: fakeClient });
    expect(expiresAtMs).toBeGreaterThan(Date.now() + 3_000_000);
  });

  test("are exchanged by certificate: the request carries a signed assertion and neither key nor certificate", async () => {
    const { key, certificate } = fake.certificate;
    await open(() => ({ ...application, clientCertificate: `${certificate}\n${key}` })).get(scope);
    const assertion = lastForm().get("client_assertion") ?? "";
    expect(assertion.split(".")).toHaveLength(3);
    const [header = "", claims = ""] = assertion.split(".").map((part) => Buffer.from(part, "base64url").toString());
    expect(JSON.parse(header)).toMatchObject({ alg: "PS256" });
    expect(JSON.parse(claims)).toMatchObject({ iss: fakeClient, sub: fakeClient });
    expect(lastForm().has("client_secret")).toBe(false);
    const broken = open(() => ({ ...application, clientCertificate: certificate })).get(scope);
    await expect(broken).rejects.toMatchObject({ code: "clouds.no_credentials" });
  });

  test("are exchanged by the federated token of the agent's machine, which is read again for every renewal", async () => {
    const file = join(tmpdir(), `cloudwright-azure-token-${process.pid}`);
    writeFileSync(file, "first-token", { mode: 0o600 });
    try {
      const clock = createManualClock(Date.now());
      const source = open(() => ({ ...application, federatedToken: true }), { federatedTokenFile: file, clock });
      await source.get(scope);
      expect(lastForm().get("client_assertion")).toBe("first-token");
      writeFileSync(file, "second-token", { mode: 0o600 });
      clock.advance(24 * 3_600_000);
      await source.get(scope);
      expect(lastForm().get("client_assertion")).toBe("second-token");
    } finally {
      rmSync(file);
    }
    for (const options of [{}, { federatedTokenFile: file }]) {
      const missing = open(() => ({ ...application, federatedToken: true }), options).get(scope);
      await expect(missing).rejects.toMatchObject({ code: "clouds.no_credentials" });
    }
  });

  test("M153 come from the managed identity of the agent's machine, chosen by client id", async () => {
    const asked: string[] = [];
    const metadata = createServer((request, response) => {
      asked.push(request.url ?? "");
      if (request.headers["metadata"] !== "true") return response.writeHead(400).end();
      const body = { access_token: "managed", expires_in: "3600", expires_on: "4102444800", resource: "r", token_type: "Bearer" };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => void metadata.listen(0, "127.0.0.1", resolve));
    vi.stubEnv("AZURE_POD_IDENTITY_AUTHORITY_HOST", `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`);
    const { token } = await open(() => ({ managedIdentity: true, clientId: fakeClient })).get(scope);
    expect(token.reveal()).toBe("managed");
    expect(asked.at(-1)).toContain(fakeClient);
    metadata.close();
    metadata.closeAllConnections();
  });

  test("M129 come from the environment of the user's or agent's machine, including tokens for clusters with Entra ID", async () => {
    vi.stubEnv("AZURE_TENANT_ID", fakeTenant);
    vi.stubEnv("AZURE_CLIENT_ID", fakeClient);
    vi.stubEnv("AZURE_CLIENT_SECRET", fakeSecret);
    expect((await open(() => ({ agentCredentials: true })).get(scope)).token.reveal()).toBe(
      createAccessToken(lastForm().get("scope") ?? ""),
    );
    const provider = createAzureProvider({ endpoints: fake.endpoints });
    const { token, expiresAt } = await provider.createOwnToken({ cluster: "dev", region: "-" });
    expect(token.reveal()).toContain(".");
    expect(lastForm().get("scope")).toContain("6dae42f8-4368-4678-94ff-3960e28e3630/.default");
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
    expect(provider.facts.kubeconfig?.renderArgs({ cluster: "dev", region: "-" })).toContain(
      "6dae42f8-4368-4678-94ff-3960e28e3630",
    );
  });

  test("are requested once for simultaneous callers, cached by scope, and renewed five minutes before they expire", async () => {
    const clock = createManualClock(Date.now());
    let secret = fakeSecret;
    const source = open(() => ({ ...application, clientSecret: secret }), { clock });
    const before = fake.seen.length;
    const count = () => fake.seen.slice(before).filter(({ path }) => path.endsWith("/token")).length;
    await Promise.all([source.get(scope), source.get(scope), source.get("https://other.example/.default")]);
    expect(count()).toBe(2);
    clock.advance(54 * 60_000);
    await source.get(scope);
    expect(count()).toBe(2);
    secret = "rotated-and-wrong";
    clock.advance(2 * 60_000);
    await expect(source.get(scope)).rejects.toMatchObject({ code: "clouds.credentials_refused" });
    expect(source.trouble()).toBeInstanceOf(Fault);
    secret = fakeSecret;
    await source.get(scope);
    expect(source.trouble()).toBeUndefined();
  });

  test("that Azure rejects are reported with Azure's code, in one line and without the secret", async () => {
    const wrong = "canary-wrong-secret";
    const fault = (await verify({ ...application, clientSecret: wrong }).catch((error: unknown) => error)) as Fault;
    expect(fault).toMatchObject({ code: "clouds.credentials_refused" });
    expect(fault.message).toMatch(/AADSTS7000215/);
    expect(fault.message).not.toMatch(/\n/);
    expect(JSON.stringify([fault, fault.message, String(fault.cause)])).not.toContain(wrong);
  });

  test("are verified by reading the subscription; the fault for a wrong one names both", async () => {
    const secret = { ...application, clientSecret: fakeSecret };
    const found = await verify({ ...secret, subscriptionId: fakeSubscription });
    expect(found).toEqual({ accountId: fakeSubscription, identity: `application ${fakeClient} in tenant ${fakeTenant}` });
    expect(await verify(secret)).toEqual(found);
    const other = "99999999-0000-4000-8000-000000000000";
    const wrong = verify({ ...secret, subscriptionId: other });
    await expect(wrong).rejects.toMatchObject({ code: "clouds.wrong_account" });
    await expect(wrong).rejects.toThrow(new RegExp(`${other}.*${fakeSubscription}`));
    fake.answer(({ path }) =>
      path === "/subscriptions"
        ? { status: 200, body: { value: [{ subscriptionId: "a" }, { subscriptionId: "b" }] } }
        : undefined,
    );
    await expect(verify(secret)).rejects.toThrow(/2 subscriptions: a, b; set subscriptionId/);
    fake.answer(({ path }) =>
      path.startsWith("/subscriptions") ? refuse(403, "AuthorizationFailed", `${fakeObject} may not read this`) : undefined,
    );
    await expect(verify({ ...secret, subscriptionId: fakeSubscription })).rejects.toMatchObject({ code: "clouds.not_allowed" });
  });

  test("of another tenant are rejected", async () => {
    const tenantId = "11111111-2222-4333-8444-555555555555";
    const wrong = verify({ ...application, tenantId, clientSecret: fakeSecret });
    await expect(wrong).rejects.toMatchObject({ code: "clouds.wrong_account" });
    await expect(wrong).rejects.toThrow(new RegExp(`${tenantId}.*${fakeTenant}`));
  });

  test("are served to Terraform on the loopback address, only with the run's token, and never in its environment", async () => {
    const source = open(() => ({ ...application, clientSecret: fakeSecret }));
    const endpoint = await startCredentialEndpoint(source);
    const address = endpoint.secretEnvironment["ARM_MSI_ENDPOINT"]?.reveal() ?? "";
    const get = (url: string, headers: Record<string, string> = { Metadata: "true" }): Promise<[number, string]> =>
      new Promise((resolve, reject) => {
        send(url, { headers }, (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString()));
          response.on("end", () => resolve([response.statusCode ?? 0, text]));
        })
          .on("error", reject)
          .end();
      });
    const query = "api-version=2018-02-01&resource=https%3A%2F%2Fvault.azure.net";
    const [status, body] = await get(`${address}?${query}`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ token_type: "Bearer", expires_in: expect.stringMatching(/^\d+$/) as string });
    expect((await get(`${address}?${query}`, {}))[0]).toBe(403);
    expect((await get(`${address}x?${query}`))[0]).toBe(403);
    expect((await get(`${address.replace(/\d\/[^/]+/, (start) => `${start.slice(0, 2)}wrong`)}?${query}`))[0]).toBe(403);
    for (const resource of ["", "http://insecure.example", "https://a.example/../b", "file:///etc/passwd"]) {
      expect((await get(`${address}?resource=${encodeURIComponent(resource)}`))[0]).toBe(400);
    }
    const shown = JSON.stringify([endpoint, body.replace(/"access_token":"[^"]*"/, "")]);
    expect(shown).not.toContain(fakeSecret);
    expect(shown).not.toContain(address);
    await endpoint.close();
  });
});

test("X063 another program on the agent's machine cannot end the agent with an invalid address", async () => {
  const endpoint = await startCredentialEndpoint({
    get: () => Promise.reject(new Error("no token")),
    trouble: () => undefined,
  });
  const { hostname, port } = new URL(endpoint.secretEnvironment["ARM_MSI_ENDPOINT"]?.reveal() ?? "");
  for (const path of ["//", "http://[", "*"]) {
    const status = new Promise((resolve, reject) => {
      send({ hostname, port, path, agent: false }, ({ statusCode }) => resolve(statusCode))
        .on("error", reject)
        .end();
    });
    expect(await status).toBe(403);
  }
  await endpoint.close();
});
