import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gcpFeatures, listPermissions, listResources, type GcpFeature } from "./features.ts";
import { gcpPolicy, renderRole } from "./render-policy.ts";
import { resourcePermissions } from "./resource-permissions.ts";

const infra = join(import.meta.dirname, "../../../../../infra");
const folders: Readonly<Record<GcpFeature, string>> = {
  network: "network",
  cluster: "kubernetes",
  storage: "storage",
  instance: "instance",
  securitygroup: "securitygroup",
  volume: "volume",
};

/** Returns the text of all versions of a feature's configurations. */
function readUsed(feature: GcpFeature): string {
  const folder = join(infra, folders[feature], "gcp");
  if (!existsSync(folder)) return "";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tf"));
  return files.map((path) => readFileSync(join(folder, path), "utf8")).join("\n");
}

/** Lists the resource types in all versions of a feature's configurations. */
function listUsed(feature: GcpFeature): string[] {
  const blocks = [...readUsed(feature).matchAll(/^(resource|data)\s+"([a-z0-9_]+)"/gm)];
  return [...new Set(blocks.map(([, block, type = ""]) => (block === "data" ? `data.${type}` : type)))].filter(
    (type) => !type.includes("terraform_data"),
  );
}

describe.each(gcpFeatures)("M223 the custom role for a %s", (feature) => {
  const allowed = new Set(renderRole([feature]).includedPermissions);

  test("allows every permission that the resources of its configurations need", () => {
    const used = listUsed(feature);
    const unknown = used.filter((type) => resourcePermissions[type] === undefined || !listResources(feature).includes(type));
    expect(unknown).toEqual([]);
    const missing = used.flatMap((type) => resourcePermissions[type] ?? []).filter((permission) => !allowed.has(permission));
    expect(missing).toEqual([]);
  });

  test("allows only the required permissions, and never a whole service", () => {
    expect([...allowed].toSorted()).toEqual(listPermissions(feature).toSorted());
    for (const permission of allowed) expect(permission).toMatch(/^[a-z]+\.[a-zA-Z]+\.[a-zA-Z]+$/);
  });
});

test("M223 the custom role for all features fits into Google Cloud's limits, and a larger one is reported", () => {
  const whole = gcpPolicy.render();
  expect(gcpPolicy.findWarning(whole)).toBeUndefined();
  const many = Array.from({ length: 3001 }, (_, index) => `compute.things.verb${index}`);
  expect(gcpPolicy.findWarning({ ...whole, includedPermissions: many })).toContain("--feature");
});

test("M223 the role for storage allows the snapshot that is taken before a volume is deleted", () => {
  expect(readUsed("storage")).toContain("create_snapshot_before_destroy");
  expect(renderRole(["storage"]).includedPermissions).toEqual(
    expect.arrayContaining([
      "compute.disks.createSnapshot",
      "compute.snapshots.create",
      "compute.snapshots.get",
      "compute.snapshots.setLabels",
    ]),
  );
});

test("M223 the guide lists every role that the configurations bind in a project", () => {
  const guide = readFileSync(join(infra, "../docs/guides/accounts-in-gcp.md"), "utf8");
  const [, list = ""] = /modifiedGrantsByRole` that lists ([^]*?)\.\n/.exec(guide) ?? [];
  // Configurations also grant roles on single resources, such as keys. The condition does not apply to those.
  const files = readUsed("cluster").split(/^(?=resource|data|locals|output|variable)/m);
  const bound = files.filter(
    (block) => block.startsWith('resource "google_project_iam_member"') || block.includes("node_roles = ["),
  );
  const roles = bound.flatMap((block) => block.match(/(?<=")roles\/[\w.]+/g) ?? []);
  expect((list.match(/roles\/[\w.]+/g) ?? []).toSorted()).toEqual([...new Set(roles)].toSorted());
  const others = gcpFeatures.filter((feature) => feature !== "cluster" && readUsed(feature).includes("google_project_iam_"));
  expect(others).toEqual([]);
});
