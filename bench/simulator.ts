import {
  awsProvider,
  azureProvider,
  createMemoryInventory,
  gcpProvider,
  startResidentProvider,
  writeProviderMirror,
} from "@cloudwright/simulator";
import { processEnvironment, requireTool, systemClock } from "@cloudwright/platform";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { askCluster, startHostProcess } from "./processes/kubernetes-host.ts";
import { readProcessUse } from "./processes/process-use.ts";
import { compareRounds, interleave, median } from "./statistics.ts";

const simulator = join(import.meta.dirname, "..", "packages", "simulator");
const starts = 15;
const plans = 9;
const subnets = 24;
const pods = 1000;
const lists = 20;
const clusters = 200;

/** Benchmark SIM measures the cost of simulated clouds: starting a provider, planning, listing pods and keeping an idle cluster. */
export const simulatedClouds: Benchmark = {
  id: "SIM",
  name: "simulator",
  async run(run) {
    const folder = mkdtempSync(join(tmpdir(), "cw-bench-"));
    try {
      return [
        await measureStart(run, folder),
        ...(await measurePlans(run, folder)),
        await measurePods(run),
        await measureIdle(run),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureStart({ note }: BenchmarkRun, folder: string): Promise<Measurement> {
  const built = spawnSync(process.execPath, [join(simulator, "scripts", "build.ts")], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the provider could not be built: ${built.stderr}`);
  const mirror = join(folder, "mirror");
  const named = { address: "registry.terraform.io/hashicorp/aws", version: "6.0.0", definition: "aws", tenant: "bench" };
  const files = { inventoryDirectory: join(folder, "inventory"), faultsFile: join(folder, "faults.json") };
  await writeProviderMirror(mirror, { ...named, ...files });
  const program = readdirSync(mirror, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".cjs")) ?? "";
  const provider = (): Promise<number> => timeFirstLine([join(mirror, program)]);
  const bare = (): Promise<number> => timeFirstLine(["-e", "console.log(0)"]);
  const { ratio, lowest, highest, ...medians } = compareRounds(await interleave({ rounds: starts, warmUp: 2 }, provider, bare));
  note(`SIM-start ${medians.ours.toFixed(0)} / ${medians.anchor.toFixed(0)} ms`);
  const how = `from process start to the first output line, which is the handshake; ${starts} alternating starts of each (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
  const what = "bundled provider: start to handshake compared with a bare start of node";
  return { id: "SIM-start", what, unit: "ms", ...medians, ratio, goal: 3, held: ratio <= 3, how };
}

async function timeFirstLine(args: readonly string[]): Promise<number> {
  const started = performance.now();
  const env = { ...processEnvironment, ...handshake };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const took = performance.now() - started;
  child.kill("SIGKILL");
  await ended;
  return took;
}

/** Environment variables that a Terraform provider expects from its parent process. */
const handshake = {
  TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
  PLUGIN_PROTOCOL_VERSIONS: "6",
};

async function measurePlans(run: BenchmarkRun, folder: string): Promise<Measurement[]> {
  const terraform = requireTool("terraform");
  if (!terraform.found) {
    run.note(`SIM-plan skipped: ${terraform.reason}`);
    return [];
  }
  const measured: Measurement[] = [];
  for (const planned of plannedClouds) measured.push(await measurePlan(run, folder, terraform, planned));
  return measured;
}

async function measurePlan(
  { note }: BenchmarkRun,
  folder: string,
  terraform: { readonly path: string },
  { id, configuration }: PlannedCloud,
): Promise<Measurement> {
  const stack = mkdtempSync(join(folder, "stack-"));
  writeFileSync(join(stack, "main.tf"), configuration);
  const resident = await startResidentProvider({
    providers: {
      "registry.terraform.io/hashicorp/aws": awsProvider,
      "registry.terraform.io/hashicorp/google": gcpProvider,
      "registry.terraform.io/hashicorp/azurerm": azureProvider,
    },
    tenant: "bench",
    inventory: createMemoryInventory(),
    directory: join(folder, id),
  });
  const env = { PATH: processEnvironment["PATH"], CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", ...resident.environment };
  const terraformRun = async (...args: string[]): Promise<{ provider: number; terraform: number }> => {
    const own = process.cpuUsage();
    const all = readProcessUse(process.pid).cpuMicros;
    const child = spawn(terraform.path, [...args, "-no-color", "-input=false"], { cwd: stack, env, stdio: "ignore" });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`terraform ${args.join(" ")} exited with ${code}`);
    const { user, system } = process.cpuUsage(own);
    const provider = user + system;
    return { provider, terraform: readProcessUse(process.pid).cpuMicros - all - provider };
  };
  try {
    await terraformRun("init");
    await terraformRun("plan");
    const rounds: { provider: number; terraform: number }[] = [];
    while (rounds.length < plans) rounds.push(await terraformRun("plan"));
    const anchor = median(rounds.map((round) => round.terraform)) / 1000;
    const provider = median(rounds.map((round) => round.provider)) / 1000;
    const ours = anchor + provider;
    note(`${id} provider ${provider.toFixed(0)} ms, Terraform ${anchor.toFixed(0)} ms`);
    const what = "plan of about 50 resources: CPU of Terraform and the resident provider compared with Terraform alone";
    const how = `median of ${plans} plans; the provider used ${provider.toFixed(0)} ms`;
    return { id, what, unit: "ms CPU", ours, anchor, ratio: ours / anchor, goal: 1.5, held: ours / anchor <= 1.5, how };
  } finally {
    await resident.close();
  }
}

interface PlannedCloud {
  readonly id: string;
  readonly configuration: string;
}

/** A configuration with about 50 resources for each cloud. Every resource refers to another one. */
const plannedClouds: readonly PlannedCloud[] = [
  {
    id: "SIM-plan",
    configuration: `
terraform {
  required_providers { aws = { source = "hashicorp/aws" } }
}
provider "aws" { region = "us-east-1" }
resource "aws_vpc" "main" { cidr_block = "10.0.0.0/16" }
resource "aws_route_table" "main" { vpc_id = aws_vpc.main.id }
resource "aws_subnet" "each" {
  count      = ${subnets}
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(aws_vpc.main.cidr_block, 8, count.index)
}
resource "aws_route_table_association" "each" {
  count          = ${subnets}
  subnet_id      = aws_subnet.each[count.index].id
  route_table_id = aws_route_table.main.id
}
`,
  },
  {
    id: "SIM-plan-gcp",
    configuration: `
terraform {
  required_providers { google = { source = "hashicorp/google" } }
}
provider "google" {
  project = "bench-project"
  region  = "europe-west1"
}
resource "google_compute_network" "main" {
  name                    = "main"
  auto_create_subnetworks = false
}
resource "google_compute_router" "main" {
  name    = "main"
  network = google_compute_network.main.id
}
resource "google_compute_subnetwork" "each" {
  count         = ${subnets}
  name          = "subnet-\${count.index}"
  network       = google_compute_network.main.id
  ip_cidr_range = cidrsubnet("10.0.0.0/16", 8, count.index)
}
resource "google_compute_firewall" "each" {
  count         = ${subnets}
  name          = "rule-\${count.index}"
  network       = google_compute_network.main.id
  source_ranges = [google_compute_subnetwork.each[count.index].ip_cidr_range]
  allow { protocol = "tcp" }
}
`,
  },
  {
    id: "SIM-plan-azure",
    configuration: `
terraform {
  required_providers { azurerm = { source = "hashicorp/azurerm" } }
}
provider "azurerm" {
  features {}
}
resource "azurerm_resource_group" "main" {
  name     = "main"
  location = "westeurope"
}
resource "azurerm_virtual_network" "main" {
  name                = "main"
  location            = azurerm_resource_group.main.location
  resource_group_name = azurerm_resource_group.main.name
  address_space       = ["10.0.0.0/16"]
}
resource "azurerm_subnet" "each" {
  count                = ${subnets}
  name                 = "subnet-\${count.index}"
  resource_group_name  = azurerm_resource_group.main.name
  virtual_network_name = azurerm_virtual_network.main.name
  address_prefixes     = [cidrsubnet("10.0.0.0/16", 8, count.index)]
}
resource "azurerm_public_ip" "each" {
  count               = ${subnets}
  name                = "ip-\${count.index}"
  location            = azurerm_resource_group.main.location
  resource_group_name = azurerm_resource_group.main.name
  allocation_method   = "Static"
}
`,
  },
];

async function measurePods({ note }: BenchmarkRun): Promise<Measurement> {
  await using host = await startHostProcess(60_000);
  const cluster = await host.make({ clusters: ["bench"], nodes: 20 });
  const labels = { app: "many" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:1" }] } };
  const spec = { replicas: pods, selector: { matchLabels: labels }, template };
  const path = "/apis/apps/v1/namespaces/default/deployments";
  await askCluster(cluster, "POST", path, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "many" }, spec });
  const list = (): Promise<string> => askCluster(cluster, "GET", "/api/v1/namespaces/default/pods");
  for (let running = 0; running < pods; await systemClock.sleep(200)) {
    running = (await list()).split('"phase":"Running"').length - 1;
  }
  const before = host.readCpuMicros();
  for (let index = 0; index < lists; index += 1) await list();
  const ours = (host.readCpuMicros() - before) / lists / 1000;
  note(`SIM-pods ${ours.toFixed(1)} ms CPU`);
  const what = `simulated Kubernetes: list of ${pods} pods, CPU of the host compared with the limit`;
  const how = `mean of ${lists} lists of running pods, over TLS, as JSON`;
  return { id: "SIM-pods", what, unit: "ms CPU", ours, anchor: 100, ratio: ours / 100, goal: 1, held: ours <= 100, how };
}

async function measureIdle({ note }: BenchmarkRun): Promise<Measurement> {
  const perCluster = async (idleMs: number): Promise<number> => {
    await using host = await startHostProcess(idleMs);
    const before = await host.make({ clusters: ["first"], nodes: 2 });
    const ids = Array.from({ length: clusters }, (_, index) => `c-${index}`);
    const after = await host.make({ clusters: ids, nodes: 2 });
    return (after.heapBytes - before.heapBytes) / clusters / 2 ** 20;
  };
  const awake = await perCluster(600_000);
  const asleep = await perCluster(100);
  note(`SIM-memory ${awake.toFixed(2)} MiB awake, ${asleep.toFixed(2)} MiB asleep`);
  const what = "memory of a simulated cluster with two nodes compared with the limit";
  const how = `heap growth caused by ${clusters} clusters, per cluster; ${asleep.toFixed(2)} MiB once idle clusters are unloaded, while the store keeps their objects in the same memory`;
  return { id: "SIM-memory", what, unit: "MiB", ours: awake, anchor: 2, ratio: awake / 2, goal: 1, held: awake <= 2, how };
}
