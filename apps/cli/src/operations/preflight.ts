import type { AnyEntity } from "@cloudwright/api-client";
import { getKind, kinds, type Kind } from "@cloudwright/contract/kinds";
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

/** An entity to check before creating it. */
export interface Newcomer {
  readonly kind: Kind;
  readonly cluster?: string | undefined;
  readonly entity: AnyEntity;
  readonly project?: string | undefined;
}

export function hasPreflight({ provisioned, parent }: Kind): boolean {
  return provisioned && parent !== undefined;
}

export function addPreflightFlag(command: Command): void {
  command.option("--preflight", `run preflight checks without creating anything; exit code ${foundCode} if they find problems`);
}

/** Runs preflight checks and prints the findings. Exits with a separate code if any finding blocks the creation. */
export async function preflight(session: Session, newcomers: readonly Newcomer[], flags: FlagValues): Promise<void> {
  if (flags["preview"] === true || flags["dryRun"] === true)
    throw new Fault(cliFaults.usage, "--preflight cannot be combined with --preview or --dry-run");
  const other = newcomers.find(({ kind }) => !hasPreflight(kind));
  if (other !== undefined)
    throw new Fault(
      cliFaults.usage,
      `--preflight is not available for ${other.kind.kind}; supported kinds: ${kinds
        .filter(hasPreflight)
        .map(({ kind }) => kind)
        .join(", ")}`,
    );
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
  return ended ?? opened;
}

function print({ output }: Session, { kind, cluster, entity }: Newcomer, { status }: Operation): void {
  const { findings = [] } = status ?? {};
  const name = itemName({
    kind,
    cluster,
    entity: { ...entity, metadata: { ...entity.metadata, name: entity.metadata?.name ?? "" } } as never,
  });
  if (findings.length === 0) return output.note(`preflight passed for ${name}`);
  output.note(findings.some(isObstacle) ? `${name} cannot be created as specified` : `${name} can be created`);
  output.table(findingColumns, findings);
}
