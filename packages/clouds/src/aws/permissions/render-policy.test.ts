import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { awsFeatures, listActions, listResources, type AwsFeature } from "./features.ts";
import { renderPolicy } from "./render-policy.ts";
import { resourceActions } from "./resource-actions.ts";

const infra = join(import.meta.dirname, "../../../../../infra");
/** Features without an entry are built without Terraform. */
const folders: Readonly<Partial<Record<AwsFeature, string>>> = { network: "network", cluster: "kubernetes", storage: "storage" };

/** Lists the resource types in all versions of a feature's configurations. */
function listUsed(feature: AwsFeature): string[] {
  const folder = join(infra, folders[feature] ?? "", "aws");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tf"));
  const text = files.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
  const blocks = [...text.matchAll(/^(resource|data)\s+"([a-z0-9_]+)"/gm)];
  return [...new Set(blocks.map(([, block, type = ""]) => (block === "data" ? `data.${type}` : type)))];
}

describe.each(awsFeatures)("M223 the policy for a %s", (feature) => {
  const allowed = new Set(renderPolicy([feature]).Statement.flatMap(({ Action }) => Action));

  test.skipIf(folders[feature] === undefined)("allows every action that the resources of its configurations need", () => {
    const used = listUsed(feature);
    expect(used.length).toBeGreaterThan(2);
    const unknown = used.filter((type) => resourceActions[type] === undefined || !listResources(feature).includes(type));
    expect(unknown).toEqual([]);
    const missing = used.flatMap((type) => resourceActions[type] ?? []).filter((action) => !allowed.has(action));
    expect(missing).toEqual([]);
  });

  test("allows only the required actions, and never a whole service", () => {
    expect([...allowed].toSorted()).toEqual(listActions(feature).toSorted());
    for (const action of allowed) expect(action).toMatch(/^[a-z0-9]+:[A-Z][A-Za-z0-9]+$/);
  });

  test("fits into one IAM managed policy", () => {
    expect(JSON.stringify(renderPolicy([feature])).length).toBeLessThanOrEqual(6144);
  });
});

test("M223 roles can be passed only to the services that need them", () => {
  const { Statement } = renderPolicy();
  const pass = Statement.filter(({ Action }) => Action.includes("iam:PassRole"));
  expect(pass).toHaveLength(1);
  expect(pass[0]?.Condition?.["StringEquals"]?.["iam:PassedToService"]).toContain("eks.amazonaws.com");
});
