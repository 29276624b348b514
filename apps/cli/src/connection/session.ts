import { createClient, type Client } from "@cloudwright/api-client";
import type { Command } from "commander";
import { readCommonFlags } from "../common-flags.ts";
import { createOutput, type Output } from "../output/output.ts";
import type { World } from "../world.ts";
import { resolveTarget, type Target } from "./target.ts";

/** The dependencies of a command that calls the server. */
export interface Session {
  readonly client: Client;
  readonly target: Target;
  readonly project: string;
  /** True if the user passed `--project`. */
  readonly projectIsExplicit: boolean;
  readonly output: Output;
  readonly world: World;
  /** Time that the command has spent waiting for operations. `--timeout` limits the total, not each wait. */
  readonly waited: { totalMs: number };
}

/** Creates a session from a command's common flags. Does not send a request yet. */
export async function openSession(world: World, command: Command): Promise<Session> {
  const flags = readCommonFlags(command);
  const output = createOutput(world, flags);
  const target = await resolveTarget(world, flags);
  return {
    world,
    output,
    target,
    client: connect(world, target, { onWarning: createWarner(world, output) }),
    project: target.project,
    projectIsExplicit: flags.project !== undefined,
    waited: { totalMs: 0 },
  };
}

/** Prints each server warning only once. Otherwise, a request that follows a dry run would repeat the warnings of the dry run. */
function createWarner(world: World, { isQuiet }: Output): (warning: string) => void {
  const printed = new Set<string>();
  return (warning) => {
    if (isQuiet || printed.has(warning)) return;
    printed.add(warning);
    world.stderr.write(`warning: ${warning}\n`);
  };
}

interface ConnectOptions {
  /** If true, uses a short timeout and no retries. */
  readonly hurry?: boolean;
  readonly onWarning?: (warning: string) => void;
}

/** Creates an API client. */
export function connect(
  world: World,
  target: Pick<Target, "server" | "apiKey">,
  { hurry = false, onWarning }: ConnectOptions = {},
): Client {
  return createClient({
    server: target.server,
    apiKey: target.apiKey,
    fetch: world.fetch,
    clock: world.clock,
    userAgent: `cloud/${world.version}`,
    onWarning,
    // Three retries take about a second in total. That covers a server restart without keeping the user waiting.
    ...(hurry ? { timeoutMs: 2000, retries: 0 } : { retries: 3 }),
  });
}
