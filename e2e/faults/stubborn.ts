import { systemClock } from "@cloudwright/platform";
import type { Client } from "./client.ts";
import type { Driver, WantedEntity } from "./driver.ts";
import type { FaultPlatform } from "./platform.ts";

/** Cancels and retries operations on the entities whose programs ignore cancellation. */
export interface StubbornStory {
  readonly counts: { ended: number; slowestSeconds: number };
  /** Resolves once each program has been cancelled and killed, and a retry with a cooperative program has started. */
  run(): Promise<void>;
}

/** Creates the story. It cancels each stubborn program once the program is running, because nothing else would end it in time. */
export function createStubbornStory(
  deps: { readonly platform: FaultPlatform; readonly client: Client; readonly driver: Driver },
  timing: { readonly cancelAfterMs: number; readonly isOver: () => boolean },
): StubbornStory {
  const { platform, client, driver } = deps;
  const counts = { ended: 0, slowestSeconds: 0 };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) {
      if (timing.isOver()) throw new Error(`a program that ignores cancellation: timed out before ${what}`);
      await systemClock.sleep(300);
    }
  };
  const isApplied = async ({ plan }: WantedEntity): Promise<boolean> => {
    const text = `select 1 from task_state t join entity e on e.uid = t.entity_uid
      where e.name = $1 and e.project = $2 and t.object ->> 'type' = 'storage.apply' and t.state = 'leased'`;
    return (await platform.query(text, [plan.name, plan.project])).length > 0;
  };
  const stateOf = async (entity: WantedEntity): Promise<string> => {
    const found = await client.send("GET", driver.pathOf(entity));
    const { operation } = (found.body as { metadata: { operation: string } }).metadata;
    const answer = await client.send("GET", `/v1/projects/${entity.plan.project}/operations/${operation}`);
    return (answer.body as { status: { state: string } }).status.state;
  };
  const play = async (entity: WantedEntity): Promise<void> => {
    // Lets the program run for a while, so that other faults affect it first.
    await systemClock.sleep(timing.cancelAfterMs);
    await until("its apply task was leased", () => isApplied(entity));
    await until("the cancellation was accepted", () => driver.cancel(entity));
    const cancelledMs = performance.now();
    let state = "";
    await until("the operation was cancelled", async () => (state = await stateOf(entity)) === "CANCELLED").catch(
      (error: unknown) => {
        throw new Error(`${String(error)}; its state is ${state}`, { cause: error });
      },
    );
    counts.slowestSeconds = Math.max(counts.slowestSeconds, Math.round((performance.now() - cancelledMs) / 100) / 10);
    // Makes the retry run a short, cooperative program. If the annotation were changed earlier, an attempt that replaces a lost one could
    // use it and finish without being cancelled.
    const annotations = { "demo.cloudwright.dev/apply": "sleep=300ms" };
    await client.send("PATCH", driver.pathOf(entity), { metadata: { annotations } });
    await driver.retry(entity);
    counts.ended += 1;
  };
  return {
    counts,
    async run() {
      await Promise.all(driver.wanted.filter(({ plan }) => plan.stubborn).map(play));
    },
  };
}
