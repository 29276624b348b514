import { systemClock } from "@cloudwright/platform";
import { randomUUID } from "node:crypto";
import type { Client } from "./client.ts";
import { joinAgent } from "./join-agent.ts";
import type { FaultPlatform } from "./platform.ts";

/** An agent that leases tasks, goes silent, and reports results after its leases have expired. */
export interface RogueAgent {
  /** Leases tasks, lets the leases expire, and then tries to complete the tasks. */
  vanish(): Promise<void>;
  readonly counts: { vanished: number; staleTried: number; staleAccepted: number };
}

interface Lease {
  readonly uid: string;
  readonly leaseToken: string;
}

const goneWithinMs = 60_000;

/** Joins the platform as an agent that supports every task. */
export async function joinRogueAgent(platform: FaultPlatform, client: Client): Promise<RogueAgent> {
  const { signToken } = await joinAgent(client, "system", "rogue");
  const counts = { vanished: 0, staleTried: 0, staleAccepted: 0 };

  const call = async (path: string, body: object): Promise<Record<string, unknown> | undefined> => {
    for (let tries = 0; tries < 60; tries += 1) {
      const { address } = platform.servers[tries % platform.servers.length] as { address: string };
      try {
        // Tokens must match the server's clock, which may have jumped.
        const { headers } = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(5000) });
        const token = signToken(Math.floor(Date.parse(headers.get("date") ?? "") / 1000));
        const response = await fetch(address + path, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(20_000),
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as Record<string, unknown>;
      } catch {
        // The server was killed. Another server responds on the next attempt, or this one restarts.
      }
      await systemClock.sleep(300);
    }
    return undefined;
  };
  const finish = async (lease: Lease): Promise<void> => {
    const answer = await call("/v1/worker/finish", { ...lease, outcome: "done", outputs: { stale: true } });
    if (answer === undefined) return;
    counts.staleTried += 1;
    if (answer["accepted"] === true) counts.staleAccepted += 1;
  };
  const isHeld = async ({ uid: task, leaseToken }: Lease): Promise<boolean> => {
    const text = "select 1 from task_line where task_uid = $1 and lease_token = $2";
    return (await platform.query(text, [task, leaseToken])).length > 0;
  };
  const comeBackLate = async (lease: Lease): Promise<void> => {
    counts.vanished += 1;
    await finish({ ...lease, leaseToken: randomUUID() });
    const deadlineMs = performance.now() + goneWithinMs;
    while (await isHeld(lease)) {
      if (performance.now() > deadlineMs) throw new Error("a lease without renewals did not expire within a minute");
      await systemClock.sleep(500);
    }
    await finish(lease);
    const beat = await call("/v1/worker/heartbeat", { tasks: [{ ...lease, progressPercent: 1 }] });
    const [task] = (beat?.["tasks"] ?? []) as { renewed?: boolean }[];
    if (task?.renewed === true) counts.staleAccepted += 1;
  };
  return {
    counts,
    async vanish() {
      const answer = await call("/v1/worker/tasks", {
        longLane: 1,
        shortLane: 1,
        labels: { cloud: "*", account: "*", region: "*" },
        types: ["*"],
        minPayloadVersion: 1,
        maxPayloadVersion: 2,
        version: "0.1.0",
        waitSeconds: 5,
      });
      await Promise.all(
        ((answer?.["tasks"] ?? []) as Lease[]).map(({ uid: task, leaseToken }) => comeBackLate({ uid: task, leaseToken })),
      );
    },
  };
}
