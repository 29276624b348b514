import { celList, celMap, type CelInput } from "@bufbuild/cel";
import type { Bindings } from "./expression.ts";
import { environmentOf, findCloudName, type PlacedEntity, type PolicyEntity, type Subject } from "./subject.ts";
import { spend, toCel, type Budget } from "./to-cel.ts";

const always = ["kind", "metadata", "spec", "account", "parents", "cloud", "environment", "values"];

/** Variables that expressions can use, keyed by type of subject. */
export const namesOn: Readonly<Record<Subject["on"], readonly string[]>> = {
  entity: always,
  plan: [...always, "changes", "allow", "upgradedFrom"],
};

/** Returns the variables for evaluating expressions against a subject. `account` is an empty map if the subject has no account. */
export function bindSubject(subject: Subject): Bindings {
  const budget: Budget = { values: 0, chars: 0 };
  const convert = (value: unknown): CelInput => toCel(value, budget);
  const { entity } = subject;
  const own: Bindings = {
    kind: convert(entity.kind),
    metadata: convert(withLabels(entity).metadata),
    spec: convert(entity.spec),
    account: entity.account === undefined ? celMap(new Map()) : convertPart(entity.account, budget),
    parents: celList(entity.parents.map((parent) => convertPart(parent, budget))),
    cloud: findCloudName(entity),
    environment: environmentOf(entity),
  };
  if (subject.on === "entity") return own;
  const { changes, allow, upgradedFrom } = subject;
  return { ...own, changes: convert(changes), allow: convert(allow), upgradedFrom };
}

interface ConvertedPart {
  readonly value: CelInput;
  readonly cost: Readonly<Budget>;
}

const converted = new WeakMap<PolicyEntity, ConvertedPart>();

/** Converts an account or parent once and caches it, but counts its size against the limits of every subject that uses it. */
function convertPart(part: PolicyEntity, budget: Budget): CelInput {
  const known = converted.get(part) ?? convertAnew(part);
  converted.set(part, known);
  spend(budget, known.cost);
  return known.value;
}

function convertAnew(part: PolicyEntity): ConvertedPart {
  const cost: Budget = { values: 0, chars: 0 };
  return { value: toCel(withLabels(part), cost), cost };
}

// JSON omits empty fields. Nearly every rule reads labels and annotations, so these are always set.
function withLabels({ kind, metadata, spec }: PolicyEntity | PlacedEntity): PolicyEntity {
  return { kind, metadata: { name: "", labels: {}, annotations: {}, ...metadata }, spec };
}
