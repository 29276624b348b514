import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;
const base = "/v1/projects/default";

beforeAll(async () => {
  api = await startTestApi();
  for (const name of ["prod", "dev"]) await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "sim" }, spec: { simulated: true, aws: {} } } });
});
afterAll(() => api.close());

test("X016 X062 a cluster is released only by users who may change all of its node pools", async () => {
  const existing = { account: "sim", id: "arn:aws:eks:eu-west-1:123456789012:cluster/shop", region: "eu-west-1", mode: "manage" };
  const cluster = { metadata: { name: "shop", environment: "prod" }, spec: { existing } };
  await api.must("POST", `${base}/clusters`, { body: cluster });
  const pool = { metadata: { name: "batch", environment: "dev" }, spec: { min: 1, desired: 1, max: 1 } };
  await api.must("POST", `${base}/clusters/shop/nodepools`, { body: pool });
  const { key } = await api.createPerson("pia", [{ project: "default", role: "editor", environment: "prod" }]);
  const release = `${base}/clusters/shop:release`;
  expect(await api.call("POST", release, { key, body: {} })).toMatchObject({ status: 403, body: { code: "api.denied" } });
  expect((await api.call("GET", `${base}/clusters/shop/nodepools/batch`)).status).toBe(200);
  expect((await api.call("POST", release, { body: {} })).status).toBeLessThan(300);
});
