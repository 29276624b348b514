import type { AnyEntity } from "@cloudwright/api-client";
import { getKind, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import type { Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { ExitRequest, foundCode } from "../exit-codes.ts";
import { cliFaults } from "../faults.ts";
import { itemName } from "../output/item.ts";
import { isStructured } from "../output/output.ts";
import { printItems } from "../output/print-items.ts";
import { findingColumns, isObstacle } from "./findings.ts";
import type { Operation } from "./operation.ts";
import { findTrouble, readWait, waitForOperations } from "./wait.ts";

const kinds: readonly string[] = ["Network", "Cluster", "NodePool", "Storage"];

/** What is to be looked at before it is created. */
export interface Newcomer {
  readonly kind: Kind;
  readonly cluster?: string | undefined;
  readonly entity: AnyEntity;
  readonly project?: string | undefined;
}

/** Whether what would stand in the way of creating one can be asked for. */
export function hasPreflight({ kind }: Pick<Kind, "kind">): boolean {
  return kinds.includes(kind);
}

/** Adds --preflight. */
export function addPreflightFlag(command: Command): void {
  command.option("--preflight", `tell what would stand in the way, create nothing; exit code ${foundCode} when something does`);
}

/** Has everything looked for that would keep these from being created, prints it, and ends with a code of its own when there is something. */
export async function preflight(session: Session, newcomers: readonly Newcomer[], flags: FlagValues): Promise<void> {
  if (flags["preview"] === true || flags["dryRun"] === true)
    throw new Fault(cliFaults.usage, "--preflight creates nothing by itself; give it without --preview and --dry-run");
  const other = newcomers.find(({ kind }) => !hasPreflight(kind));
  if (other !== undefined) throw new Fault(cliFaults.usage, `--preflight is for ${kinds.join(", ")}, not for ${other.kind.kind}`);
  const { output } = session;
  const ended: { readonly newcomer: Newcomer; readonly operation: Operation }[] = [];
  for (const newcomer of newcomers) ended.push({ newcomer, operation: await ask(session, newcomer, flags) });
  if (isStructured(output.format)) {
    const items = ended.map(({ operation }) => ({ kind: getKind("Operation"), entity: operation }));
    await printItems(session, items, { asList: items.length > 1 });
  } else for (const one of ended) print(session, one.newcomer, one.operation);
  if (ended.some(({ operation }) => operation.status?.findings?.some(isObstacle))) throw new ExitRequest(foundCode);
}

async function ask(session: Session, { kind, cluster, entity, project }: Newcomer, flags: FlagValues): Promise<Operation> {
  const name = entity.metadata?.name ?? "";
  const { signal } = session.world;
  const opened = await resourceOf(session, kind, cluster, project).act(name, "preflight", { body: entity, signal });
  const refs = [{ project: project ?? session.project, name: opened.metadata.name }];
  const [ended] = await waitForOperations(session, refs, { timeoutMs: readWait({ ...flags, wait: true })?.timeoutMs });
  const trouble = ended === undefined ? undefined : findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  return ended ?? (opened as Operation);
}

function print({ output }: Session, { kind, cluster, entity }: Newcomer, { status }: Operation): void {
  const { findings = [] } = status ?? {};
  const name = itemName({
    kind,
    cluster,
    entity: { ...entity, metadata: { ...entity.metadata, name: entity.metadata?.name ?? "" } } as never,
  });
  if (findings.length === 0) return output.note(`nothing stands in the way of ${name}`);
  output.note(findings.some(isObstacle) ? `${name} cannot be created like this` : `${name} can be created`);
  output.table(findingColumns, findings);
}
