import { getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { createFakeView } from "../testing/fake-view.ts";
import { createTestTask } from "../testing/test-task.ts";
import type { JsonObject } from "../task.ts";
import { createAgentCheck } from "./agent-checks.ts";
import { askAbout, type Question } from "./question.ts";

function ask(endpoint: JsonObject, network: JsonObject = {}, outputs: JsonObject = {}): Question<"Cluster"> {
  const parents = [{ kind: "Network", uid: "n", name: "main", spec: { region: "westeurope", ...network }, outputs }];
  const task = createTestTask("cluster.preflight", { spec: { endpoint }, parents });
  return askAbout(task, { cloud: getCloud("azure"), view: createFakeView(), region: "westeurope" }) as Question<"Cluster">;
}

test("X013 a private endpoint is reported as a warning if the agent is outside the network", async () => {
  const check = createAgentCheck(undefined, () => ["192.168.1.7"]);
  expect(await check(ask({ public: false }))).toMatchObject([{ severity: "should", field: "spec.endpoint.public" }]);
  expect(await check(ask({ public: true }))).toEqual([]);
  expect(await check(ask({ public: false }, { cidr: "192.168.0.0/16" }))).toEqual([]);
  expect(await check(ask({ public: false }, { existing: { id: "x" } }, { cidr: "192.168.0.0/16" }))).toEqual([]);
  expect(
    await createAgentCheck(
      () => true,
      () => [],
    )(ask({ public: false })),
  ).toEqual([]);
});
