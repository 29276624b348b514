import { isList, type Value, type ValueMap } from "../../values/value.ts";
import type { DataSourceHooks } from "../../provider/definition.ts";
import { hash } from "../place.ts";
import { mapOf, textOf } from "../../values/read-value.ts";

type Json = string | readonly string[] | { readonly [name: string]: Json };
type Statement = Record<string, Json>;

interface Document {
  readonly Version?: string;
  readonly Id?: string;
  readonly Statement?: Statement | readonly Statement[];
}

/** Renders policy documents byte for byte like the real provider, because policies are compared as text. */
export const policyDocument: DataSourceHooks = {
  read(config) {
    const sources = [textOf(config["source_json"]), ...listTexts(config["source_policy_documents"])].filter(
      (text) => text !== "",
    );
    const overrides = [textOf(config["override_json"]), ...listTexts(config["override_policy_documents"])].filter(
      (text) => text !== "",
    );
    try {
      const written = isList(config["statement"]) ? config["statement"].map((each) => renderStatement(mapOf(each))) : [];
      const base = sources.map((text) => JSON.parse(text) as Document);
      const over = overrides.map((text) => JSON.parse(text) as Document);
      const plain = [...base.flatMap(listStatements), ...written];
      const twin = findTwin(plain);
      if (twin !== undefined)
        return [{ summary: `duplicate Sid (${twin}) in policy document. Remove the Sid or ensure the Sid is unique.` }];
      const statements = over.flatMap(listStatements).reduce(override, plain);
      const version = textOf(config["version"]) || base.findLast(({ Version }) => Version !== undefined)?.Version || "2012-10-17";
      const id = textOf(config["policy_id"]);
      const document = {
        Version: version,
        ...(id === "" ? {} : { Id: id }),
        ...(statements.length === 0 ? {} : { Statement: statements }),
      };
      const json = JSON.stringify(document, undefined, 2);
      return { id: String(Number.parseInt(hash(json).slice(0, 8), 16)), json, minified_json: JSON.stringify(document), version };
    } catch (error) {
      return [{ summary: `a policy document is not valid JSON: ${error instanceof Error ? error.message : ""}` }];
    }
  },
};

function listStatements({ Statement }: Document): readonly Statement[] {
  return Statement === undefined ? [] : [Statement].flat();
}

function findTwin(statements: readonly Statement[]): string | undefined {
  const sids = statements.map(({ Sid }) => textOf(Sid)).filter((sid) => sid !== "");
  return sids.find((sid, index) => sids.indexOf(sid) !== index);
}

function override(statements: readonly Statement[], next: Statement): Statement[] {
  const sid = textOf(next["Sid"]);
  const isKnown = sid !== "" && statements.some(({ Sid }) => Sid === sid);
  return isKnown ? statements.map((each) => (each["Sid"] === sid ? next : each)) : [...statements, next];
}

function renderStatement(statement: ValueMap): Statement {
  const sid = textOf(statement["sid"]);
  const parts: Statement = sid === "" ? {} : { Sid: sid };
  parts["Effect"] = textOf(statement["effect"]) || "Allow";
  const lists = [
    ["Action", "actions"],
    ["NotAction", "not_actions"],
    ["Resource", "resources"],
    ["NotResource", "not_resources"],
  ] as const;
  for (const [name, from] of lists) {
    const texts = textsOf(statement[from]).map(substitute);
    if (texts.length > 0) parts[name] = oneOrMany(texts);
  }
  for (const [name, from] of [
    ["Principal", "principals"],
    ["NotPrincipal", "not_principals"],
  ] as const) {
    const principals = renderPrincipals(statement[from]);
    if (principals !== undefined) parts[name] = principals;
  }
  const conditions = renderConditions(statement["condition"]);
  if (conditions !== undefined) parts["Condition"] = conditions;
  return parts;
}

function renderPrincipals(value: Value | undefined): Json | undefined {
  const blocks = (isList(value) ? value : []).map(mapOf);
  if (blocks.length === 0) return undefined;
  const isAnybody = blocks.length === 1 && blocks[0]?.["type"] === "*" && textsOf(blocks[0]["identifiers"]).join() === "*";
  if (isAnybody) return "*";
  const kinds = [...new Set(blocks.map(({ type }) => textOf(type)))].toSorted();
  const identifiersOf = (kind: string): string[] =>
    blocks.filter(({ type }) => type === kind).flatMap(({ identifiers }) => textsOf(identifiers).map(substitute));
  return Object.fromEntries(kinds.map((kind) => [kind, oneOrMany(identifiersOf(kind))]));
}

function renderConditions(value: Value | undefined): Json | undefined {
  const blocks = (isList(value) ? value : []).map(mapOf);
  if (blocks.length === 0) return undefined;
  const tests = [...new Set(blocks.map(({ test }) => textOf(test)))].toSorted();
  return Object.fromEntries(
    tests.map((test) => {
      const variables = blocks.filter((block) => block["test"] === test);
      const named = variables.map(({ variable, values }): [string, Json] => {
        const texts = listTexts(values).map(substitute);
        return [substitute(textOf(variable)), texts.length === 1 ? (texts[0] ?? "") : texts];
      });
      return [test, Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)))];
    }),
  );
}

// Sorts in descending order, as the real provider does, because rendered documents must match byte for byte.
function textsOf(value: Value | undefined): string[] {
  return listTexts(value).toSorted().toReversed();
}

function listTexts(value: Value | undefined): string[] {
  return (isList(value) ? value : []).map(textOf);
}

function oneOrMany(texts: readonly string[]): Json {
  return texts.length === 1 ? (texts[0] ?? "") : texts;
}

/** Converts policy variables from Terraform's notation, such as `&{aws:username}`, to IAM's `${aws:username}`. */
function substitute(text: string): string {
  return text.replaceAll("&{", "${");
}
