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
  /** True if the project was given on the command line. */
  readonly projectIsExplicit: boolean;
  readonly output: Output;
  readonly world: World;
}

/** Reads the common flags of a command and creates a client. Sends nothing yet. */
export async function openSession(world: World, command: Command): Promise<Session> {
  const flags = readCommonFlags(command);
  const output = createOutput(world, flags);
  const target = await resolveTarget(world, flags);
  return {
    world,
    output,
    target,
    client: connect(world, target),
    project: target.project,
    projectIsExplicit: flags.project !== undefined,
  };
}

/** Creates a client for a target. With `hurry` it fails fast instead of waiting for a server. */
export function connect(world: World, target: Pick<Target, "server" | "apiKey">, { hurry = false } = {}): Client {
  return createClient({
    server: target.server,
    apiKey: target.apiKey,
    fetch: world.fetch,
    clock: world.clock,
    userAgent: `cloud/${world.version}`,
    // About a second in total: long enough for a restarting server, short enough for a waiting user.
    ...(hurry ? { timeoutMs: 2000, retries: 0 } : { retries: 3 }),
  });
}
