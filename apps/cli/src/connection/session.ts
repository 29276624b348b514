import { createClient, type Client } from "@cloudwright/api-client";
import type { Command } from "commander";
import { readCommonFlags } from "../common-flags.ts";
import { createOutput, type Output } from "../output/output.ts";
import type { World } from "../world.ts";
import { resolveTarget, type Target } from "./target.ts";

/** What a command that talks to the server works with. */
export interface Session {
  readonly client: Client;
  readonly target: Target;
  readonly project: string;
  /** True when the project was named on the command line. */
  readonly projectIsExplicit: boolean;
  readonly output: Output;
  readonly world: World;
}

/** Reads the common flags of a command and gets ready to call the server; nothing is sent yet. */
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

/** A client for a target; one in a hurry answers for itself instead of waiting for a server. */
export function connect(world: World, target: Pick<Target, "server" | "apiKey">, { hurry = false } = {}): Client {
  return createClient({
    server: target.server,
    apiKey: target.apiKey,
    fetch: world.fetch,
    clock: world.clock,
    userAgent: `cloud/${world.version}`,
    // About a second in all: long enough for a server that restarts, short enough for somebody who waits.
    ...(hurry ? { timeoutMs: 2000, retries: 0 } : { retries: 3 }),
  });
}
