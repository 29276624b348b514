import { usesAgentIdentity } from "@cloudwright/contract/clouds";
import { createManualClock, Fault, Secret } from "@cloudwright/platform";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readGcpAccess } from "./account-access.ts";
import { createCredentialSource } from "./credentials.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import { email, openGoogle, privateKeyLine, project, serviceAccountKey, type OpenGoogle } from "./testing/open-google.ts";

const customer = `deployer@customer-project.iam.gserviceaccount.com`;
const provider = "projects/123456789012/locations/global/workloadIdentityPools/agents/providers/cloudwright";
const folder = mkdtempSync(join(tmpdir(), "gcp-credentials-"));
const tokenFile = join(folder, "token");
let google: OpenGoogle;

beforeAll(async () => {
  google = await openGoogle();
  google.server.answers.set("GET resource_manager/v1/projects/customer-project", { projectId: "customer-project" });
  writeFileSync(tokenFile, "federated-token\n");
});
beforeEach(() => {
  google.server.seen.length = 0;
  google.server.accepted = "token-of-key";
});
afterAll(async () => {
  await google.server.close();
  rmSync(folder, { recursive: true });
});

test("M020 M152 an account is verified with a key, and the addresses in the key are ignored", async () => {
  expect(await google.open().verify()).toEqual({ accountId: project, identity: email });
  // Without spec.gcp.projectId, the key names the project.
  expect(await google.open({ serviceAccountKey }).verify()).toEqual({ accountId: project, identity: email });
});

test("M020 a service account in the customer's project is impersonated with the account's key", async () => {
  google.server.accepted = `token-of-${customer}`;
  const account = google.open({ serviceAccountKey, serviceAccount: customer });
  expect(await account.verify()).toEqual({ accountId: "customer-project", identity: customer });
});

test("M020 a refused impersonation names the service account", async () => {
  const account = google.open({ serviceAccountKey, serviceAccount: `forbidden@customer-project.iam.gserviceaccount.com` });
  const fault = await account.verify().catch((error: unknown) => error as Fault);
  expect(fault).toMatchObject({ code: "clouds.role_refused" });
  expect((fault as Fault).message).toContain("forbidden@customer-project");
  expect(account.findTrouble()?.code).toBe("clouds.role_refused");
});

test("M020 a workload identity pool accepts the token in the agent's file, with and without impersonation", async () => {
  google.server.accepted = "token-of-federation";
  const direct = await google.open({ projectId: project, workloadIdentityProvider: provider }, tokenFile).verify();
  expect(direct).toEqual({
    accountId: project,
    identity: `principalSet://iam.googleapis.com/${provider.replace(/\/providers.*/, "")}`,
  });
  google.server.accepted = `token-of-${customer}`;
  const access = { workloadIdentityProvider: provider, serviceAccount: customer };
  expect(await google.open(access, tokenFile).verify()).toEqual({ accountId: "customer-project", identity: customer });
  await expect(google.open(access).verify()).rejects.toMatchObject({ code: "clouds.no_credentials" });
  await expect(google.open(access, join(folder, "gone")).verify()).rejects.toMatchObject({ code: "clouds.no_credentials" });
  writeFileSync(join(folder, "wrong"), "another-token");
  await expect(google.open(access, join(folder, "wrong")).verify()).rejects.toMatchObject({ code: "clouds.credentials_refused" });
});

test("M020 a revoked key is reported as refused credentials, and a foreign project as the wrong account", async () => {
  const revoked = JSON.stringify({
    ...(JSON.parse(serviceAccountKey) as object),
    client_email: `revoked@${project}.iam.gserviceaccount.com`,
  });
  const account = google.open({ serviceAccountKey: revoked });
  await expect(account.verify()).rejects.toMatchObject({ code: "clouds.credentials_refused" });
  expect(account.findTrouble()?.code).toBe("clouds.credentials_refused");
  const message = "The caller does not have permission";
  google.server.refusals.set("GET resource_manager/v1/projects/other-project", {
    status: 403,
    body: { error: { code: 403, status: "PERMISSION_DENIED", message } },
  });
  const fault = (await google
    .open({ projectId: "other-project", serviceAccountKey })
    .verify()
    .catch((error: unknown) => error)) as Fault;
  expect(fault.code).toBe("clouds.wrong_account");
  expect(fault.message).toContain("other-project");
});

test("M020 a disabled API is reported with the command that enables it", async () => {
  const details = [{ reason: "SERVICE_DISABLED", metadata: { service: "compute.googleapis.com" } }];
  const path = `GET compute/v1/projects/${project}/zones`;
  google.server.refusals.set(path, {
    status: 403,
    body: { error: { code: 403, status: "PERMISSION_DENIED", message: "disabled", details } },
  });
  const fault = (await google
    .open()
    .view.listZones()
    .catch((error: unknown) => error)) as Fault;
  google.server.refusals.delete(path);
  expect(fault.code).toBe("clouds.service_disabled");
  expect(fault.message).toContain("gcloud services enable compute.googleapis.com");
});

test("M020 credential files other than service account keys are rejected, because they can run programs on the agent's machine", () => {
  const files = [
    { type: "external_account", credential_source: { executable: { command: "/bin/id" } } },
    { type: "authorized_user", refresh_token: "t" },
    { type: "impersonated_service_account", source_credentials: {} },
    { type: "service_account", client_email: email },
    [],
  ].map((file) => JSON.stringify(file));
  for (const file of [...files, "{", "canary-text", "null", "7"]) {
    const read = (): unknown => readGcpAccess("prod", new Secret({ gcp: { serviceAccountKey: file } }));
    expect(read).toThrow(expect.objectContaining({ code: "clouds.no_credentials" }));
    expect(read).not.toThrow(/canary-text/);
  }
  for (const gcp of [{}, { projectId: project }, { serviceAccount: customer }])
    expect(() => readGcpAccess("prod", new Secret({ gcp }))).toThrow(expect.objectContaining({ code: "clouds.no_credentials" }));
});

