import { getKind } from "@cloudwright/contract/kinds";
import type { Session } from "../connection/session.ts";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import { checkKind } from "../list-flags.ts";
import { printKey } from "../output/print-key.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { parseReferences, requireVerb, type Named } from "../references.ts";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";
import { rotateSshKey } from "../rotate-ssh-key.ts";

/** How the keys of each kind are rotated. */
const rotations: Readonly<Record<string, (session: Session, name: string, flags: FlagValues) => Promise<void>>> = {
  async ApiKey(session, name, flags) {
    if (flags["wait"] === true) throw new Fault(cliFaults.usage, "API keys are rotated at once; omit --wait");
    const entity = await session.client.apiKeys.rotate(name, { signal: session.world.signal });
    await printKey(session, { kind: getKind("ApiKey"), entity }, "rotated");
  },
  SshKey: rotateSshKey,
};

/**
 * `cloud apikey rotate ci`: replaces an API key under the same name. The old key stops working immediately. `cloud sshkey rotate ops`: replaces
 * an SSH key on all instances, without an interruption.
 */
export const configureRotate: Configure = (command, context) => {
  const { kind } = context;
  if (kind === undefined) command.argument("<kind>", "apikey or sshkey", checkKind);
  command.argument(kind === undefined ? "[name]" : "<name>", "name or uid");
  addWaitFlags(command, "all instances accept only the new SSH key");
  addExamples(command, "cloud apikey rotate ci > key.txt", "cloud sshkey rotate ops --wait");
  onServer(command, context, async (session, args, flags) => {
    const [named] = parseReferences(kind, args);
    requireVerb((named as Named).kind, "rotate");
    const [reference] = (named as Named).references;
    if (reference === undefined) throw new Fault(cliFaults.usage, "the name of the key is required");
    await rotations[(named as Named).kind.kind]?.(session, reference.name, flags);
  });
};
