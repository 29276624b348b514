import { systemClock, type AgentConfig } from "@cloudwright/platform";
import { joinAgent, release } from "@cloudwright/task-client";
import type { CommandDeps } from "./run-agent.ts";

/** Joins with the one-time token, or confirms that the agent has already joined, and exits. */
export async function joinOnly({ log, shutdown, print }: CommandDeps, config: AgentConfig): Promise<void> {
  const { name, uid, project } = await joinAgent(
    { log, clock: systemClock },
    { ...config, version: release, signal: shutdown.signal },
  );
  print(`cloudwright-agent ${name} (${uid}) belongs to project ${project} on ${config.server}`);
  await shutdown.close("joined");
}
