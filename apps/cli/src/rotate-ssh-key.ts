import type { EntityByKind } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import type { FlagValues } from "./command-context.ts";
import type { Session } from "./connection/session.ts";
import { cliFaults } from "./faults.ts";

type SshKey = EntityByKind["SshKey"];

const pauseMs = 1000;
const defaultTimeoutMs = 30 * 60_000;

/** Starts the replacement of an SSH key, or continues to wait for one in progress. Prints each change of its progress. */
export async function rotateSshKey(session: Session, name: string, flags: FlagValues): Promise<void> {
  const { client, output, project, world } = session;
  let key: SshKey = await client.sshKeys.rotate(project, name, { signal: world.signal });
  if (flags["wait"] !== true)
    return output.done(`SSH key ${name} is being replaced; follow it with: cloud sshkey rotate ${name} --wait`);
  const untilMs = world.clock.now() + ((flags["timeout"] as number | undefined) ?? defaultTimeoutMs);
  let told = "";
  while (key.status?.rotation !== undefined) {
    const { message = "" } = key.status;
    if (message !== told) output.note(message);
    told = message;
    if (world.clock.now() >= untilMs)
      throw new Fault(cliFaults.key_not_rotated, `the replacement of SSH key ${name} is not complete: ${message}`);
    await world.clock.sleep(pauseMs, world.signal);
    key = await client.sshKeys.get(project, name, { signal: world.signal });
  }
  output.done(`SSH key ${name} was replaced on all instances`);
}
