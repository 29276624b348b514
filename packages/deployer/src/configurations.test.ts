import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findConfiguration, ownConfigurations } from "./configurations.ts";

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

test("M067 M068 a configuration is found by service, cloud and version; the newest by its number unless said", () => {
  const root = createRoot("v1.2.0", "v1.10.0", "draft");
  expect(findConfiguration(root, "network", "aws")).toMatchObject({ version: "v1.10.0", terraform: "~> 1.9" });
  expect(findConfiguration(root, "network", "aws", "v1.2.0").folder).toBe(join(root, "network", "aws", "v1.2.0"));
});

test("M067 what is not there is said to be missing, and a broken one to be broken", () => {
  const root = createRoot("v1.2.0");
  for (const [cloud, version] of [["gcp"], ["aws", "v9.0.0"], ["aws", "../aws/v1.2.0"]] as const) {
    expect(() => findConfiguration(root, "network", cloud, version)).toThrow(
      expect.objectContaining({ code: "deployer.no_stack" }),
    );
  }
  writeFileSync(join(root, "network", "aws", "v1.2.0", "stack.json"), "{}");
  expect(() => findConfiguration(root, "network", "aws")).toThrow(expect.objectContaining({ code: "deployer.bad_stack" }));
});

test("M067 every configuration of the product can be used", () => {
  expect(findConfiguration(ownConfigurations, "network", "aws").version).toMatch(/^v\d+\.\d+\.\d+$/);
});
