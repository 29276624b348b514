import { hasAction } from "@cloudwright/contract";
import { requireTool, systemClock } from "@cloudwright/platform";
import { changeConditions, createFileInventory } from "@cloudwright/simulator";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import {
  awsConfiguration,
  awsRegion,
  awsVersion,
  awsZones,
  renderAwsVariables,
  runSubjects,
  type RunSubject,
} from "./load/run-subjects.ts";
import { startBareTerraform, type BareTerraform } from "./processes/bare-terraform.ts";
import { startProduct, type Product } from "./processes/product.ts";
import { median } from "./statistics.ts";

const networks = "/v1/projects/default/networks";
const rounds = 5;
const checks = 8;
const concurrent = 20;
const slots = 2;
/** Both sides keep their simulated cloud in files, so that its storage does not affect the comparison. */
const sameProvider = { CLOUDWRIGHT_AGENT_SIMULATOR: "files" };

const plan = [
  ["init", "-input=false", "-no-color"],
  ["plan", "-input=false", "-no-color", "-out=p.tfplan"],
];
const apply = [...plan, ["apply", "-input=false", "-no-color", "p.tfplan"]];
/** The commands that the platform runs. Besides planning and applying, it reads the plan and the outputs. */
const same = [...plan, ["show", "-json", "p.tfplan"], ["apply", "-input=false", "-no-color", "p.tfplan"], ["output", "-json"]];

