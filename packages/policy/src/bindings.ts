import { celMap, type CelInput } from "@bufbuild/cel";
import type { Bindings } from "./expression.ts";
import { cloudOf, environmentOf, type PlacedEntity, type PolicyEntity, type Subject } from "./subject.ts";
import { toCel, type Budget } from "./to-cel.ts";

const always = ["kind", "metadata", "spec", "account", "parents", "cloud", "environment", "values"];

/** What expressions about each sort of subject can name. */
export const namesOn: Readonly<Record<Subject["on"], readonly string[]>> = {
  entity: always,
  plan: [...always, "changes", "allow"],
};

/** A subject in the words of expressions. `account` is an empty map where there is none. */
export function bindSubject(subject: Subject): Bindings {
  const budget: Budget = { values: 0, chars: 0 };
  const convert = (value: unknown): CelInput => toCel(value, budget);
  const { entity } = subject;
  const own: Bindings = {
    kind: convert(entity.kind),
    metadata: convert(withLabels(entity).metadata),
    spec: convert(entity.spec),
    account: entity.account === undefined ? celMap(new Map()) : convert(withLabels(entity.account)),
    parents: convert(entity.parents.map(withLabels)),
    cloud: cloudOf(entity),
    environment: environmentOf(entity),
  };
  return subject.on === "entity" ? own : { ...own, changes: convert(subject.changes), allow: convert(subject.allow) };
}

// JSON leaves out what is empty; these are asked for by nearly every rule.
function withLabels({ kind, metadata, spec }: PolicyEntity | PlacedEntity): PolicyEntity {
  return { kind, metadata: { name: "", labels: {}, annotations: {}, ...metadata }, spec };
}
