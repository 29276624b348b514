import { Fault } from "@cloudwright/platform/fault";
import { trimEnd } from "@cloudwright/platform/trim-end";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";
import { readConfig, type Config } from "./config-file.ts";
import { findLocalServer } from "./local-server.ts";

/** The server to call, the API key and the project. */
export interface Target {
  readonly server: string;
  readonly apiKey: string | undefined;
  readonly project: string;
  /** The name of the context that the target comes from, if any. */
  readonly context: string | undefined;
}

export interface TargetFlags {
  readonly server?: string | undefined;
  readonly context?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * Resolves the target from flags, environment variables, the current context, and the server that uses this home directory, in that order.
 * A saved API key is sent only to the server it was saved for.
 */
export async function resolveTarget(world: Pick<World, "environment" | "home">, flags: TargetFlags): Promise<Target> {
  const config = await readConfig(world.home);
  const name = flags.context ?? config.currentContext;
  const context = name === undefined ? undefined : config.contexts[name];
  if (flags.context !== undefined && context === undefined) {
    throw new Fault(cliFaults.no_context, `there is no context "${flags.context}"`);
  }
  const local = findLocalServer(world.home);
  const { CLOUDWRIGHT_SERVER: fromEnvironment, CLOUDWRIGHT_API_KEY: key, CLOUDWRIGHT_PROJECT: project } = world.environment;
  const contextServer = flags.context === undefined ? undefined : context?.server;
  const server = flags.server || contextServer || fromEnvironment || context?.server || local?.address;
  if (server === undefined) throw new Fault(cliFaults.no_server, "no server is configured");
  const usesContext = context !== undefined && sameServer(context.server, server);
  const localKey = local !== undefined && sameServer(local.address, server) ? local.adminKey : undefined;
  return {
    server,
    apiKey: key || (usesContext ? context.apiKey : findKey(config, server)) || localKey,
    project: flags.project || project || (usesContext ? context.project : undefined) || "default",
    context: usesContext ? name : undefined,
  };
}

function findKey(config: Config, server: string): string | undefined {
  return Object.values(config.contexts).find((entry) => entry.apiKey !== undefined && sameServer(entry.server, server))?.apiKey;
}

function sameServer(a: string, b: string): boolean {
  return normalise(a) === normalise(b);
}

function normalise(server: string): string {
  return URL.canParse(server) ? trimEnd(new URL(server).href, "/") : server;
}
