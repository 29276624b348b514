import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { getKind, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { getItem, resourceOf } from "../entities.ts";
import { renderTakenOver } from "../existing/render-taken-over.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument } from "../list-flags.ts";
import { conclude } from "../operations/conclude.ts";
import { preview, runPreview } from "../operations/preview.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { confirm } from "../prompt.ts";
import { requireReferences } from "../references.ts";

const change = { spec: { existing: { mode: "manage" } } };

/** `cloud k8s manage NAME`: shows a preview, then takes over the pools and upgrades of an imported cluster. */
export const configureManage: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  command.option("--preview", "show what the platform would take over and which permissions it lacks, without changing anything");
  command.option("-y, --yes", "skip the confirmation; required if there is no terminal");
  addWaitFlags(command, "the cluster and its node pools are RUNNING");
  addExamples(command, "cloud k8s manage shop --preview", "cloud k8s manage shop --yes --wait");
  onServer(command, context, async (session, args, flags) => {
    const [reference, ...others] = requireReferences("manage", context.kind, args, {});
    if (reference === undefined || others.length > 0) throw new Fault(cliFaults.usage, "specify exactly one cluster");
    const { kind } = reference;
    const { entity } = await getItem(session, reference);
    const cluster = entity as Stored<EntityByKind["Cluster"]>;
    const { name } = cluster.metadata;
    if (cluster.spec?.existing === undefined)
      throw new Fault(cliFaults.usage, `cluster ${name} was created by the platform, which already manages it`);
    if (flags["preview"] === true) return preview(session, kind, name, change, flags);
    if (flags["yes"] === true) await noteMissingRights(session, kind, name, flags);
    else await requireConfirmed(session, kind, name, flags);
    await takeOver(session, kind, cluster, flags);
  });
};

/**
 * Prints the permissions that the platform lacks. With `--yes` this is necessary, because the user does not see the preview that would
 * list them.
 */
async function noteMissingRights(session: Session, kind: Kind, name: string, flags: FlagValues): Promise<void> {
  const { findings = [] } = (await runPreview(session, kind, name, change, flags)).status ?? {};
  for (const { message = "", help = "" } of findings) {
    session.output.note(`missing permission: ${message}`);
    session.output.note(`  ${help}`);
  }
}

async function requireConfirmed(session: Session, kind: Kind, name: string, flags: FlagValues): Promise<void> {
  const { world } = session;
  if (!world.stdin.isTTY || !world.stderr.isTTY)
    throw new Fault(
      cliFaults.not_confirmed,
      `cluster/${name}: not taken over, because there is no terminal to confirm on; add --yes`,
    );
  await preview(session, kind, name, change, flags);
  if (!(await confirm(world, `Let the platform manage the node pools and the version of cluster ${name}?`)))
    throw new Fault(cliFaults.not_confirmed, `cluster/${name}: not taken over`);
}

/**
 * Changes the mode first, because the server rejects node pools for a cluster that is only observed. Running the command again completes an
 * interrupted takeover.
 */
async function takeOver(
  session: Session,
  kind: Kind,
  cluster: Stored<EntityByKind["Cluster"]>,
  flags: FlagValues,
): Promise<void> {
  const { signal } = session.world;
  const { name } = cluster.metadata;
  let accepted: string | undefined;
  const options = { signal, onAccepted: (operation: string) => void (accepted = operation) };
  const stored = await resourceOf(session, kind).patch(name, change, options);
  const pools = resourceOf(session, getKind("NodePool"), name);
  const known = new Set<string>();
  for await (const { metadata } of pools.listAll({ signal })) known.add(metadata.name);
  const { entities, skipped } = renderTakenOver(cluster.status?.existing?.nodePools ?? [], known);
  for (const pool of entities) await pools.create(pool, { signal });
  for (const { pool, reason } of skipped) session.output.note(`node pool ${pool} cannot be taken over: ${reason}`);
  await conclude(session, { item: { kind, entity: stored }, accepted, done: "managed" }, flags);
}
