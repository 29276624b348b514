import type { PlanCountsJson, PlanFindingJson, PlannedChangeJson, RunPlanJson } from "@cloudwright/api-client";
import type { Paint } from "../output/paint.ts";
import { flatten, renderTable, type Column } from "../output/table.ts";
import { renderCounts } from "./counts.ts";
import { renderAttributes, type PlanLook } from "./render-attributes.ts";

interface Sign {
  readonly sign: string;
  readonly colour: "green" | "yellow" | "red" | "plain";
}

const signs: Readonly<Record<string, Sign>> = {
  create: { sign: "+", colour: "green" },
  update: { sign: "~", colour: "yellow" },
  replace: { sign: "-/+", colour: "red" },
  delete: { sign: "-", colour: "red" },
  read: { sign: "<=", colour: "plain" },
  forget: { sign: ".", colour: "yellow" },
};

/** Renders a plan: resources grouped by module, external changes, policy findings and counts. */
export function renderPlan(plan: RunPlanJson, look: PlanLook): string[] {
  const { run = {}, changes = [], drift = [] } = plan;
  const counts = run.counts ?? countChanges(changes);
  return [
    ...section("Changed outside of Terraform since the last run:", renderGroups(drift, look)),
    ...section("", renderGroups(changes, look)),
    ...renderFindings(run.findings ?? [], look.paint),
    changes.length === 0 && run.purpose === "destroy"
      ? "Removal: all resources in the state will be destroyed."
      : renderEnd(counts),
  ];
}

/** Renders the policy findings of a plan as a table. */
export function renderFindings(findings: readonly PlanFindingJson[], paint: Paint): string[] {
  const columns: Column<PlanFindingJson>[] = [
    {
      title: "SEVERITY",
      value: ({ severity = "" }) => severity,
      paint: (cell) => (cell.trim() === "must" ? paint.colour("red", cell) : cell),
    },
    { title: "RULE", value: ({ rule = "" }) => rule },
    { title: "RESOURCE", value: ({ path = "" }) => path },
    { title: "MESSAGE", value: ({ message = "", fix = "" }) => (fix === "" ? message : `${message}; ${fix}`) },
  ];
  const lines = findings.length === 0 ? [] : renderTable(columns, findings).map((line) => `  ${line}`);
  return section("Policies:", lines);
}

function renderGroups(changes: readonly PlannedChangeJson[], look: PlanLook): string[] {
  const modules = new Set(changes.map(({ address = "" }) => moduleOf(address)));
  return [...modules].toSorted().flatMap((module) => {
    const resources = changes.filter(({ address = "" }) => moduleOf(address) === module);
    const lines = resources.flatMap((change) => renderChange(change, module, look));
    return module === "" ? lines.map((line) => `  ${line}`) : [flatten(`  ${module}:`), ...lines.map((line) => `    ${line}`)];
  });
}

function renderChange(change: PlannedChangeJson, module: string, look: PlanLook): string[] {
  const { address = "", action = "", reason = "" } = change;
  const { sign, colour } = signs[action] ?? { sign: "?", colour: "plain" };
  const why = reason === "" ? "" : ` (${reason.replace(/^(replace|delete|read)_because_/, "").replaceAll("_", " ")})`;
  const local = module === "" ? address : address.slice(module.length + 1);
  const undone = (change.overwrittenPaths ?? []).join(", ");
  const kept = (change.keptPaths ?? []).join(", ");
  const warning =
    (undone === "" ? "" : ` # this plan undoes ${undone === "*" ? "the deletion" : `the external change to ${undone}`}`) +
    (kept === "" ? "" : ` # this plan keeps the external change to ${kept}`);
  const head = look.paint.colour(colour, flatten(`${sign} ${local}${why}${warning}`));
  return [head, ...renderAttributes(change, look).map((line) => `    ${line}`)];
}

/** Returns the module part of an address, such as `module.vpc` for `module.vpc.TYPE.NAME["x"]`. */
function moduleOf(address: string): string {
  const [modules = ""] = /^(?:module\.[^.[\]]+(?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?\.)+/.exec(address) ?? [];
  return modules.slice(0, -1);
}

function countChanges(changes: readonly PlannedChangeJson[]): PlanCountsJson {
  const count = (wanted: string): number => changes.filter(({ action }) => action === wanted).length;
  return { create: count("create"), update: count("update"), replace: count("replace"), delete: count("delete") };
}

function renderEnd(counts: PlanCountsJson): string {
  const line = renderCounts(counts);
  return line === "no changes" ? "No changes: the infrastructure matches the desired state." : `Plan: ${line}.`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [...(title === "" ? [] : [title]), ...lines, ""];
}
