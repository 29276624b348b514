import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listConfigurations, ownConfigurations } from "./configurations.ts";

const stack = JSON.stringify({ terraform: "~> 1.9", providers: { "hashicorp/aws": "~> 6.0" }, upgradesFrom: ["v1.2.0"] });

function createRoot(...versions: string[]): string {
  const root = mkdtempSync(join(tmpdir(), "infra-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const version of versions) {
    const folder = join(root, "network", "aws", version);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "stack.json"), stack);
  }
  return root;
}

test("M067 M068 configurations are listed by service and cloud in version order; an earlier root takes precedence", () => {
  const [first, second] = [createRoot("v1.2.0", "v1.10.0", "draft"), createRoot("v1.2.0", "v1.3.0")];
  const found = listConfigurations([first, second], "network", "aws");
  expect(found.map(({ version }) => version)).toEqual(["v1.2.0", "v1.3.0", "v1.10.0"]);
  expect(found[0]).toMatchObject({
    folder: join(first, "network", "aws", "v1.2.0"),
    terraform: "~> 1.9",
    upgradesFrom: ["v1.2.0"],
  });
  expect(listConfigurations([first], "network", "gcp")).toEqual([]);
});

test("M067 an invalid stack.json causes a fault", () => {
  const root = createRoot("v1.2.0");
  writeFileSync(join(root, "network", "aws", "v1.2.0", "stack.json"), "{}");
  expect(() => listConfigurations([root], "network", "aws")).toThrow(expect.objectContaining({ code: "deployer.bad_stack" }));
});

test("M067 every built-in configuration can be read", () => {
  expect(listConfigurations([ownConfigurations], "network", "aws").at(-1)?.version).toMatch(/^v\d+\.\d+\.\d+$/);
});

test("X030 no configuration iterates over other resources, because such resources could not be imported after an interrupted run", () => {
  const files = readdirSync(ownConfigurations, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tf"));
  expect(files.length).toBeGreaterThan(0);
  const wrong = files.filter((file) =>
    /for_each\s*=\s*(aws|google|azurerm)_/.test(readFileSync(join(ownConfigurations, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

const ofTheFirstDesign = {
  network: [
    "vpc_name",
    "cidr_range",
    "aws_azs",
    "aws_private_subnet_cidrs",
    "aws_public_subnet_cidrs",
    "aws_eks_controlplane_subnet_cidrs",
  ],
  kubernetes: [
    "cluster_name",
    "cluster_version",
    "public_access",
    "public_access_cidrs",
    "vpc_id",
    "private_subnet_ids",
    "public_subnet_ids",
    "controlplane_subnet_ids",
  ],
};

test.each(Object.entries(ofTheFirstDesign))(
  "M063 the newest configuration of a %s in AWS still has the variables of the first design",
  (folder, names) => {
    const newest = listConfigurations([ownConfigurations], folder, "aws").at(-1)?.folder ?? "";
    const text = readFileSync(join(newest, "variables.tf"), "utf8");
    expect(names.filter((name) => !text.includes(`variable "${name}" {`))).toEqual([]);
  },
);
