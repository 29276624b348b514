import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Binary } from "../binaries/binary.ts";
import { openTerraform, type Terraform, type TerraformOptions } from "../driver/open-terraform.ts";
import type { Spawn } from "../driver/spawn.ts";
import { createTestDirectory, testSpawn } from "./test-terraform.ts";

export interface RecordedCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A working directory that runs a fake program instead of Terraform. */
export interface FakeTerraform extends Terraform {
  readonly binary: Binary;
  readonly directory: string;
  /** Directory where the fake records its calls. */
  readonly records: string;
  calls(): RecordedCall[];
}

const path = join(import.meta.dirname, "../driver/fixtures/fake-terraform.sh");

/** Opens a working directory with a fake program. `fixtures/fake-terraform.sh` lists its behaviours. */
export function openFakeTerraform(
  behaviour: string,
  options: Partial<TerraformOptions> = {},
  spawn: Spawn = testSpawn,
): FakeTerraform {
  const base = createTestDirectory();
  const records = join(base, "records");
  const directory = join(base, "work");
  mkdirSync(records);
  const environment = { FAKE: behaviour, FAKE_RECORD: records, ...options.environment };
  const binary = { product: "terraform", version: "1.11.4", path } as const;
  const terraform = openTerraform({ spawn }, { binary, directory, configuration: { files: {} }, ...options, environment });
  return { ...terraform, binary, directory, records, calls: () => readCalls(records) };
}

function readCalls(records: string): RecordedCall[] {
  const calls = readdirSync(records).filter((name) => name.endsWith(".args"));
  return calls.map((name) => {
    const read = (kind: string): string[] => readFileSync(join(records, name.replace(".args", kind)), "utf8").split("\n");
    const variables = read(".env").flatMap((line): [string, string][] => {
      const at = line.indexOf("=");
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    });
    return { args: read(".args").slice(0, -1), env: Object.fromEntries(variables) };
  });
}
