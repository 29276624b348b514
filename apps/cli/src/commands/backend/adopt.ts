import type { BackendUseJson } from "@cloudwright/contract/gen/cloudwright/v1/backend_pb.ts";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { cliFaults } from "../../faults.ts";
import { renderPlace } from "../../kinds/backend.ts";
import { checkKind } from "../../list-flags.ts";
import { printDone } from "../../output/print-items.ts";
import { parseReferences, requireVerb } from "../../references.ts";
import { isUid } from "../../stack-uid.ts";
import { confirmRepair } from "../state/repair.ts";

/**
 * `cloud backend adopt NAME KIND/NAME...`: allows entities that were created by earlier releases to keep their states in an external
 * backend. Creates the backend with the entities' settings, or adds the entities to an existing backend.
 */
export const configureBackendAdopt: Configure = (command, context) => {
  if (context.kind === undefined) command.argument("<kind>", "backend", checkKind);
  command.argument("<name>", "name of the backend to create or to extend");
  command.argument("<entities...>", "KIND/NAME of entities in the current project, or uids of entities in any project");
  command.option("-y, --yes", "skip the confirmation; required if there is no terminal");
  command.option("--dry-run", "validate without storing anything");
  addExamples(
    command,
    "cloud backend uses --unlisted",
    "cloud backend adopt states network/main cluster/main -p team-a",
    "cloud backend update states --password-file password.txt",
  );
  onServer(command, context, async (session, args, flags) => {
    const [word = "", ...rest] = args;
    if (context.kind === undefined) requireVerb(parseReferences(undefined, [word])[0]?.kind ?? getKind("Backend"), "adopt");
    const [name = "", ...entities] = context.kind === undefined ? rest : args;
    const uses = await requireUses(session, entities);
    const existing = await findBackend(session, name);
    const shared = requireSameStore(name, uses, existing?.spec);
    const places = uses.map((use) => `${nameUse(use)} at ${use.location}`).join(", ");
    const question = `Backend ${name} (${shared.type} ${renderPlace(shared)}) will store the Terraform states of ${places}. Their runs will have access to the backend's secrets. Continue?`;
    await confirmRepair(session, { entity: `backend/${name}`, what: "nothing was adopted", question }, flags);
    const options = { signal: session.world.signal, dryRun: flags["dryRun"] === true };
    const kept = Object.fromEntries(uses.map(({ uid = "", location = "" }) => [uid, location]));
    const projects = [...new Set([...(existing?.spec?.projects ?? []), ...uses.map(({ project = "" }) => project)])];
    const keptLocations = { ...existing?.spec?.keptLocations, ...kept };
    const { backends } = session.client;
    const entity =
      existing === undefined
        ? await backends.create({ metadata: { name }, spec: { ...shared, projects, keptLocations } }, options)
        : await backends.patch(
            name,
            { metadata: { resourceVersion: existing.metadata.resourceVersion }, spec: { projects, keptLocations } },
            options,
          );
    const done = existing === undefined ? "created" : "updated";
    await printDone(session, { kind: getKind("Backend"), entity }, flags["dryRun"] === true ? `${done} (dry run)` : done);
    for (const use of uses) session.output.note(`${nameUse(use)} keeps its state at ${use.location}`);
    if ((entity.status?.secretsSet ?? []).length === 0)
      session.output.note(
        "the backend has no secrets, so agents use their own environment variables for its type; to set secrets, run: cloud backend update",
      );
  });
};

async function requireUses({ client, project, world }: Session, entities: readonly string[]): Promise<BackendUseJson[]> {
  const all: BackendUseJson[] = [];
  for await (const use of client.listBackendUses({ signal: world.signal })) all.push(use);
  return entities.map((text) => {
    const use = all.find((one) => (isUid(text) ? one.uid === text : one.project === project && nameUse(one) === normalise(text)));
    if (use !== undefined) return use;
    const where = isUid(text) ? "" : ` in project "${project}"`;
    throw new Fault(cliFaults.no_external_state, `no entity ${text} with an external state${where}`);
  });
}

/** Replaces kind aliases, so that `net/main` names the same entity as `network/main`. */
function normalise(text: string): string {
  if (!text.includes("/")) throw new Fault(cliFaults.usage, `"${text}" is neither KIND/NAME nor the uid of an entity`);
  const [named] = parseReferences(undefined, [text]);
  return `${named?.kind.kind.toLowerCase()}/${named?.references[0]?.name}`;
}

function nameUse({ kind = "", name = "" }: BackendUseJson): string {
  return `${kind.toLowerCase()}/${name}`;
}

async function findBackend({ client, world }: Session, name: string): Promise<Stored<EntityByKind["Backend"]> | undefined> {
  try {
    return await client.backends.get(name, { signal: world.signal });
  } catch (error) {
    if (error instanceof Fault && error.kind === "not_found") return undefined;
    throw error;
  }
}

interface Store {
  readonly type?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Returns the type and settings that all entities share. Throws if the entities use different buckets, containers or databases. */
function requireSameStore(
  name: string,
  uses: readonly BackendUseJson[],
  existing: Store | undefined,
): { type: string; settings: Record<string, string> } {
  const [first] = uses;
  const { type = "", settings = {} } = existing ?? first ?? {};
  const other = uses.find((use) => use.type !== type || !isSame(use.settings ?? {}, settings));
  if (other !== undefined)
    throw new Fault(
      cliFaults.other_backend,
      `${nameUse(other)} uses ${other.type} ${JSON.stringify(other.settings)}, but backend "${name}" is ${type} ${JSON.stringify(settings)}`,
    );
  return { type, settings: { ...settings } };
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
