import { pickChildEnvironment, processEnvironment, Secret } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAws } from "./library.ts";

const root = join(import.meta.dirname, "..");
const blocks = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^## (.+?)$|```ts\n([\s\S]*?)```/gm)];

/** The README's code blocks, with the heading above each. */
const examples = blocks.flatMap(([, , code = ""], index) => {
  const heading = blocks.slice(0, index).findLast(([, title]) => title !== undefined)?.[1] ?? "";
  return code === "" ? [] : [[heading, code] as const];
});

/** The expected output of each example. */
const outputs: Readonly<Record<string, string>> = {
  Clusters: "running 1.29 3\n",
  "Clusters that already exist": "true true\n",
  "Node pools and upgrades": "upgrading batch\nupgrading default\ndrain eks.amazonaws.com/nodegroup=batch\ntrue\n",
  Machines: "running ubuntu\n",
  "Errors, cancellation and repetition": "clouds.not_found ResourceNotFoundException true\n",
};

const region = "us-east-1";
let host: ApiHost;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  const inventory = createMemoryInventory();
  host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  for (const letter of ["a", "b"]) {
    const attributes = {
      id: `subnet-${letter}`,
      region,
      vpc_id: "vpc-1",
      availability_zone: region + letter,
      cidr_block: "10.0.0.0/24",
    };
    await inventory.put("readme", { type: "aws_subnet", id: attributes.id, attributes });
  }
  ({ environment } = await host.issue("readme", "aws", { region }));
  const aws = createAws({
    region,
    accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
    endpoints: { all: host.address },
  });
  const existing = { name: "my-existing-cluster", version: "1.33", subnets: ["subnet-a", "subnet-b"] };
  await aws.clusters.create(existing, { wait: "ready" });
  await aws.close();
  // This folder is inside the package, so that imports of the package's own name are resolved.
  folder = mkdtempSync(join(root, ".readme-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await host.close();
});

test("M167 the README has an example for each part of the library", () => {
  expect(examples.map(([heading]) => heading)).toEqual(Object.keys(outputs));
});

test.each(examples)("M167 the README's example runs: %s", async (heading, code) => {
  const file = join(folder, `${heading.replaceAll(/\W+/g, "-")}.ts`);
  writeFileSync(file, code);
  const env = { ...pickChildEnvironment(processEnvironment), HOME: tmpdir(), ...environment, AWS_ENDPOINT_URL: host.address };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stdout).toBe(outputs[heading]);
});
