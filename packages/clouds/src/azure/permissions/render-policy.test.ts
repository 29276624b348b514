import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { operations, type Operation } from "../operations.ts";
import { azureFeatures, listActions, listDataActions, listNamespaces, listResources, type AzureFeature } from "./features.ts";
import { azurePolicy, renderRole } from "./render-policy.ts";
import { resourceActions } from "./resource-actions.ts";

const infra = join(import.meta.dirname, "../../../../../infra");
const folders: Readonly<Record<AzureFeature, string>> = {
  network: "network",
  cluster: "kubernetes",
  storage: "storage",
  // The others have no Terraform configuration.
  instance: "instance",
  securitygroup: "securitygroup",
  volume: "volume",
};

/** Lists the resource types in all versions of a feature's configurations. */
function listUsed(feature: AzureFeature): string[] {
  const folder = join(infra, folders[feature], "azure");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tf"));
  const text = files.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
  const blocks = [...text.matchAll(/^(resource|data)\s+"(azurerm_[a-z0-9_]+)"/gm)];
  return [...new Set(blocks.map(([, block, type = ""]) => (block === "data" ? `data.${type}` : type)))];
}

describe.each(azureFeatures)("M223 the custom role for a %s", (feature) => {
  const { Actions, DataActions } = renderRole([feature]);

  test("allows every action that the resources of its configurations need", () => {
    const used = listUsed(feature);
    const unknown = used.filter((type) => resourceActions[type] === undefined || !listResources(feature).includes(type));
    expect(unknown).toEqual([]);
    const needed = used.flatMap((type) => resourceActions[type]?.actions ?? []);
    expect(needed.filter((action) => !Actions.includes(action))).toEqual([]);
  });

  test("allows only the required actions, and never a whole service or type", () => {
    expect(Actions).toEqual(listActions(feature));
    expect(DataActions).toEqual(listDataActions(feature));
    for (const action of [...Actions, ...DataActions])
      expect(action).toMatch(/^Microsoft\.[A-Za-z]+(\/[A-Za-z]+)+\/(read|write|delete|action)$/);
    expect(listNamespaces(feature)).not.toContain("");
  });
});

test("M223 the roles together allow every call that the platform itself makes", () => {
  const allowed = new Set(renderRole().Actions.map((action) => action.toLowerCase()));
  const verbs = { GET: "read", PUT: "write", PATCH: "write", DELETE: "delete", POST: "action" };
  // Listing subscriptions requires no permissions, and the actions for the other paths cannot be derived from the path.
  const special: Readonly<Record<string, string>> = {
    "/subscriptions": "",
    "{resourceId}": "",
    // The action leaves out the kind of artifact.
    versions: "Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read",
    checkNameAvailability: "microsoft.storage/checknameavailability/read",
  };
  const missing = (Object.values(operations) as readonly Operation[]).flatMap(({ method, path }) => {
    const last = path.split("/").at(-1) ?? "";
    const known = special[path] ?? special[path.split("/")[0] ?? "-"] ?? special[last];
    const action = known ?? toAction(path, verbs[method]);
    return action === "" || allowed.has(action.toLowerCase()) ? [] : [action];
  });
  expect(missing).toEqual([]);
});

/** Derives the action of a call from its path. Names of types are kept, and names of resources are dropped. */
function toAction(path: string, verb: string): string {
  const types = (text: string): string =>
    text
      .split("/")
      .filter((part) => !part.startsWith("{"))
      .join("/");
  const [, provider] = path.split("/providers/");
  if (provider !== undefined) return `${types(provider)}/${verb}`;
  return `Microsoft.Resources${types(path)}/${verb}`;
}

test("M223 the note beside a role says what to replace, and warns if the role can assign roles", () => {
  expect(azurePolicy.findWarning(azurePolicy.render(["network"]))).toBe("replace SUBSCRIPTION_ID in AssignableScopes");
  expect(azurePolicy.findWarning(azurePolicy.render(["cluster"]))).toContain("condition");
});
