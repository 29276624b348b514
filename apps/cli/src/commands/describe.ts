import type { EventJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { driftOf, renderDriftState } from "../runs/drift-status.ts";
import { getItem } from "../entities.ts";
import { hasTimeline, hasVerb } from "../kinds/registry.ts";
import { addKindArgument } from "../list-flags.ts";
import { renderOperation } from "../operations/describe-operation.ts";
import { renderStanding, type Operation } from "../operations/operation.ts";
import { renderAge } from "../output/age.ts";
import { renderPhase } from "../output/columns.ts";
import { renderLabels } from "../output/labels.ts";
import { eventColumns } from "../output/event-columns.ts";
import { toDocument, type Item } from "../output/item.ts";
import { isStructured, renderYaml } from "../output/output.ts";
import { renderTable, type Column } from "../output/table.ts";
import { requireReferences } from "../references.ts";
import { markSimulated } from "../simulated.ts";

const newestEvents = 20;

/** `cloud describe cluster dev`: shows all details of an entity. */
export const configureDescribe: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  addExamples(command, kind === undefined ? "cloud describe cluster dev" : `cloud ${kind.words[0]} describe dev`);
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("describe", kind, args, { cluster: flags["cluster"] as string | undefined });
    for (const [index, reference] of references.entries()) {
      const item = await getItem(session, reference);
      const events = await listEvents(session, item);
      if (isStructured(session.output.format)) await session.output.structure({ ...toDocument(item), events });
      else {
        if (index > 0) session.output.line("");
        for (const line of await renderDescription(session, item, events)) session.output.line(line);
      }
    }
  });
};

async function listEvents(session: Session, { kind, entity }: Item): Promise<EventJson[]> {
  if (!hasVerb(kind.kind, "events")) return [];
  const query = { filter: `entityUid=${entity.metadata.uid}`, pageSize: newestEvents, signal: session.world.signal };
  return [...(await session.client.events.list(session.project, query)).items].toReversed();
}

async function renderDescription(session: Session, item: Item, events: readonly EventJson[]): Promise<string[]> {
  const { world, output } = session;
  const { metadata, status = {}, spec = {} } = item.entity;
  const nowMs = world.clock.now();
  const isWork = item.kind.isRecord === true;
  const facts: [string, string | undefined][] = [
    ["Kind", item.kind.kind],
    ["Name", metadata.name],
    ["Project", metadata.project],
    ["Cluster", item.cluster],
    ["Simulated", (await markSimulated(session, [item]))[0]?.simulated === true ? "yes, nothing is billed" : undefined],
    ["UID", metadata.uid],
    ["Environment", metadata.environment],
    ["Labels", renderLabels(metadata.labels)],
    ["Annotations", renderLabels(metadata.annotations)],
    ["Created", metadata.createdAt && `${metadata.createdAt} (${renderAge(metadata.createdAt, nowMs)} ago)`],
    ["Deleted", metadata.deletedAt],
    ["Protected", metadata.deletionProtection === true ? "yes, it cannot be deleted" : undefined],
    ["On deletion", metadata.deletionPolicy === "retain" ? "its infrastructure is retained" : undefined],
    ["Generation", isWork ? undefined : `${metadata.generation ?? 0} (observed: ${status.observedGeneration ?? 0})`],
    ["Version", metadata.resourceVersion],
    ["Operation", await renderNewestOperation(session, item)],
    [isWork ? "State" : "Phase", renderPhase(item)],
    ["Message", status.message],
    ["Drift", item.kind.hasDriftChecks === true ? renderDriftFact(item, nowMs) : undefined],
  ];
  const {
    phase: _phase,
    conditions = [],
    observedGeneration: _seen,
    message: _message,
    progressPercent: _percent,
    drift: _drift,
    ...others
  } = status as typeof status & { readonly drift?: unknown };
  const isOperation = hasTimeline(item.kind);
  const { steps: _steps, left: _left, abandoned: _abandoned, ...ofOperation } = others as OperationStatus;
  const { addOns = [], ...ofEntity } = others as { readonly addOns?: readonly AddOn[] };
  const rest = isOperation ? ofOperation : ofEntity;
  const work = isOperation ? await renderOperation(session, item.entity, { timeline: true }) : [];
  const section = async (title: string, value: object): Promise<string[]> => {
    const shown = omitEmpty(value) as object;
    return Object.keys(shown).length === 0 ? [] : [`${title}:`, ...indent((await renderYaml(shown)).trimEnd().split("\n"))];
  };
  const table = <Row>(title: string, columns: readonly Column<Row>[], rows: readonly Row[]): string[] =>
    rows.length === 0 ? [] : [`${title}:`, ...indent(renderTable(columns, rows))];
  return [
    ...facts
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`),
    ...(await section("Spec", spec)),
    ...(await section("Status", rest)),
    ...work,
    ...table("Add-ons", addOnColumns(output.paint.phase), addOns),
    ...table("Conditions", conditionColumns(nowMs, output.paint.phase), conditions),
    ...table("Events", eventColumns({ nowMs, paint: output.paint, withEntity: false }), events),
  ];
}

/** Omits fields without a value, at any depth. `-o yaml` prints all fields. */
function omitEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitEmpty);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [name, omitEmpty(field)]);
  return Object.fromEntries(fields.filter(([, field]) => !isEmpty(field)));
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** Renders the result of the last drift check with its age and message. */
function renderDriftFact(item: Item, nowMs: number): string {
  const { checkedAt, message = "" } = driftOf(item);
  const age = checkedAt === undefined ? "" : ` (checked ${renderAge(checkedAt, nowMs)} ago)`;
  return `${renderDriftState(item)}${age}${message === "" ? "" : `: ${message}`}`;
}

type OperationStatus = NonNullable<Operation["status"]>;

/** Renders the state of an entity's newest operation. If the operation was pruned, returns only its name. */
async function renderNewestOperation(session: Session, { entity }: Item): Promise<string | undefined> {
  const { operation: name, project = session.project } = entity.metadata;
  if (name === undefined || name === "") return undefined;
  try {
    const operation = await session.client.operations.get(project, name, { signal: session.world.signal });
    return `${name} (${operation.spec?.verb ?? ""} ${renderStanding(operation)})`;
  } catch (error) {
    if (error instanceof Fault && error.kind === "not_found") return name;
    throw error;
  }
}

interface AddOn {
  readonly name?: string;
  readonly version?: string;
  readonly phase?: string;
  readonly message?: string;
}

function addOnColumns(paint: (text: string) => string): Column<AddOn>[] {
  return [
    { title: "NAME", value: ({ name = "" }) => name },
    { title: "VERSION", value: ({ version = "" }) => version },
    { title: "PHASE", value: ({ phase = "" }) => phase, paint },
    { title: "MESSAGE", value: ({ message = "" }) => message },
  ];
}

type Conditions = NonNullable<NonNullable<Item["entity"]["status"]>["conditions"]>;

function conditionColumns(nowMs: number, paint: (text: string) => string): Column<Conditions[number]>[] {
  return [
    { title: "TYPE", value: ({ type = "" }) => type },
    { title: "STATUS", value: ({ status = "" }) => status, paint },
    { title: "AGE", value: ({ lastTransitionAt }) => renderAge(lastTransitionAt, nowMs) },
    { title: "REASON", value: ({ reason = "" }) => reason },
    { title: "MESSAGE", value: ({ message = "" }) => message },
  ];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
