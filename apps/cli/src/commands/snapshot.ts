import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument } from "../list-flags.ts";
import { conclude } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { requireReferences } from "../references.ts";

/** `cloud volume snapshot NAME --name SNAPSHOT`: copies a volume into a new snapshot. */
export const configureSnapshot: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  command.requiredOption("--name <name>", "name of the new snapshot");
  addWaitFlags(command, "the snapshot is RUNNING");
  addExamples(command, "cloud volume snapshot data --name s1 --wait");
  onServer(command, context, async (session, args, flags) => {
    const [volume, ...others] = requireReferences("snapshot", context.kind, args, {});
    if (volume === undefined || others.length > 0)
      throw new Fault(cliFaults.usage, "name one volume, because each snapshot has a name of its own");
    let accepted: string | undefined;
    const { client, project, world } = session;
    const name = flags["name"] as string;
    const entity = await client.volumeSnapshots.create(
      project,
      { metadata: { name }, spec: { volume: volume.name } },
      { signal: world.signal, onAccepted: (operation) => void (accepted = operation) },
    );
    await conclude(session, { item: { kind: getKind("VolumeSnapshot"), entity }, accepted, done: "will be created" }, flags);
  });
};
