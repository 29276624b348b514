import type { AnyEntity, PreviewItemJson } from "@cloudwright/api-client";
import { getKind, type Kind } from "@cloudwright/contract/kinds";
import type { Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import type { Item } from "../output/item.ts";
import { isStructured } from "../output/output.ts";
import { printItems } from "../output/print-items.ts";
import type { Column } from "../output/table.ts";
import { findingColumns, isObstacle } from "./findings.ts";
import type { Operation } from "./operation.ts";
import { findTrouble, readWait, waitForOperations } from "./wait.ts";

export function addPreviewFlag(command: Command): void {
  command.option("--preview", "show the effect on infrastructure, nodes and add-ons without changing anything");
}

/** Plans the creation of an entity without creating it, and prints the preview. */
export async function previewCreation(
  session: Session,
  { kind, entity }: Pick<Item, "kind"> & { entity: AnyEntity },
  flags: FlagValues,
): Promise<void> {
  const { signal } = session.world;
  await resourceOf(session, kind).create(entity, { dryRun: true, signal });
  await preview(session, kind, entity.metadata?.name ?? "", entity, flags, { allowMissing: true });
}

/** Plans a change, waits for the plan and prints its effects as a single list. */
export async function preview(
  session: Session,
  kind: Kind,
  name: string,
  change: object,
  flags: FlagValues,
  options: { readonly allowMissing?: boolean } = {},
): Promise<void> {
  const { output } = session;
  const ended = await runPreview(session, kind, name, change, flags, options);
  if (isStructured(output.format)) return printItems(session, [{ kind: getKind("Operation"), entity: ended }], { asList: false });
  const { preview: items = [], findings = [] } = ended.status ?? {};
  if (items.length === 0) output.note("nothing would change");
  else output.table(columns, items);
  if (findings.length === 0) return undefined;
  output.note(
    findings.some(isObstacle) ? "the change cannot be made as requested:" : "check these findings before you apply the change:",
  );
  return output.table(findingColumns, findings);
}

/** Plans a change, waits for the plan and returns the operation with its effects. Throws if the change cannot be planned. */
export async function runPreview(
  session: Session,
  kind: Kind,
  name: string,
  change: object,
  flags: FlagValues,
  options: { readonly allowMissing?: boolean } = {},
): Promise<Operation> {
  const { project, world } = session;
  const opened = await resourceOf(session, kind, undefined).act(name, "preview", {
    ...options,
    body: change,
    signal: world.signal,
    replayable: false,
  });
  const refs = [{ project, name: opened.metadata.name }];
  const [ended = opened] = await waitForOperations(session, refs, { timeoutMs: readWait({ ...flags, wait: true })?.timeoutMs });
  const trouble = findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  return ended;
}

const columns: readonly Column<PreviewItemJson>[] = [
  { title: "PART", value: ({ part = "" }) => part },
  { title: "ACTION", value: ({ action = "" }) => action },
  { title: "NAME", value: ({ name = "" }) => name },
  { title: "DETAILS", value: ({ message = "" }) => message },
];
