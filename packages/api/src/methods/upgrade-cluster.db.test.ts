import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { seedProject } from "../testing/seed-project.ts";
import { readOperation } from "../testing/work.ts";

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());

test("M161 a failed upgrade starts again only if a new request allows more", async () => {
  await api.createProject("p");
  const ada = await api.createPerson("ada", [{ project: "p", role: "admin" }]);
  const seeds = await seedProject(api, "p", { suffix: "seed", user: ada });
  const { name = "", uid = "" } = seeds.get("Cluster") ?? {};
  const path = `/v1/projects/p/clusters/${name}`;
  const upgrade = (body: object) => api.call("POST", `${path}:upgrade`, { key: ada.key, body: body as never });
  const set = (place: string, value: string, where: string, ref: string) =>
    api.pool.query({
      text: `update entity set object = jsonb_set(object::jsonb, $1, to_jsonb($2::text))::json where ${where} = $3`,
      values: [place, value, ref],
    });
  await set("{status,version}", "1.34", "uid", uid);
  const allowed = { version: "1.35", allow: ["removed-apis"] };
  const first = await upgrade({ version: "1.35" });
  expect(first.status).toBe(202);
  // Repeating the request while the upgrade is in progress changes nothing.
  expect((await upgrade(allowed)).body.metadata).toEqual(first.body.metadata);
  await set("{status,state}", "FAILED", "name", first.body.metadata.operation ?? "");
  expect((await upgrade({ version: "1.35" })).body.metadata).toEqual(first.body.metadata);
  const again = await upgrade(allowed);
  expect(again.body.metadata).toMatchObject({ generation: (first.body.metadata.generation ?? 0) + 1 });
  expect((await readOperation(api, again)).spec).toMatchObject({ verb: "update", allow: ["removed-apis"] });
  await set("{status,state}", "FAILED", "name", again.body.metadata.operation ?? "");
  await set("{status,version}", "1.35", "uid", uid);
  expect((await upgrade(allowed)).body.metadata.operation).toBe(again.body.metadata.operation);
});
