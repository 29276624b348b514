import type { Judge, JudgedChange, JudgedEntity, JudgedFinding } from "@cloudwright/api";
import { describeError, Fault } from "@cloudwright/platform";
import { decide, describeFinding, loadRules, type Decision, type PlacedEntity, type PolicyChange } from "@cloudwright/policy";
import type { Rules, Scope } from "@cloudwright/reconciler";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { controlPlaneFaults } from "./faults.ts";

/** The policy checks for the API and for the reconciler. Both use the same rules. */
export interface Policies {
  readonly judge: Judge;
  readonly findDenials: Rules["findDenials"];
}

const ownFolder = fileURLToPath(new URL("../../../policies", import.meta.url));

/**
 * Loads the built-in rules and the rules in the user's folder. An invalid rule prevents startup, because ignoring it would allow changes
 * that it should deny.
 */
export function loadPolicies(folder: string | undefined): Policies {
  const book = loadRules([...listFolders(ownFolder), ...(folder === undefined ? [] : [folder])].flatMap(readFolder));
  const judgeEntity = (entity: PlacedEntity): Decision => decide(book, { on: "entity", entity });
  return {
    judge: {
      entity: (placed) => judgeEntity(placed).findings.map(toFinding),
      plan: (placed, changes, allow, upgradedFrom = "") =>
        decide(book, { on: "plan", entity: placed, changes: changes.map(toChange), allow, upgradedFrom }).findings.map(toFinding),
    },
    findDenials: (scope) =>
      judgeEntity(placeScope(scope))
        .findings.filter(({ severity }) => severity === "must")
        .map(describeFinding),
  };
}

/** Returns a folder and its subfolders. Rules for a single cloud are in that cloud's subfolder. */
function listFolders(folder: string): string[] {
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.map(({ name }) => join(folder, name)).toSorted()];
}

function readFolder(folder: string): { name: string; text: string }[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
    return names.toSorted().map((name) => ({ name: join(folder, name), text: readFileSync(join(folder, name), "utf8") }));
  } catch (cause) {
    const message = `the policies in ${folder} cannot be read: ${describeError(cause)}`;
    throw new Fault(controlPlaneFaults.policies_unreadable, message, { cause });
  }
}

function placeScope({ entity, above }: Scope): PlacedEntity {
  const parents = above.map(({ kind, object }) => ({ kind, metadata: object.metadata, spec: object.spec }));
  const { metadata, spec } = entity.object;
  return { kind: entity.kind, metadata, spec, parents, ...findAccount(parents) };
}

function findAccount(parents: JudgedEntity["parents"]): Pick<JudgedEntity, "account"> {
  const account = parents.find(({ kind }) => kind === "Account");
  return account === undefined ? {} : { account };
}

const actions = ["none", "create", "read", "update", "delete", "replace", "forget"] as const;

/** Converts a change to policy input. An unknown action becomes "other", which policies treat like the most destructive action. */
function toChange({ address, type, action, unfinished, replacePaths, before, after }: JudgedChange): PolicyChange {
  const known = actions.find((candidate) => candidate === action) ?? "other";
  return { address, type, action: known, unfinished, replacePaths: replacePaths.map(parsePath), before, after };
}

const steps = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g;

/** Splits a path such as `tags["team"]` into its segments. */
function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(steps)].map(([, key, index, name]) => (index === undefined ? (key ?? name ?? "") : Number(index)));
}

function toFinding({ rule, severity, message, path, fix }: Decision["findings"][number]): JudgedFinding {
  return { rule, severity, message, path, fix };
}
