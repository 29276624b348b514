import { Fault, type Clock, type Logger, type Secret } from "@cloudwright/platform";
import { pause, pauseMs } from "./back-off.ts";
import { taskClientFaults } from "./faults.ts";
import { createIdentity, findIdentity, saveIdentity, type AgentIdentity } from "./identity.ts";
import { createWire } from "./wire.ts";

export interface JoinOptions {
  readonly server: string;
  readonly name: string;
  readonly directory: string;
  readonly version: string;
  /** Called only if the directory contains no identity. */
  readonly joinToken: (() => Promise<Secret | undefined> | Secret | undefined) | undefined;
  readonly signal: AbortSignal;
}

const joinTimeoutMs = 10_000;

/**
 * Returns the identity from the directory, or joins the server with the one-time token. If the response to a join is lost, the join is
 * repeated with the same key, so that the server recognises the agent.
 */
export async function joinAgent(deps: { log: Logger; clock: Clock }, options: JoinOptions): Promise<AgentIdentity> {
  const { directory, name, version, signal } = options;
  const found = findIdentity(directory);
  if (found !== undefined && found.uid !== "") return found;
  const token = await options.joinToken?.();
  if (token === undefined) throw new Fault(taskClientFaults.not_joined, `agent ${name} has not joined ${options.server} yet`);
  const pending = found?.name === name ? found : await createIdentity(directory, name);

  const wire = createWire(options);
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        const request = { joinToken: token.reveal(), name, publicKey: JSON.stringify(pending.publicKey), version };
        const { metadata } = await wire.join(request, { timeoutMs: joinTimeoutMs, signal });
        const identity = { ...pending, uid: metadata?.uid ?? "", project: metadata?.project ?? "" };
        saveIdentity(directory, identity);
        return identity;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Fault) || error.code !== taskClientFaults.unreachable.code) throw toJoinFault(error, name);
        deps.log.warn({ err: error, server: options.server }, "cannot join yet");
        await pause(deps.clock, pauseMs(tries), signal);
      }
    }
  } finally {
    wire.close();
  }
}

function toJoinFault(error: unknown, name: string): unknown {
  if (!(error instanceof Fault)) return error;
  return new Fault(taskClientFaults.join_refused, `agent ${name} cannot join: ${error.message}`, { cause: error });
}