/** Benchmarks P1 and P2 compare Terraform runs through the platform with the same commands without it. */
export const terraformRuns: Benchmark = {
  id: "P1",
  name: "terraform-runs",
  async run(run) {
    const terraform = requireTool("terraform");
    if (!terraform.found) {
      run.note(`P1 skipped: ${terraform.reason}`);
      return [];
    }
    const folder = mkdtempSync(join(tmpdir(), "cw-bench-"));
    try {
      const quotas = Object.assign({}, ...runSubjects.map((subject) => subject.quotas)) as Record<string, number>;
      await using bare = await startBareTerraform(join(folder, "bare"), terraform.path, quotas);
      const whole = await measureRuns(run, folder, bare);
      const unchanged = await measureChecks(run, folder, bare);
      const many = await measureMany(run, folder, bare);
      return [...whole, ...unchanged, ...many];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureRuns(run: BenchmarkRun, folder: string, bare: BareTerraform): Promise<Measurement[]> {
  await using product = await startProduct(folder, { ...sameProvider, CLOUDWRIGHT_DRIFT_CHECK: "off" });
  const measured: Measurement[] = [];
  for (const subject of runSubjects) {
    await createAccount(product, folder, subject);
    measured.push(...(await measureSubject(run, product, bare, subject)));
  }
  return measured;
}

async function createAccount(product: Product, folder: string, { account, accountSpec, quotas }: RunSubject): Promise<void> {
  const path = `/v1/projects/default/accounts/${account}`;
  await product.create("/v1/projects/default/accounts", { metadata: { name: account }, spec: accountSpec });
  await product.waitForPhase(path, "RUNNING");
  const { metadata } = await product.read(path);
  // The agent keeps the simulated account in files, so its quotas cannot be changed through the API.
  const inventory = createFileInventory(join(folder, "home", "agent", "simulated", "inventory"));
  await changeConditions(inventory, metadata.uid ?? "", { quotas });
}

async function measureSubject(
  run: BenchmarkRun,
  product: Product,
  bare: BareTerraform,
  subject: RunSubject,
): Promise<Measurement[]> {
  const { id, account, configuration, spec, what } = subject;
  const took: Record<"ours" | "anchor" | "local" | "oursCpu" | "anchorCpu", number[]> = {
    ours: [],
    anchor: [],
    local: [],
    oursCpu: [],
    anchorCpu: [],
  };
  for (let round = -1; round < rounds; round += 1) {
    const name = `net-${round + 1}`;
    const oursCpu = product.readCpuMicros();
    const ours = await time(() => build(product, name, { account, ...spec }));
    const oursUsed = product.readCpuMicros() - oursCpu;
    const order = { name: `${account}-${name}`, configuration };
    const anchorCpu = bare.readCpuMicros();
    const anchor = await time(() => bare.run({ ...order, steps: same, variables: subject.variablesOf(name), backend: "http" }));
    const anchorUsed = bare.readCpuMicros() - anchorCpu;
    const local = await time(() =>
      bare.run({ ...order, steps: apply, variables: subject.variablesOf(`${name}-l`), backend: "local" }),
    );
    await product.remove(`${networks}/${name}`);
    if (round < 0) continue;
    took.ours.push(ours);
    took.anchor.push(anchor);
    took.local.push(local);
    took.oursCpu.push(oursUsed / 1000);
    took.anchorCpu.push(anchorUsed / 1000);
  }
  const how = `${what}, resident provider, http backend; median of ${rounds} alternating rounds`;
  const note = (measurement: Measurement): Measurement => {
    run.note(
      `${measurement.id}: ${measurement.ours.toFixed(0)} / ${measurement.anchor.toFixed(0)} ms, ${measurement.ratio.toFixed(2)}`,
    );
    return measurement;
  };
  return [
    note(
      compare(
        id,
        "a run of about 50 resources from the request to RUNNING, compared with the same commands run directly",
        took.ours,
        took.anchor,
        1.1,
        how,
      ),
    ),
    note(
      compare(
        `${id}-cpu`,
        "CPU of a run of about 50 resources (control plane, database, agent and Terraform), compared with Terraform and its provider alone",
        took.oursCpu,
        took.anchorCpu,
        1.1,
        how,
      ),
    ),
    note(
      compare(
        `${id}-local`,
        "a run of about 50 resources compared with init, plan and apply on local state (for information)",
        took.ours,
        took.local,
        3,
        how,
      ),
    ),
  ];
}

async function measureChecks(run: BenchmarkRun, folder: string, bare: BareTerraform): Promise<Measurement[]> {
  await using product = await startProduct(folder, { ...sameProvider, CLOUDWRIGHT_DRIFT_CHECK: "off" });
  await build(product, "checked", awsSpec(awsZones));
  const { spec, metadata } = await product.read(`${networks}/checked`);
  const variables = renderAwsVariables("checked", awsZones);
  const order = { name: "checked", configuration: awsConfiguration, variables, backend: "http" } as const;
  await bare.run({ ...order, steps: apply });
  const ours: number[] = [];
  const anchor: number[] = [];
  for (let round = -1; round < checks; round += 1) {
    const check = await runCheck(product, metadata.uid ?? "", round + 2);
    const direct = await time(() => bare.run({ ...order, steps: plan }));
    // The first check is slower, because it still has to set up its working directory.
    if (round < 0) continue;
    ours.push(check);
    anchor.push(direct);
  }
  const how = `a network with 6 zones; duration of the agent's task, without the first one; direct commands run in their existing directory; median of ${checks} alternating rounds`;
  const check = compare(
    "P2",
    "a drift check that finds no change, compared with init and plan run directly",
    ours,
    anchor,
    0.8,
    how,
  );
  run.note(`P2: ${check.ours.toFixed(0)} / ${check.anchor.toFixed(0)} ms, ${check.ratio.toFixed(2)}`);
  const before = await countTasks(product);
  const answer = await product.connection.send("PUT", `${networks}/checked`, { metadata: { name: metadata.name }, spec });
  if (answer.status !== 200 && answer.status !== 202)
    throw new Error(`the unchanged update failed: ${answer.status} ${answer.body}`);
  const started = (await countTasks(product)) - before;
  await product.remove(`${networks}/checked`);
  const idle: Measurement = {
    id: "P2-unchanged",
    what: "tasks started by an update that changes nothing",
    unit: "tasks",
    ours: started,
    anchor: 1,
    ratio: started,
    goal: 0,
    held: started === 0,
    how: "a PUT with the current spec; all tasks except drift checks are counted before and after",
  };
  return [check, idle];
}

/** Requests a drift check and waits until `count` checks are done. Returns the duration of the newest one, in milliseconds. */
async function runCheck(product: Product, uid: string, count: number): Promise<number> {
  await product.create(`/v1/projects/default/drifts/${uid}:check`, {});
  const path = "/v1/projects/default/tasks?filter=spec.type=network.check,status.state=DONE&pageSize=100";
  for (;;) {
    const { items } = (await product.read(path)) as unknown as { items: { status: { startedAt: string; endedAt: string } }[] };
    const times = items.map(({ status }) => [Date.parse(status.startedAt), Date.parse(status.endedAt)] as const);
    const [started, ended] = times.toSorted(([a], [b]) => b - a)[0] ?? [0, 0];
    if (items.length >= count) return ended - started;
    // The server records the times, so slow polling is exact. Fast polling would take CPU time from the check.
    await systemClock.sleep(250);
  }
}

async function measureMany(run: BenchmarkRun, folder: string, bare: BareTerraform): Promise<Measurement[]> {
  await using product = await startProduct(folder, {
    ...sameProvider,
    CLOUDWRIGHT_DRIFT_CHECK: "off",
    CLOUDWRIGHT_AGENT_SLOTS: `long=${slots},short=4`,
  });
  const names = Array.from({ length: concurrent }, (_, nth) => `many-${nth}`);
  const few = awsZones.slice(0, 3);
  const ours = await time(() =>
    Promise.all(names.map((name, nth) => build(product, name, awsSpec(few, regions[nth % regions.length]), 250))),
  );
  let next = 0;
  const anchor = await time(() =>
    Promise.all(
      Array.from({ length: slots }, async () => {
        for (let name = names[next]; name !== undefined; name = names[next]) {
          next += 1;
          const variables = renderAwsVariables(name, few);
          await bare.run({ name, configuration: awsConfiguration, steps: same, variables, backend: "http" });
        }
      }),
    ),
  );
  const how = `networks with 3 zones requested at once, ${slots} concurrent runs on both sides; one round`;
  const many = compare(
    "RUNS-20",
    `${concurrent} runs requested at once, compared with ${concurrent} direct runs under the same limit`,
    [ours],
    [anchor],
    1.1,
    how,
  );
  run.note(`RUNS-20: ${many.ours.toFixed(0)} / ${many.anchor.toFixed(0)} ms, ${many.ratio.toFixed(2)}`);
  return [many];
}

const regions = ["eu-west-1", "eu-west-2", "eu-west-3", "eu-north-1", "eu-south-1"];

async function build(product: Product, name: string, spec: object, pollEveryMs = 20): Promise<void> {
  await product.create(networks, { metadata: { name }, spec });
  await product.waitForPhase(`${networks}/${name}`, "RUNNING", pollEveryMs);
}

function awsSpec(zones: readonly string[], region = awsRegion): object {
  return { account: "sim", region, zones, infra: { version: awsVersion } };
}

async function countTasks(product: Product): Promise<number> {
  const { items } = (await product.read("/v1/projects/default/tasks?pageSize=1000")) as unknown as {
    items: { spec: { type: string } }[];
  };
  return items.filter(({ spec }) => !hasAction(spec.type, "findDrift")).length;
}

function compare(
  id: string,
  what: string,
  ours: readonly number[],
  anchor: readonly number[],
  goal: number,
  how: string,
): Measurement {
  const [mine, other] = [median(ours), median(anchor)];
  return { id, what, unit: "ms", ours: mine, anchor: other, ratio: mine / other, goal, held: mine / other <= goal, how };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