test("X062 a Google Cloud account that needs no grant never uses the agent's identity, whichever fields it sets", () => {
  const fields: [string, readonly unknown[]][] = [
    ["serviceAccountKey", [undefined, serviceAccountKey]],
    ["serviceAccount", [undefined, "", customer]],
    ["workloadIdentityProvider", [undefined, "", provider]],
    ["agentCredentials", [undefined, false, true]],
    ["projectId", ["", project]],
  ];
  const specs = fields.reduce<Record<string, unknown>[]>(
    (all, [name, values]) => all.flatMap((spec) => values.map((value) => ({ ...spec, [name]: value }))),
    [{}],
  );
  const origins = specs.flatMap((gcp) => {
    const { serviceAccountKey: _secret, ...visible } = gcp;
    if (usesAgentIdentity({ gcp: visible })) return [];
    try {
      return [readGcpAccess("prod", new Secret({ gcp })).first.by];
    } catch {
      return ["none"];
    }
  });
  expect(new Set(origins)).toEqual(new Set(["key", "none"]));
});

test("M020 M152 tokens are renewed before they expire, by one request, and with changed credentials", async () => {
  const clock = createManualClock(Date.now());
  let reads = 0;
  const openAccess = async () => {
    reads += 1;
    return readGcpAccess("prod", new Secret({ gcp: { serviceAccountKey } }));
  };
  const source = createCredentialSource({ clock, openAccess }, { endpoints: google.server.endpoints, account: "prod" });
  const tokens = await Promise.all([source.get(), source.get(), source.get()]);
  expect(new Set(tokens.map(({ token }) => token.reveal()))).toEqual(new Set(["token-of-key"]));
  expect(reads).toBe(1);
  clock.advance(30 * 60_000);
  await source.get();
  expect(reads).toBe(1);
  clock.advance(26 * 60_000);
  await source.get();
  expect(reads).toBe(2);
  expect(google.server.seen.filter(({ path }) => path === "oauth2/token")).toHaveLength(2);
});

test("M020 Terraform exchanges the run's token for a fresh access token, and other processes get nothing", async () => {
  const access = await google.open().openTerraform();
  expect(access.environment).toMatchObject({ GOOGLE_PROJECT: project });
  const text = access.secretEnvironment["GOOGLE_CREDENTIALS"]?.reveal() ?? "";
  expect(text).not.toContain(privateKeyLine);
  const { token_url: url, credential_source: origin } = JSON.parse(text) as {
    token_url: string;
    credential_source: { url: string; headers: Record<string, string> };
  };
  const { ExternalAccountClient } = await import("google-auth-library");
  const client = ExternalAccountClient.fromJSON(JSON.parse(text) as Parameters<typeof ExternalAccountClient.fromJSON>[0]);
  expect((await client?.getAccessToken())?.token).toBe("token-of-key");
  expect((await fetch(origin.url)).status).toBe(403);
  expect((await fetch(url, { method: "POST", body: new URLSearchParams({ subject_token: "guess" }) })).status).toBe(403);
  expect((await fetch(url, { method: "POST", body: "x".repeat(200_000) })).status).toBe(400);
  await access.close();
  await expect(fetch(origin.url, { headers: origin.headers })).rejects.toThrow("fetch failed");
});

test("M020 a run whose credentials are revoked gets a refusal from the endpoint instead of an old token", async () => {
  const source = {
    get: async () => Promise.reject(new Error("private-canary")),
    getProject: async () => project,
    trouble: () => undefined,
  };
  const endpoint = await startCredentialEndpoint(source);
  const { token_url: url, credential_source: origin } = JSON.parse(
    endpoint.secretEnvironment["GOOGLE_CREDENTIALS"]?.reveal() ?? "",
  ) as {
    token_url: string;
    credential_source: { headers: Record<string, string> };
  };
  const answer = await fetch(url, {
    method: "POST",
    body: new URLSearchParams({ subject_token: origin.headers["Authorization"] ?? "" }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).not.toContain("private-canary");
  await endpoint.close();
});

test("M020 no fault, printed value or request address contains the key or a token", async () => {
  const account = google.open();
  await account.verify();
  const access = await account.openTerraform();
  const broken = serviceAccountKey.replace(privateKeyLine, privateKeyLine.split("").toReversed().join(""));
  const faults = [
    await google
      .open({ serviceAccountKey: broken })
      .verify()
      .catch((error: unknown) => error),
    await google
      .open({ serviceAccountKey, projectId: "other-project" })
      .verify()
      .catch((error: unknown) => error),
    await google
      .open({ serviceAccountKey, serviceAccount: `forbidden@${project}.iam.gserviceaccount.com` })
      .verify()
      .catch((error: unknown) => error),
  ];
  for (const fault of faults) expect(fault).toBeInstanceOf(Fault);
  const printed = [faults, account, access].map((each) => inspect(each, { depth: 12, showHidden: true })).join("\n");
  const addresses = google.server.seen.map(({ path, query }) => path + JSON.stringify(query)).join("\n");
  for (const secret of [privateKeyLine, broken.slice(200, 240), "token-of-key"])
    expect(printed + addresses).not.toContain(secret);
  await access.close();
});
