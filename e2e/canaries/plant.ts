import type { Json, JsonObject } from "@cloudwright/contract";
import { createAdminCalls } from "../admin-calls.ts";
import { createConnectEndpoint, connectTransports } from "../endpoints/connect.ts";
import { getMethod, type Endpoint } from "../endpoints/endpoint.ts";
import { createGrpcEndpoint } from "../endpoints/grpc.ts";
import { createRestEndpoint } from "../endpoints/rest.ts";
import { randomBytes } from "node:crypto";

/** Creates a unique, searchable value. */
export function createCanary(): string {
  return `canary${randomBytes(9).toString("hex")}`;
}

const application = {
  tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
  clientId: "5c3a1f00-1111-4222-8333-444455556666",
};

/** Returns account specs for every cloud, with a canary in each secret field. */
function createSecrets(note: (what: string) => string): JsonObject[] {
  return [
    { aws: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: note("secretAccessKey"), externalId: note("externalId") } },
    { gcp: { projectId: "some-project", serviceAccountKey: JSON.stringify({ private_key: note("serviceAccountKey") }) } },
    { azure: { clientSecret: note("clientSecret") } },
    { azure: { ...application, clientCertificate: note("clientCertificate") } },
  ];
}

/**
 * Sends secrets through every endpoint, in valid and invalid requests. Adds each secret to `canaries`. Returns all responses; none of them
 * may contain a secret.
 */
export async function plant(
  server: { readonly address: string; readonly adminKey: string },
  canaries: Map<string, string>,
): Promise<string[]> {
  canaries.set("the administrator's key", server.adminKey);
  const answers: string[] = [];
  const plantOne = (what: string): string => {
    const canary = createCanary();
    canaries.set(what, canary);
    return canary;
  };
  const endpoints: Endpoint[] = [
    createRestEndpoint(server.address, () => undefined),
    ...Object.entries(connectTransports).map(([name, open]) => createConnectEndpoint(name, open(server.address))),
    createGrpcEndpoint(server.address),
  ];
  for (const [index, endpoint] of endpoints.entries()) {
    const call = async (operation: string, request: JsonObject): Promise<void> => {
      const outcome = await endpoint.call({ method: getMethod(operation), request, credential: server.adminKey });
      answers.push(JSON.stringify(outcome));
    };
    for (const [number, spec] of createSecrets((field) => plantOne(`${field} over ${endpoint.name}`)).entries()) {
      const name = `planted-${index}-${number}`;
      await call("CreateAccount", { project: "default", entity: { metadata: { name }, spec } });
      await call("CreateAccount", { project: "default", entity: { metadata: { name }, spec } });
      await call("CreateAccount", { project: "default", entity: { metadata: { name: "Not_A_Name" }, spec } });
      await call("CreateAccount", { project: "no-such-project", entity: { metadata: { name }, spec } });
      await call("UpdateAccount", {
        project: "default",
        name,
        entity: { metadata: { resourceVersion: "1" }, spec },
        updateMask: "spec",
      });
      await call("GetAccount", { project: "default", name });
    }
    await call("ListAccounts", { project: "default" });
    endpoint.close();
  }
  answers.push(...(await plantBroken(server, plantOne)));
  answers.push(...(await plantCredentials(server, canaries, plantOne)));
  return answers;
}

/** Sends malformed bodies in which a careless error message would quote the secret. */
async function plantBroken(server: { address: string; adminKey: string }, plantOne: (what: string) => string): Promise<string[]> {
  const bodies = [
    `{"spec":{"aws":{"secretAccessKey":"${plantOne("in broken JSON")}"x}}}`,
    plantOne("instead of JSON"),
    JSON.stringify({ metadata: { name: "a" }, spec: { aws: { secretAccessKey: [plantOne("in a list")] } } }),
    JSON.stringify({ metadata: { name: "a" }, spec: { aws: { secretAccessKey: { a: plantOne("in an object") } } } }),
    JSON.stringify({ metadata: { name: "a" }, spec: { aws: { secretAccessKey: plantOne("too long").repeat(20) } } }),
    JSON.stringify({ metadata: { name: "a" }, spec: { aws: plantOne("for a cloud") } }),
    JSON.stringify({ metadata: { name: "a" }, spec: plantOne("for a spec") }),
  ];
  const admin = createAdminCalls(server);
  const sent = bodies.map(async (body) => {
    const path = "/v1/projects/default/accounts";
    const headers = { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" };
    return (await fetch(new URL(path, server.address), { method: "POST", headers, body })).text();
  });
  const login = { method: "POST", headers: { "content-type": "application/json" } };
  const logins = [`{"key":"${plantOne("in a broken login")}"x`, JSON.stringify({ key: plantOne("in a login") })];
  const tried = logins.map(async (body) => (await fetch(new URL("/v1/session", server.address), { ...login, body })).text());
  const patch: Json = { spec: { aws: { accessKeyId: plantOne("as a key id"), secretAccessKey: null } } };
  const patched = await admin.send("PATCH", "/v1/projects/default/accounts/planted-0-0", patch);
  return Promise.all([...sent, ...tried, patched.text()]);
}

/**
 * Sends forged credentials, which the server rejects. Also adds to `canaries` the credentials that the server issues and shows only once.
 */
async function plantCredentials(
  server: { address: string; adminKey: string },
  canaries: Map<string, string>,
  plantOne: (what: string) => string,
): Promise<string[]> {
  const refused: Record<string, string>[] = [
    { authorization: `Bearer cw_${plantOne("a forged key")}` },
    { authorization: `Bearer a.${plantOne("a forged token")}.c` },
    { authorization: `Basic ${plantOne("a password")}` },
    { authorization: plantOne("a header without a scheme") },
    { cookie: `cloudwright_session=${plantOne("a forged session").padEnd(43, "x")}` },
    { cookie: `cloudwright_session=${plantOne("a broken session")}` },
  ];
  const answers = refused.map(async (headers) => (await fetch(new URL("/v1/whoami", server.address), { headers })).text());
  const admin = createAdminCalls(server);
  const { key, cookie } = await admin.createUser("ada", "viewer", "default");
  canaries.set("a key that was made", key);
  const rotated = (await (await admin.send("POST", "/v1/apikeys/ada:rotate", {})).json()) as { status: { key: string } };
  canaries.set("a key that was rotated", rotated.status.key);
  canaries.set("a session", cookie.slice(cookie.indexOf("=") + 1));
  const issued = await admin.send("POST", "/v1/tokens", { audience: "cloudwright", singleUse: true, ttlSeconds: 60 });
  const { token } = (await issued.json()) as { token: string };
  canaries.set("a token", token);
  const withToken = { authorization: `Bearer ${token}` };
  const uses = [1, 2].map(async () => (await admin.send("GET", "/v1/whoami", undefined, withToken)).text());
  const shown = ["/v1/apikeys", "/v1/users", "/.well-known/jwks.json"].map(async (path) =>
    (await admin.send("GET", path)).text(),
  );
  return Promise.all([...answers, ...uses, ...shown]);
}
