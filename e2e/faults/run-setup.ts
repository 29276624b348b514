import { systemClock } from "@cloudwright/platform";
import { checkDatabase, countWork, installAudit, readPositions } from "./check-database.ts";
import { checkJournal } from "./check-journal.ts";
import { createClient } from "./client.ts";
import { waitUntilSettled } from "./convergence.ts";
import { createDriver } from "./driver.ts";
import type { FaultPlatform } from "./platform.ts";
import { createInjector } from "./injector.ts";
import { planFaults } from "./plan-faults.ts";
import { planTrees, projects } from "./plan-trees.ts";
import { createRandom } from "@cloudwright/platform/testing";
import { joinRogueAgent } from "./rogue-agent.ts";
import { createStubbornStory } from "./stubborn.ts";
import { startWitness, type Witness } from "./witness.ts";

export interface SetupOptions {
  readonly seed: number;
  readonly withinMs: number;
  readonly provisionings: number;
  readonly note: (line: string) => void;
}

/** Counts for the report, and all violations that were found. */
export interface SetupReport {
  readonly counts: Record<string, unknown>;
  readonly broken: readonly string[];
}

const settleWithinMs = 480_000;
const goneWithinMs = 15_000;

/** Injects faults into a platform while it provisions entities. Waits until it has recovered and checks the result. */
export async function runSetup(platform: FaultPlatform, options: SetupOptions): Promise<SetupReport> {
  const { seed, withinMs, note } = options;
  const random = createRandom(seed);
  const trees = planTrees(random.fork(), options);
  const faults = planFaults(random.fork(), withinMs, platform.agents().length);
  const endMs = performance.now() + withinMs + settleWithinMs;
  const isOver = (): boolean => performance.now() > endMs;
  const broken: string[] = [];

  await installAudit(platform);
  const client = createClient(platform, isOver);
  for (const name of projects.slice(1)) await client.send("POST", "/v1/projects", { metadata: { name } });
  const twin = await platform.startTwin();
  const twinRefused = twin.code === 1 && twin.output.includes("task_client.already_running");
  if (!twinRefused) broken.push(`a second agent in the same directory was not rejected: ${twin.code} ${twin.output.slice(-300)}`);
  const witness = startWitness(platform);
  const rogue = await joinRogueAgent(platform, client);
  const driver = createDriver(client, trees);
  const stubborn = createStubbornStory({ platform, client, driver }, { cancelAfterMs: withinMs * 0.7, isOver });
  const injector = createInjector({ platform, witness, vanish: () => rogue.vanish(), note }, faults, withinMs);

  const stories = stubborn.run().catch((error: unknown) => void broken.push(String(error)));
  const driving = driver.run().catch((error: unknown) => void broken.push(`the driver: ${String(error)}`));
  await injector.run();
  broken.push(...injector.broken);
  note("all faults are over");
  await driving;
  note("all requests were made");
  await stories;
  const { seconds, unsettled } = await waitUntilSettled(platform, driver, settleWithinMs);
  broken.push(...unsettled);
  note(`settled after ${seconds} s, ${unsettled.length} entities do not match their request`);

  await waitUntilGone(() => witness.children().length === 0);
  broken.push(...witness.children().map(({ pid, commandLine }) => `orphan ${pid}: ${commandLine}`));
  broken.push(...(await checkDatabase(platform)));
  const journal = checkJournal(platform.journal, await readPositions(platform));
  broken.push(...journal.overlaps.map((text) => `ran twice at once: ${text}`));
  broken.push(...journal.disorder.map((text) => `out of order: ${text}`));
  if (rogue.counts.staleAccepted > 0) broken.push(`${rogue.counts.staleAccepted} stale completions were accepted`);
  broken.push(...client.surprises.map((text) => `surprise: ${text}`));
  const work = await countWork(platform);
  await platform.stop();
  broken.push(...(await findLeftovers(witness)));
  const counts = {
    ...driver.counts,
    ...work,
    resent: client.resent(),
    programs: journal.runs,
    programsKilled: journal.killed,
    faults: injector.counts,
    twinsRefused: twinRefused ? 1 : 0,
    ...rogue.counts,
    cancelIgnoredAndEnded: stubborn.counts.ended,
    settledSeconds: seconds,
    notAsAsked: unsettled.length,
    ranTwiceAtOnce: journal.overlaps.length,
    outOfOrder: journal.disorder.length,
    broken: broken.length,
  };
  return { counts, broken };
}

async function findLeftovers(witness: Witness): Promise<string[]> {
  await waitUntilGone(() => witness.leftovers().length === 0);
  const left = witness.leftovers().map(({ pid, commandLine }) => `left running: ${pid} ${commandLine}`);
  await witness.close();
  return left;
}

async function waitUntilGone(isGone: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + goneWithinMs;
  while (!isGone() && performance.now() < deadlineMs) await systemClock.sleep(100);
}
