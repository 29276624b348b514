import type { AnyEntity } from "@cloudwright/api-client";
import { kinds, type Kind } from "@cloudwright/contract/kinds";
import { Option, type Command } from "commander";
import { addExamples, onServer, type CommandContext, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { readDocuments } from "../documents.ts";
import { resourceOf } from "../entities.ts";
import { addMetadataFlags, readMetadata } from "../flags/metadata-flags.ts";
import { addRecordFlags, readRecordFlags } from "../flags/record-flags.ts";
import { cliFaults } from "../faults.ts";
import { addLazyCommands } from "../lazy-commands.ts";
import { cliKindOf, hasVerb } from "../kinds/registry.ts";
import { addClusterFlag, checkKind } from "../list-flags.ts";
import { itemName, type Item } from "../output/item.ts";
import { printDone, printItems } from "../output/print-items.ts";
import { printKey } from "../output/print-key.ts";
import { parseName, requireKind, requireVerb } from "../references.ts";
import { conclude, settle, type Change } from "../operations/conclude.ts";
import { addPreflightFlag, hasPreflight, preflight } from "../operations/preflight.ts";
import { addPreviewFlag, previewCreation } from "../operations/preview.ts";
import { addWaitFlags, readWait } from "../operations/wait.ts";
import { Fault } from "@cloudwright/platform/fault";

/** `cloud cluster create NAME --flags`, `cloud create cluster NAME --flags` or `cloud create -f FILE`: creates entities. */
export const configureCreate: Configure = async (command, context) => {
  const { kind } = context;
  command.option("-f, --file <path>", "create entities from a file, a directory or standard input (-)", collect);
  command.option("--dry-run", "validate on the server without storing anything");
  addWaitFlags(command, "all new entities are RUNNING");
  if (kind === undefined || hasPreflight(kind)) addPreflightFlag(command);
  if (kind !== undefined) await configureKindCreate(command, kind);
  else {
    command.argument("[kind]", "kind to create; `cloud create KIND --help` shows its flags", checkKind).allowExcessArguments();
    addExamples(command, "cloud create -f cluster.yaml", "cloud create cluster dev --network main --workers 2");
    addKindCommands(command, context);
  }
  onServer(command, context, async (session, args, flags) => {
    if (flags["file"] !== undefined) return createFromFiles(session, flags, kind, args);
    if (kind === undefined) return refuse(args);
    await createFromFlags(session, kind, args, flags);
  });
};

async function configureKindCreate(command: Command, kind: Kind): Promise<void> {
  const [{ listSpecFlags }, { addSpecFlags }] = await Promise.all([
    import("../flags/spec-flags.ts"),
    import("../flags/add-spec-flags.ts"),
  ]);
  command.argument("[name]", "name of the new entity");
  command.option("--name <name>", "same as the NAME argument");
  addMetadataFlags(command);
  addSpecFlags(command, listSpecFlags(kind.kind));
  const { hasPreview, networkByCloudId, createExamples, flagAliases = {}, recordFlags } = cliKindOf(kind);
  addRecordFlags(command, recordFlags);
  for (const [alias, flag] of Object.entries(flagAliases)) addAlias(command, alias, flag);
  if (hasPreview === true) addPreviewFlag(command);
  // Keeps `--vpc` as an alias of `--network` for existing scripts.
  if (networkByCloudId === true)
    command.option("--vpc <name>", "same as --network; also accepts the cloud id (vpc-...) of one of your networks");
  addClusterFlag(command, kind);
  addExamples(
    command,
    ...(createExamples ?? [`cloud ${kind.words[0]} create NAME`]),
    `cloud ${kind.words[0]} create -f ${kind.words[0]}.yaml --dry-run`,
  );
}

function addKindCommands(command: Command, context: CommandContext): void {
  const creatable = kinds.filter(({ kind }) => hasVerb(kind, "create"));
  addLazyCommands(
    command,
    creatable.map((kind: Kind) => ({
      name: kind.words[0] as string,
      aliases: [...kind.words.slice(1), kind.collection],
      summary: `create an entity of kind ${kind.kind}`,
      load: async () => (sub: Command, inner: CommandContext) => configureCreate(sub, { ...inner, kind }),
    })),
    context,
  );
}

function refuse([word]: readonly string[]): never {
  if (word === undefined) throw new Fault(cliFaults.usage, "specify a kind, or a file with -f");
  const kind = requireKind(word);
  requireVerb(kind, "create");
  throw new Fault(cliFaults.usage, `flags must follow the kind: cloud create ${kind.words[0]} ...`);
}

async function createFromFlags(session: Session, kind: Kind, args: readonly string[], flags: FlagValues): Promise<void> {
  const [{ listSpecFlags }, { readSpec }] = await Promise.all([
    import("../flags/spec-flags.ts"),
    import("../flags/read-spec.ts"),
  ]);
  const given = [args[0], flags["name"]].filter((name) => name !== undefined) as string[];
  if (given.length !== 1)
    throw new Fault(cliFaults.usage, given.length === 0 ? "a name is required" : "specify the name only once");
  const { name, cluster } = parseName(kind, given[0] as string, flags["cluster"] as string | undefined);
  const { networkByCloudId, flagAliases = {}, recordFlags } = cliKindOf(kind);
  const named = useAliases(flagAliases, flags);
  const values = networkByCloudId === true ? await useVpc(session, named) : named;
  const spec = readRecordFlags(await readSpec(session.world, listSpecFlags(kind.kind), values), recordFlags, flags);
  const entity = { metadata: { name, ...readMetadata(flags) }, spec };
  if (flags["preflight"] === true) return preflight(session, [{ kind, cluster, entity }], flags);
  if (flags["preview"] === true) return previewCreation(session, { kind, entity }, flags);
  const change = await createOne(session, { kind, cluster, entity }, flags);
  if (change !== undefined) await conclude(session, change, flags);
}

/** Adds a short name for another flag. If the flag can be repeated, so can its short name. */
function addAlias(command: Command, alias: string, flag: string): void {
  const option = command.options.find(({ long }) => long === `--${flag}`);
  const copy = new Option(`--${alias} ${option?.flags.split(" ")[1] ?? ""}`, `same as --${flag}`).helpGroup("Spec options:");
  command.addOption(option?.parseArg === undefined ? copy : copy.argParser(option.parseArg));
}

function useAliases(aliases: Readonly<Record<string, string>>, flags: FlagValues): FlagValues {
  const values: Record<string, unknown> = { ...flags };
  for (const [alias, flag] of Object.entries(aliases)) {
    const [from, to] = [toKey(alias), toKey(flag)];
    if (values[from] === undefined) continue;
    if (values[to] !== undefined)
      throw new Fault(cliFaults.usage, `--${alias} and --${flag} are the same flag; use only one of them`);
    values[to] = values[from];
  }
  return values;
}

function toKey(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

async function useVpc(session: Session, flags: FlagValues): Promise<FlagValues> {
  if (flags["vpc"] === undefined) return flags;
  if (flags["network"] !== undefined)
    throw new Fault(cliFaults.usage, "--vpc and --network are the same flag; use only one of them");
  const { resolveVpc } = await import("../flags/resolve-vpc.ts");
  return { ...flags, network: await resolveVpc(session, flags["vpc"] as string) };
}

async function createFromFiles(
  session: Session,
  flags: FlagValues,
  kind: Kind | undefined,
  args: readonly string[],
): Promise<void> {
  if (args.length > 0) throw new Fault(cliFaults.usage, "use either a name or a file, not both");
  const documents = await readDocuments(session.world, flags["file"] as string[]);
  const other = documents.find((document) => kind !== undefined && document.kind !== kind);
  if (other !== undefined)
    throw new Fault(
      cliFaults.bad_file,
      `${other.source} has kind ${other.kind.kind}, but this command creates only ${kind?.collection}`,
    );
  if (flags["preflight"] === true) return preflight(session, documents, flags);
  if (flags["preview"] === true) {
    for (const document of documents)
      await previewCreation({ ...session, project: document.project ?? session.project }, document, flags);
    return;
  }
  const wait = readWait(flags);
  const changes: Change[] = [];
  for (const document of documents) {
    const change = await createOne(session, document, flags);
    if (change === undefined) continue;
    changes.push(change);
    if (wait === undefined) await conclude(session, change, flags);
    else session.output.note(`${itemName(change.item)} created`);
  }
  if (wait === undefined) return;
  const { items, trouble } = await settle(session, changes, flags);
  await printItems(session, items, { asList: items.length > 1 });
  if (trouble !== undefined) throw trouble;
}

/** Creates one entity. Returns undefined if the result has already been printed. */
async function createOne(
  session: Session,
  {
    kind,
    cluster,
    entity,
    project,
  }: { kind: Kind; cluster?: string | undefined; entity: AnyEntity; project?: string | undefined },
  flags: FlagValues,
): Promise<Change | undefined> {
  requireVerb(kind, "create");
  const dryRun = flags["dryRun"] === true;
  let accepted: string | undefined;
  const options = { dryRun, signal: session.world.signal, onAccepted: (operation: string) => void (accepted = operation) };
  const stored = await resourceOf(session, kind, cluster, project).create(entity, options);
  const item: Item = { kind, cluster, entity: stored };
  if (!dryRun && cliKindOf(kind).printsKey !== true) return { item, project, accepted, done: "created" };
  if (dryRun) await printDone(session, item, "would be created (dry run)");
  else await printKey(session, item, "created");
  return undefined;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
