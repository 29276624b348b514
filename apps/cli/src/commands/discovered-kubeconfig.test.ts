import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const idOf = (region: string): string => `arn:aws:eks:${region}:123456789012:cluster/shop`;
const found = (region: string, more: object = {}) => ({
  id: idOf(region),
  name: "shop",
  region,
  endpoint: "https://shop",
  ...more,
});

/** Creates a server whose account `prod` contains these clusters. */
async function createWorld(clusters: readonly object[]) {
  const { run, server } = createFakeWorld();
  await run("account", "create", "prod", "--cloud", "aws", "--simulated");
  const operation = { metadata: { name: "op-found" }, spec: { verb: "discover" }, status: { state: "DONE", clusters } };
  server.put("/v1/projects/default/operations/op-found", operation as never);
  const reply = (body: object) => () =>
    new Response(JSON.stringify(body), { status: 200, headers: { "content-type": "application/json" } });
  const ask = (...args: string[]) => {
    server.answerOnce("POST", /\/accounts\/prod:discover$/, reply(operation));
    server.answerOnce("POST", /\/accounts\/prod:kubeconfig$/, reply({ kubeconfig: "kind: Config\n", expiresAt: "soon" }));
    return run("k8s", "kubeconfig", ...args);
  };
  const sent = (path: RegExp) => server.requests.filter((request) => path.test(request.path)).map(({ body }) => body);
  return { run, server, ask, sent };
}

test("M028 the kubeconfig of a cluster that was not imported is requested by its id and the discovery", async () => {
  const { ask, sent } = await createWorld([found("eu-west-1")]);
  const answer = await ask("shop", "--account", "prod", "--region", "eu-west-1", "--role", "viewer", "--for", "20m");
  expect(answer).toMatchObject({ code: 0, out: "kind: Config\n", err: expect.stringContaining("expires at soon") as string });
  expect(sent(/prod:discover$/)).toEqual([{ region: "eu-west-1" }]);
  const asked = { discovery: "op-found", cluster: idOf("eu-west-1"), role: "viewer", ttlSeconds: 1200, exec: false };
  expect(sent(/prod:kubeconfig$/)).toEqual([asked]);
});

test("M028 clusters of the same name in several regions are told apart by the region or the id", async () => {
  const { ask, sent } = await createWorld([found("eu-west-1"), found("us-east-1")]);
  const both = await ask("shop", "--account", "prod");
  expect(both).toMatchObject({ code: 2, out: "" });
  for (const part of ["2 clusters named shop", "--region", idOf("eu-west-1"), idOf("us-east-1")])
    expect(both.err).toContain(part);
  expect(sent(/prod:kubeconfig$/)).toEqual([]);
  expect((await ask(idOf("us-east-1"), "--account", "prod")).code).toBe(0);
  expect(sent(/prod:kubeconfig$/)).toMatchObject([{ cluster: idOf("us-east-1") }]);
});

test("M028 an unknown cluster is an error that names the known ones, and --region needs --account", async () => {
  const { ask } = await createWorld([found("eu-west-1")]);
  const unknown = await ask("stop", "--account", "prod");
  expect([unknown.code === 0, unknown.out]).toEqual([false, ""]);
  for (const part of ["cli.no_such_cluster", "shop (eu-west-1)"]) expect(unknown.err).toContain(part);
  expect(await ask("shop", "--region", "eu-west-1")).toMatchObject({ code: 2, out: "" });
  expect(await ask("shop", "stop", "--account", "prod")).toMatchObject({ code: 2, out: "" });
});

test("M028 the kubeconfig of a cluster with an entity is that of the entity", async () => {
  const { ask, run, server, sent } = await createWorld([found("eu-west-1")]);
  const existing = { account: "prod", id: idOf("eu-west-1"), region: "eu-west-1" };
  await run("cluster", "create", "here", "--network", "main");
  const path = "/v1/projects/default/clusters/here";
  server.put(path, { ...server.find(path), spec: { existing } });
  server.setStatus(path, { phase: "RUNNING" });
  expect(await ask("shop", "--account", "prod")).toMatchObject({ code: 0, out: "kind: Config\ncurrent-context: here-admin\n" });
  expect(sent(/prod:kubeconfig$/)).toEqual([]);
});
