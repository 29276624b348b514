import { requireTool } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { startProduct, type Product } from "./processes/product.ts";
import { median } from "./statistics.ts";

/** Path of the program that measures how long the library takes to create machines. */
export const machinesProgram = join(import.meta.dirname, "..", "packages", "clouds", "scripts", "measure-machines.ts");
const project = "/v1/projects/default";
const rounds = 5;
/** One minute: a tenth of the ten minutes that even the fastest cloud needs to create a managed cluster. */
export const clusterLimitMs = 60_000;
/** Twelve seconds: a tenth of the two minutes that even the fastest cloud needs to create a machine. */
export const machineLimitMs = 12_000;

/**
 * Benchmark SETUP measures the platform's own share of set-up times: everything except waiting for the cloud. docs/setup-times.md publishes
 * the results next to the clouds' own times.
 */
export const setupTimes: Benchmark = {
  id: "SETUP",
  name: "setup-times",
  async run(run) {
    const terraform = requireTool("terraform");
    if (!terraform.found) run.note(`SETUP clusters skipped: ${terraform.reason}`);
    return [...(terraform.found ? await measureClusters(run) : []), await measureMachines(run)];
  },
};

async function measureClusters(run: BenchmarkRun): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), "cw-bench-"));
  try {
    await using product = await startProduct(folder, {
      CLOUDWRIGHT_KUBERNETES_LISTEN: "127.0.0.1:0",
      CLOUDWRIGHT_SIMULATED_CLOUDS_LISTEN: "127.0.0.1:0",
    });
    await prepareAccount(product);
    const measured: Measurement[] = [];
    for (const provisioner of ["terraform", "direct"]) {
      const took = await timeClusters(product, provisioner);
      const what = `a managed cluster with 2 nodes (${provisioner}) from the request to RUNNING, without waiting for the cloud, compared with the limit`;
      const how =
        "control plane, embedded PostgreSQL and agent, simulated AWS account whose operations take no time; includes 1.5 s in which simulated nodes become ready";
      measured.push(compare(run, `SETUP-${provisioner}`, { what, how, took, limit: clusterLimitMs }));
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepareAccount(product: Product): Promise<void> {
  await product.create(`${project}/accounts`, { metadata: { name: "sim" }, spec: { simulated: true, aws: {} } });
  await product.waitForPhase(`${project}/accounts/sim`, "RUNNING");
  await product.create(`${project}/accounts/sim/simulation/adjust`, { speed: 1_000_000 });
  await product.create(`${project}/networks`, { metadata: { name: "net" }, spec: { account: "sim", region: "eu-west-1" } });
  await product.waitForPhase(`${project}/networks/net`, "RUNNING");
}

async function timeClusters(product: Product, provisioner: string): Promise<number[]> {
  const took: number[] = [];
  // The first round is a warm-up. Its result is discarded.
  for (let round = -1; round < rounds; round += 1) {
    const name = `${provisioner}-${round + 1}`;
    const path = `${project}/clusters/${name}`;
    const startedMs = performance.now();
    await product.create(`${project}/clusters`, { metadata: { name }, spec: { network: "net", workers: 2, provisioner } });
    await product.waitForPhase(path, "RUNNING");
    if (round >= 0) took.push(performance.now() - startedMs);
    await product.remove(path);
  }
  return took;
}

async function measureMachines(run: BenchmarkRun): Promise<Measurement> {
  const { stdout } = await promisify(execFile)(process.execPath, [machinesProgram, String(rounds)]);
  const { took } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { readonly took: readonly number[] };
  const what =
    "a machine created with the library, from the call to running, without waiting for the cloud, compared with the limit";
  const how =
    "`createAws().instances.create` with `wait: ready` against the simulated EC2 API, in which machines start immediately";
  return compare(run, "SETUP-machine", { what, how, took, limit: machineLimitMs });
}

interface Taken {
  readonly what: string;
  readonly how: string;
  readonly took: readonly number[];
  readonly limit: number;
}

function compare({ note }: BenchmarkRun, id: string, { what, how, took, limit }: Taken): Measurement {
  const ours = median(took);
  const ratio = ours / limit;
  note(`${id}: ${ours.toFixed(0)} ms (${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)})`);
  return { id, what, unit: "ms", ours, anchor: limit, ratio, goal: 1, held: ratio <= 1, how: `${how}; median of ${rounds}` };
}
