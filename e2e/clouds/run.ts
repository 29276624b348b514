import { processEnvironment } from "@cloudwright/platform";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { cleanUp, RunRecords } from "./clean-up.ts";
import { runStory } from "./story.ts";
import { clouds, estimatePrice } from "./targets.ts";

/** npm run test:clouds. See `usage`. */
const usage = `Usage: npm run test:clouds -- --cloud aws|gcp|azure [options]

Runs the library's contract against a real account: one cluster with the smallest nodes, a second pool, one machine. Prints the estimated price
and asks before anything is created. Everything has the tag cloudwright-test and is deleted at the end, also after a failure or Ctrl-C.

Options:
  --cloud NAME  aws, gcp or azure
  --upgrade     also upgrade the cluster by one minor version
  --clean-up    create nothing; delete what earlier runs left, found by tag
  --records DIR where the names of runs are kept until everything is deleted (default: .cache/test-clouds)
  --yes         do not ask
  --help        print this text

${Object.entries(clouds)
  .map(([name, { needs, help }]) => `${name}: ${needs.join(", ")} are required. ${help}`)
  .join("\n")}`;

const { values } = parseArgs({
  options: {
    cloud: { type: "string" },
    upgrade: { type: "boolean", default: false },
    "clean-up": { type: "boolean", default: false },
    records: { type: "string", default: join(import.meta.dirname, "../../.cache/test-clouds") },
    yes: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const cloud = clouds[values.cloud ?? ""];
if (cloud === undefined) refuse(`--cloud must be one of ${Object.keys(clouds).join(", ")}`);
const missing = cloud.needs.filter((name) => !processEnvironment[name]);
if (missing.length > 0) refuse(`set ${missing.join(", ")}. ${cloud.help}`);

const target = cloud.open(processEnvironment, {});
const records = new RunRecords(join(values.records, target.library.cloud));
if (values["clean-up"]) {
  await confirm(`Delete all clusters and machines with the tag cloudwright-test in ${target.library.cloud}?`);
  await finish(() => cleanUp(target.library, records, { note }));
}

const name = `cw-test-${randomInt(36 ** 6)
  .toString(36)
  .padStart(6, "0")}`;
note(`estimated price: ${estimatePrice(target, values.upgrade).toFixed(2)} US dollars at list prices, without disks and traffic`);
await confirm(`Create the cluster and the machine ${name} in ${target.library.cloud}?`);
const stop = new AbortController();
let interrupts = 0;
process.on("SIGINT", () => {
  interrupts += 1;
  if (interrupts > 1) refuse("stopped before everything was deleted; run this command again with --clean-up");
  note("stopping and deleting everything (press Ctrl-C again to stop without deleting)");
  stop.abort(new Error("stopped by Ctrl-C"));
});
process.on("SIGTERM", () => stop.abort(new Error("stopped by a signal")));
await finish(async () => {
  await records.add(name);
  try {
    await runStory(target, { name, upgrade: values.upgrade, signal: stop.signal, note });
    note("every step succeeded");
  } finally {
    await cleanUp(target.library, records, { run: name, note });
  }
});

async function finish(work: () => Promise<void>): Promise<never> {
  try {
    await work();
    await target.library.close();
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

async function confirm(question: string): Promise<void> {
  if (values.yes) return;
  if (!process.stdin.isTTY) refuse("--yes is required without a terminal");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) refuse("nothing was created");
}

function note(line: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s ${line}\n`);
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
