import { systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { seedBuiltCluster } from "../testing/seed-built-cluster.ts";

let api: TestApi;
let viewer: Person;
let editor: Person;

beforeAll(async () => {
  api = await startTestApi();
  viewer = await api.createPerson("vera", [{ project: "default", role: "viewer" }]);
  editor = await api.createPerson("edda", [{ project: "default", role: "editor" }]);
});
afterAll(() => api.close());

async function create(name: string, account: object): Promise<string> {
  const post = async (what: string, spec: object): Promise<string> =>
    (await api.must("POST", `/v1/projects/default/${what}`, { body: { metadata: { name }, spec } as never })).body.metadata.uid ??
    "";
  await post("accounts", { aws: {}, ...account });
  await post("networks", { account: name, region: "eu-west-1" });
  return post("clusters", { network: name });
}

const ask = (name: string, role?: string, key = editor.key, more: object = {}): Promise<TestAnswer> =>
  api.call("POST", `/v1/projects/default/clusters/${name}:kubeconfig`, {
    key,
    body: { ...(role === undefined ? {} : { role }), ...more },
  });
const kubeconfigOf = ({ status, body }: TestAnswer): unknown => [status, (body as unknown as { kubeconfig: string }).kubeconfig];

describe("M017 M130 the kubeconfig of a simulated cluster", () => {
  test("grants full access to callers who may change the cluster, and read access to those who may read it", async () => {
    const uid = await create("sim", { simulated: true });
    expect(await ask("sim")).toMatchObject({ status: 409, body: { code: "api.cluster_not_ready" } });
    await seedBuiltCluster(api, uid, "sim-1");
    expect(kubeconfigOf(await ask("sim"))).toEqual([200, expect.stringMatching(/^kubeconfig: admin of /)]);
    expect(kubeconfigOf(await ask(uid, "viewer"))).toEqual([200, expect.stringMatching(/^kubeconfig: viewer of /)]);
    expect(kubeconfigOf(await ask("sim", undefined, viewer.key))).toEqual([
      200,
      expect.stringMatching(/^kubeconfig: viewer of /),
    ]);
    expect(await ask("sim", "admin", viewer.key)).toMatchObject({ status: 403, body: { code: "api.denied" } });
    expect(await ask("sim", "owner")).toMatchObject({ status: 400, body: { code: "api.invalid" } });
  });

  test("M156 M157 M158 is not issued with a static token to a caller who requests tokens from a cloud identity", async () => {
    expect(await ask("sim", undefined, editor.key, { exec: true })).toMatchObject({ status: 400, body: { code: "api.no_exec" } });
    expect(await ask("sim", "viewer", viewer.key, { exec: true })).toMatchObject({ status: 400, body: { code: "api.no_exec" } });
  });

  test("M183 is valid for an hour or the requested time, and states when it expires", async () => {
    const lifeOf = async (more: object): Promise<number> => {
      const { body } = await ask("sim", "viewer", viewer.key, more);
      const { kubeconfig, expiresAt } = body as unknown as { kubeconfig: string; expiresAt: string };
      expect(kubeconfig).toContain(expiresAt);
      return Math.round((Date.parse(expiresAt) - systemClock.now()) / 60_000);
    };
    expect([await lifeOf({}), await lifeOf({ ttlSeconds: 86_400 }), await lifeOf({ ttlSeconds: 659 })]).toEqual([60, 1440, 10]);
    for (const ttlSeconds of [-1, 1, 599, 86_401])
      expect(await ask("sim", "viewer", viewer.key, { ttlSeconds })).toMatchObject({
        status: 400,
        body: { code: "api.invalid" },
      });
  });

  test("M183 does not outlive the API key that requested it", async () => {
    const makeKey = async (name: string, minutes: number): Promise<string> => {
      const expiresAt = new Date(systemClock.now() + minutes * 60_000).toISOString();
      const body = { metadata: { name }, spec: { user: "edda", expiresAt } };
      return (await api.must("POST", "/v1/apikeys", { body })).body.status["key"] as string;
    };
    const { body } = await ask("sim", "", await makeKey("half-an-hour", 30), { ttlSeconds: 7200 });
    const leftMs = Date.parse((body as unknown as { expiresAt: string }).expiresAt) - systemClock.now();
    expect([leftMs > 1_500_000, leftMs <= 1_800_000]).toEqual([true, true]);
    expect(await ask("sim", "", await makeKey("soon-over", 5))).toMatchObject({ status: 403, body: { code: "api.denied" } });
    const short = await makeKey("an-hour", 61);
    const issued = await api.must("POST", "/v1/tokens", { key: short, body: { audience: "cloudwright" } });
    const { token } = issued.body as unknown as { token: string };
    const viaToken = await ask("sim", "", token, { ttlSeconds: 86_400 });
    const endsAtMs = Date.parse((viaToken.body as unknown as { expiresAt: string }).expiresAt);
    expect(endsAtMs - systemClock.now()).toBeLessThanOrEqual(61 * 60_000);
  });

  test("M014 is audited, marked as uncacheable and visible to nobody else", async () => {
    const answer = await ask("sim");
    expect(answer.headers["cache-control"]).toBe("no-store");
    const text = "select actor, kind, name, outcome from audit where request_id = $1 and verb = 'kubeconfig'";
    const { rows } = await api.pool.query({ text, values: [answer.headers["x-request-id"]] });
    expect(rows).toEqual([{ actor: "edda", kind: "Cluster", name: "sim", outcome: "allowed" }]);
    const written = "select count(*)::int as n from event where message like '%kubeconfig: %'";
    expect((await api.pool.query({ text: written, values: [] })).rows).toEqual([{ n: 0 }]);
  });

  test("is denied for a cluster that is being deleted", async () => {
    await api.must("DELETE", "/v1/projects/default/clusters/sim");
    expect(await ask("sim")).toMatchObject({ status: 409, body: { code: "api.cluster_not_ready" } });
  });
});

test("M017 M156 a kubeconfig of a real cluster can work without a secret: its user gets tokens from AWS", async () => {
  const uid = await create("real", {});
  await seedBuiltCluster(api, uid, "real-1");
  const [status, text] = kubeconfigOf(await ask("real", undefined, viewer.key, { exec: true })) as [number, string];
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    "current-context": "real",
    clusters: [{ cluster: { server: "https://eks", "certificate-authority-data": "cGVt" } }],
    users: [
      {
        user: {
          exec: {
            command: "aws",
            args: ["eks", "get-token", "--cluster-name", "real-1", "--region", "eu-west-1", "--output", "json"],
          },
        },
      },
    ],
  });
});
