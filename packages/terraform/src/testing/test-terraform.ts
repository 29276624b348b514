import { pickChildEnvironment, processEnvironment, requireTool } from "@cloudwright/platform";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Binary } from "../binaries/binary.ts";
import { openTerraform, type Terraform, type TerraformOptions } from "../driver/open-terraform.ts";
import { createSpawn } from "../driver/spawn.ts";

/** Creates a directory that is removed after the test. */
export function createTestDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "cw-tf-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The executable that tests run, and whether to skip those tests because it is not installed. */
export interface TestEngine {
  readonly name: string;
  readonly binary: Binary;
  readonly skip: boolean;
}

/** Returns the Terraform executable on this machine. `version` is the minimum version that the tests require. */
export function findTestBinary(): TestEngine {
  return findEngine("terraform", { product: "terraform", version: "1.9.0" });
}

/** Returns Terraform, and OpenTofu if it is installed. */
export function findTestEngines(): readonly TestEngine[] {
  const tofu = findEngine("tofu", { product: "opentofu", version: "1.7.0" });
  return [findTestBinary(), ...(tofu.skip ? [] : [tofu])];
}

function findEngine(name: string, release: Omit<Binary, "path">): TestEngine {
  const probe = requireTool(name);
  if (!probe.found) console.log(`skipped: ${probe.reason}`);
  return { name, binary: { ...release, path: probe.found ? probe.path : "" }, skip: !probe.found };
}

/** Starts programs with the same environment as an agent. */
export const testSpawn = createSpawn(pickChildEnvironment(processEnvironment));

/** Opens a working directory that contains one configuration file. */
export function openTestTerraform(
  binary: Binary,
  main: string,
  options: Partial<TerraformOptions> = {},
): Terraform & { directory: string } {
  const directory = join(createTestDirectory(), "work");
  const configuration = { files: { "main.tf": main } };
  return { ...openTerraform({ spawn: testSpawn }, { binary, directory, configuration, ...options }), directory };
}
