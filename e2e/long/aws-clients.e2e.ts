import { findTool, processEnvironment, requireTool, Secret } from "@cloudwright/platform";
import { createMemoryInventory, type Inventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const scripts = fileURLToPath(new URL("../cloud-clients", import.meta.url));
const aws = requireTool("aws");
const hasBoto3 = canImport("boto3");
if (!aws.found) console.log(`skipped the aws CLI: ${aws.reason}`);
if (!hasBoto3) console.log("skipped boto3: Python cannot import it on this machine");

let host: ApiHost;
let inventory: Inventory;
let folder: string;
const troubles: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cw-e2e-aws-"));
  inventory = createMemoryInventory();
  const onTrouble = (message: string) => troubles.push(message);
  host = await startApiHost({ inventory, secret: new Secret("e2e"), listen: { port: 0 }, onTrouble });
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

function canImport(name: string): boolean {
  const python = findTool("python3");
  if (python === undefined) return false;
  try {
    execFileSync(python, ["-c", `import ${name}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function runAs(tenant: string, program: string, args: readonly string[]): Promise<string> {
  const { environment } = await host.issue(tenant, "aws", { region: "eu-west-1" });
  const { stdout } = await run(program, args, {
    cwd: folder,
    env: { PATH: processEnvironment["PATH"], HOME: folder, AWS_EC2_METADATA_DISABLED: "true", ...environment },
  });
  return stdout;
}

async function listLeft(tenant: string): Promise<readonly string[]> {
  return (await inventory.list(tenant)).map(({ type }) => type).filter((type) => !type.startsWith("cloud_"));
}

// Each call starts a Python interpreter, which takes seconds on a busy machine.
test.skipIf(!aws.found)(
  "M143 M166 the aws CLI creates, describes, lists and deletes a network, a machine, a volume, a cluster and a node group",
  { timeout: 1_200_000 },
  async () => {
    expect(await runAs("cli", "sh", [join(scripts, "aws.sh")])).toContain("done");
    expect(await listLeft("cli")).toEqual([]);
    expect(troubles).toEqual([]);
  },
);

test.skipIf(!hasBoto3)("M143 M166 boto3 does the same, with waiters, pages and client tokens", async () => {
  expect(await runAs("boto3", "python3", [join(scripts, "boto3_script.py")])).toContain("done");
  expect(await listLeft("boto3")).toEqual([]);
  expect(troubles).toEqual([]);
});
