import { processEnvironment, requireTool, Secret } from "@cloudwright/platform";
import { createMemoryInventory, type Inventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../cloud-clients/gcloud.sh", import.meta.url));
const gcloud = requireTool("gcloud");
if (!gcloud.found) console.log(`skipped gcloud: ${gcloud.reason}`);

let host: ApiHost;
let inventory: Inventory;
let folder: string;
const troubles: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cw-e2e-gcloud-"));
  inventory = createMemoryInventory();
  const onTrouble = (message: string) => troubles.push(message);
  host = await startApiHost({ inventory, secret: new Secret("e2e"), listen: { port: 0 }, onTrouble });
});
afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

// Each call starts a Python interpreter, which takes seconds on a busy machine.
test.skipIf(!gcloud.found)(
  "M143 M166 gcloud creates, describes, lists and deletes a network, a machine, a cluster and a node pool",
  { timeout: 1_200_000 },
  async () => {
    const { environment } = await host.issue("gcloud", "gcp", { region: "us-central1" });
    const env = { PATH: processEnvironment["PATH"], HOME: folder, CLOUDSDK_CONFIG: folder, ...environment };
    const { stdout } = await run("sh", [script], { cwd: folder, env });
    expect(stdout).toContain("done");
    const left = (await inventory.list("gcloud")).map(({ type }) => type).filter((type) => !type.startsWith("cloud_"));
    expect(left).toEqual([]);
    expect(troubles).toEqual([]);
  },
);
