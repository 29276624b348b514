import type { Command } from "commander";
import { join, resolve } from "node:path";
import type { FlagValues } from "../../command-context.ts";
import type { World } from "../../world.ts";

/** Adds the flag that names the folder of the agent. */
export function addAgentFlag(command: Command): Command {
  return command.option(
    "--agent-dir <path>",
    "folder of this machine's agent (default: CLOUDWRIGHT_AGENT_DIR, or `agent` in the home directory)",
  );
}

/** Returns the folder in which this machine's agent stores everything that it hosts. */
export function findHostFolder({ environment, home }: World, flags: FlagValues): string {
  const given = flags["agentDir"] as string | undefined;
  return join(resolve(given ?? (environment["CLOUDWRIGHT_AGENT_DIR"] || join(home, "agent"))), "host");
}
