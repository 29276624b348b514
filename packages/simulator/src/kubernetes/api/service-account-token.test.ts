import { request as sendRequest } from "node:https";
import { Secret, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClusterCredentials } from "../host/cluster-credentials.ts";
import { startKubernetesHost, type KubernetesHost } from "../host/start-host.ts";
import { createMemoryObjects } from "../objects/memory-objects.ts";

let host: KubernetesHost;
const valid = new Set(["key-1~a", "key-2~b"]);
beforeAll(async () => {
  host = await startKubernetesHost({
    listen: { host: "127.0.0.1", port: 0 },
    store: createMemoryObjects(),
    secret: new Secret("installation"),
    timeScale: 0,
    isSourceValid: async ({ source, role }) => valid.has(source) && role === "admin",
  });
  await host.createCluster("tokens", { version: "v1.34.1" });
  await host.settled("tokens");
});
afterAll(() => host.close());

const send = (token: string, method: string, path: string, body?: object): Promise<{ code: number; answer: any }> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const url = `${host.address}/clusters/tokens${path}`;
    const sent = sendRequest(url, { method, headers, rejectUnauthorized: false }, (response) => {
      const parts: Buffer[] = [];
      response
        .on("data", (part: Buffer) => parts.push(part))
        .on("end", () => resolve({ code: response.statusCode ?? 0, answer: JSON.parse(Buffer.concat(parts).toString()) }));
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });

const readClaims = (token: string): any => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

const mint = async (by: string, expirationSeconds: unknown): Promise<any> =>
  (
    await send(by, "POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {
      spec: { expirationSeconds },
    })
  ).answer;

const requestToken = async (
  expirationSeconds: unknown,
): Promise<{ spec: { expirationSeconds: number }; status: { token: string } }> =>
  mint(/token: (\S+)/.exec(await host.getKubeconfig("tokens", "admin"))?.[1] ?? "", expirationSeconds);

const issueToken = async (expiresAt: Date, source?: string): Promise<string> => {
  const [record] = await host.listClusters();
  const credentials = createClusterCredentials({ secret: new Secret("installation"), address: host.address }, record as never);
  return /token: (\S+)/.exec(credentials.kubeconfigFor("admin", expiresAt, source).reveal())?.[1] ?? "";
};

test("X063 a service account token expires after a day at the latest, whatever the client requests", async () => {
  for (const [requested, granted] of [
    [3e9, 86_400],
    [1, 600],
    [7200, 7200],
    ["forever", 3600],
  ] as const) {
    const { spec, status } = await requestToken(requested);
    const claims = JSON.parse(Buffer.from(status.token.split(".")[1] ?? "", "base64url").toString()) as {
      iat: number;
      exp: number;
    };
    expect([spec.expirationSeconds, claims.exp - claims.iat]).toEqual([granted, granted]);
  }
});

test("M183 X063 a service account token, and every token that it requests, becomes invalid with the API key behind it", async () => {
  const binding = {
    metadata: { name: "minters" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
  };
  const tomorrow = new Date(systemClock.now() + 86_400_000);
  const [first, second] = [await issueToken(tomorrow, "key-1~a"), await issueToken(tomorrow, "key-2~b")];
  expect((await send(first, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)).code).toBe(201);
  const { token } = (await mint(first, 86_400)).status;
  const renewed = (await mint(token, 86_400)).status.token;
  const other = (await mint(second, 86_400)).status.token;
  const look = async (by: string): Promise<number> => (await send(by, "GET", "/api/v1/secrets")).code;
  expect([await look(token), await look(renewed), await look(other)]).toEqual([200, 200, 200]);
  valid.delete("key-1~a");
  expect([await look(token), await look(renewed), await look(other)]).toEqual([401, 401, 200]);
  expect((await mint(renewed, 86_400)).code).toBe(401);
});

test("X063 a service account token that names no API key expires with the token that was used to request it, and cannot prolong itself", async () => {
  const expiresAt = new Date(Math.floor(systemClock.now() / 1000) * 1000 + 900_000);
  const { token } = (await mint(await issueToken(expiresAt), 86_400)).status;
  const renewed = (await mint(token, 86_400)).status.token;
  for (const each of [token, renewed]) expect(readClaims(each).exp * 1000).toBe(expiresAt.getTime());
});
