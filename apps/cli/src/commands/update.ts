import { kinds, type Kind } from "@cloudwright/contract/kinds";
import type { Command } from "commander";
import { addExamples, onServer, type CommandContext, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addAllowFlag, readAllow, takesAllow } from "../flags/allow-flag.ts";
import { addMetadataFlags, readMetadata } from "../flags/metadata-flags.ts";
import { addRecordFlags, readRecordFlags } from "../flags/record-flags.ts";
import { addLazyCommands } from "../lazy-commands.ts";
import { cliKindOf, hasVerb } from "../kinds/registry.ts";
import { addClusterFlag, checkKind } from "../list-flags.ts";
import { printDone } from "../output/print-items.ts";
import { parseName, requireKind, requireVerb } from "../references.ts";
import { conclude } from "../operations/conclude.ts";
import { addPreviewFlag, preview } from "../operations/preview.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { Fault } from "@cloudwright/platform/fault";

/** `cloud cluster update dev --workers 3`: changes only the given fields. */
export const configureUpdate: Configure = async (command, context) => {
  const { kind } = context;
  if (kind === undefined) {
    command.argument("[kind]", "kind to change; `cloud update KIND --help` shows its flags", checkKind).allowExcessArguments();
    addExamples(command, "cloud update cluster dev --workers 3");
    addKindCommands(command, context);
    return onServer(command, context, async (_session, [word]) => {
      if (word !== undefined) requireVerb(requireKind(word), "update");
      throw new Fault(cliFaults.usage, "a kind and a name are required: cloud update KIND NAME --field value");
    });
  }
  const [{ listSpecFlags }, { addSpecFlags }] = await Promise.all([
    import("../flags/spec-flags.ts"),
    import("../flags/add-spec-flags.ts"),
  ]);
  command.argument("<name>", "name or uid").option("--dry-run", "validate on the server without storing anything");
  addMetadataFlags(command);
  addSpecFlags(
    command,
    listSpecFlags(kind.kind).filter((flag) => !flag.isImmutable),
    { canClear: true },
  );
  addClusterFlag(command, kind);
  if (takesAllow(kind)) addAllowFlag(command);
  const { hasPreview, updateExamples = [], recordFlags } = cliKindOf(kind);
  addRecordFlags(command, recordFlags);
  if (hasPreview === true) addPreviewFlag(command);
  addWaitFlags(command, "the entity is RUNNING again");
  addExamples(command, `cloud ${kind.words[0]} update NAME --label tier=prod --label old-`, ...updateExamples);
  onServer(command, context, (session, args, flags) => update(session, kind, args[0] as string, flags));
};

async function update(session: Session, kind: Kind, text: string, flags: FlagValues): Promise<void> {
  const [{ listSpecFlags }, { readSpec }] = await Promise.all([
    import("../flags/spec-flags.ts"),
    import("../flags/read-spec.ts"),
  ]);
  const { name, cluster } = parseName(kind, text, flags["cluster"] as string | undefined);
  const given = await readSpec(session.world, listSpecFlags(kind.kind), flags);
  const spec = readRecordFlags(given, cliKindOf(kind).recordFlags, flags);
  const metadata = readMetadata(flags);
  const patch = {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  if (Object.keys(patch).length === 0) throw new Fault(cliFaults.usage, "specify at least one field to change");
  if (flags["preview"] === true) return preview(session, kind, name, patch, flags);
  const dryRun = flags["dryRun"] === true;
  let accepted: string | undefined;
  const onAccepted = (operation: string): void => void (accepted = operation);
  const options = { dryRun, ...readAllow(kind, flags), signal: session.world.signal, onAccepted };
  const entity = await resourceOf(session, kind, cluster).patch(name, patch, options);
  const item = { kind, cluster, entity };
  if (dryRun) await printDone(session, item, "would be changed (dry run)");
  else await conclude(session, { item, accepted, done: "changed" }, flags);
}

function addKindCommands(command: Command, context: CommandContext): void {
  const changeable = kinds.filter(({ kind }) => hasVerb(kind, "update"));
  addLazyCommands(
    command,
    changeable.map((kind: Kind) => ({
      name: kind.words[0] as string,
      aliases: [...kind.words.slice(1), kind.collection],
      summary: `change an entity of kind ${kind.kind}`,
      load: async () => (sub: Command, inner: CommandContext) => configureUpdate(sub, { ...inner, kind }),
    })),
    context,
  );
}
