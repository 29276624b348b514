import { findKind, isNamedBelow, kinds, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { didYouMean } from "@cloudwright/platform/suggest";
import { cliFaults } from "./faults.ts";
import { hasVerb } from "./kinds/registry.ts";
import type { Verb } from "./kinds/verbs.ts";

/** An entity named on the command line. */
export interface Reference {
  readonly kind: Kind;
  readonly name: string;
  /** Only for node pools: the name of the cluster. */
  readonly cluster?: string | undefined;
}

/** A kind and the named entities of that kind. An empty list means all entities. */
export interface Named {
  readonly kind: Kind;
  readonly references: readonly Reference[];
}

/** Returns the kind with this name, plural or alias. Throws if there is none. */
export function requireKind(word: string): Kind {
  const kind = findKind(word);
  if (kind !== undefined) return kind;
  const known = kinds.flatMap(({ words, collection }: Kind) => [...words, collection]);
  throw new Fault(cliFaults.unknown_kind, `unknown kind "${word}"${didYouMean(word, known)}`);
}

/** Throws if the kind does not support the verb. */
export function requireVerb(kind: Kind, verb: Verb): void {
  if (!hasVerb(kind.kind, verb)) throw new Fault(cliFaults.unsupported_verb, `${verb} is not supported for ${kind.collection}`);
}

/** Parses `dev prod` if the kind is known. Otherwise parses `cluster dev prod` or `cluster/dev network/main`. */
export function parseReferences(
  known: Kind | undefined,
  args: readonly string[],
  options: { cluster?: string | undefined } = {},
): Named[] {
  const [first = "", ...names] = args;
  if (known !== undefined) return [{ kind: known, references: args.map((name) => parseName(known, name, options.cluster)) }];
  if (!first.includes("/")) {
    const kind = requireKind(first);
    return [{ kind, references: names.map((name) => parseName(kind, name, options.cluster)) }];
  }
  const references = args.map((text) => {
    const slash = text.indexOf("/");
    if (slash <= 0) throw new Fault(cliFaults.usage, `"${text}" does not have the form KIND/NAME`);
    return parseName(requireKind(text.slice(0, slash)), text.slice(slash + 1), options.cluster);
  });
  const named = new Map<string, Reference[]>();
  for (const reference of references) named.set(reference.kind.kind, [...(named.get(reference.kind.kind) ?? []), reference]);
  return [...named.values()].map((some) => ({ kind: (some[0] as Reference).kind, references: some }));
}

/** Parses `dev`, or `CLUSTER/NAME` for node pools. Also accepts the prefix that `-o name` prints. */
export function parseName(kind: Kind, text: string, cluster?: string): Reference {
  const parts = text.split("/");
  if (parts.length > 1 && findKind(parts[0] as string) === kind && parts.length > (isNamedBelow(kind) ? 2 : 1)) parts.shift();
  const name = parts.pop() ?? "";
  if (parts.length > (isNamedBelow(kind) ? 1 : 0) || name === "") {
    throw new Fault(cliFaults.usage, `"${text}" is not a valid ${kind.words[0]} name`);
  }
  if (!isNamedBelow(kind)) return { kind, name };
  const within = parts[0] ?? cluster;
  if (within === undefined) throw new Fault(cliFaults.cluster_needed, `no cluster was specified for node pool ${name}`);
  return { kind, name, cluster: within };
}

/** Parses entity names for a verb that requires at least one. */
export function requireReferences(
  verb: Verb,
  known: Kind | undefined,
  args: readonly string[],
  options: { cluster?: string | undefined },
): Reference[] {
  const references = parseReferences(known, args, options).flatMap((named) => {
    requireVerb(named.kind, verb);
    return named.references;
  });
  if (references.length === 0) throw new Fault(cliFaults.usage, `the name of the entity to ${verb} is required`);
  return references;
}
