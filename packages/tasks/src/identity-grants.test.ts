import { expect, test } from "vitest";
import { findLack, type AgentAbility } from "./match-agent.ts";

const demand = {
  id: 1,
  placement: { cloud: "aws", account: "prod", identity: "shop/u-1" },
  type: "account.verify",
  payloadVersion: 1,
};
const ability: AgentAbility = {
  labels: { cloud: "*", account: "*", identity: ["*", "shop/u-1"] },
  types: "*",
  payloadVersions: { min: 1, max: 2 },
};

test.each([
  [undefined, false],
  [{ projects: [], accounts: [] }, false],
  [{ projects: ["lab"], accounts: ["u-2"] }, false],
  [{ projects: ["shop/u-1"], accounts: ["shop/u-1"] }, false],
  [{ projects: ["shop"], accounts: [] }, true],
  [{ projects: ["*"], accounts: [] }, true],
  [{ projects: [], accounts: ["u-1"] }, true],
])("X062 an agent with the grants %j gets a task that needs its identity: %s", (identity, fits) => {
  const lack = findLack(demand, identity === undefined ? ability : { ...ability, identity });
  expect(lack?.labels).toEqual(fits ? undefined : { identity: "shop/u-1" });
});

test("X062 a task that needs no identity can run on any agent", () => {
  expect(findLack({ ...demand, placement: { cloud: "aws", account: "prod" } }, ability)).toBeUndefined();
});

test("X062 an agent gets a task that needs a state backend unless the backend is withheld from it, whatever its labels", () => {
  const needy = { ...demand, placement: { cloud: "aws", backend: "pooled" } };
  expect(findLack(needy, ability)).toBeUndefined();
  expect(findLack(needy, { ...ability, withheldBackends: ["other"] })).toBeUndefined();
  const barred = { ...ability, labels: { ...ability.labels, backend: ["*", "pooled"] }, withheldBackends: ["pooled"] };
  expect(findLack(needy, barred)?.labels).toEqual({ backend: "pooled" });
});
