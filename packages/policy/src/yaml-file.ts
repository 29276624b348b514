import type { FieldViolation } from "@cloudwright/platform";
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, type Node, type YAMLMap } from "yaml";
import { policyLimits } from "./limits.ts";

/** Reads a YAML file field by field. Every problem is recorded with its position, so that one run reports all of them. */
export class YamlFile {
  readonly name: string;
  readonly #violations: FieldViolation[];
  readonly #lines = new LineCounter();

  constructor(name: string, violations: FieldViolation[]) {
    this.name = name;
    this.#violations = violations;
  }

  /** Returns the top-level mapping, or undefined if there is none. Rejects anchors, because a short file could expand to a huge one. */
  parse(text: string): YAMLMap | undefined {
    if (text.length > policyLimits.fileChars)
      return this.note(undefined, `the file has more than ${policyLimits.fileChars} characters`);
    const document = parseDocument(text, {
      lineCounter: this.#lines,
      version: "1.2",
      schema: "core",
      uniqueKeys: true,
      prettyErrors: false,
    });
    for (const { message, pos } of [...document.errors, ...document.warnings]) this.#noteAt(pos[0], message);
    if (document.errors.length > 0) return undefined;
    visit(document, { Alias: (_key, alias) => this.note(alias, "anchors and aliases are not allowed in rules") });
    if (isMap(document.contents)) return document.contents;
    return this.note(undefined, "the file must contain a mapping");
  }

  /** Records a problem and its position. */
  note(node: Node | undefined, message: string): undefined {
    this.#noteAt(node?.range?.[0], message);
  }

  /** Returns the entries of a mapping. Unknown keys are recorded as problems. */
  readFields(map: YAMLMap, known: readonly string[], where: string): ReadonlyMap<string, Node> {
    const fields = new Map<string, Node>();
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? key.value : undefined;
      const place = isNode(key) ? key : map;
      if (typeof name !== "string" || !known.includes(name)) {
        this.note(place, `${where}unknown field ${JSON.stringify(name)}; use ${known.join(", ")}`);
      } else if (!isNode(value) || (isScalar(value) && value.value === null)) {
        this.note(place, `${where}${name} is empty`);
      } else {
        fields.set(name, value);
      }
    }
    return fields;
  }

  /** Returns a string. If the node is not a string, or is empty or too long, records a problem and returns undefined. */
  readText(node: Node, where: string, longest: number = policyLimits.textChars): string | undefined {
    if (!isScalar(node) || typeof node.value !== "string") return this.note(node, `${where} must be a string`);
    const text = node.value.trim();
    if (text === "") return this.note(node, `${where} is empty`);
    return text.length > longest ? this.note(node, `${where} has more than ${longest} characters`) : text;
  }

  readTexts(node: Node, where: string): string[] {
    if (!isSeq(node) || node.items.length === 0) return this.note(node, `${where} must be a list of strings`) ?? [];
    return node.items.flatMap((item) => (isNode(item) ? (this.readText(item, where) ?? []) : []));
  }

  /** Converts a node to JSON values. Mappings become `Map`s, so that no key in a file can reach a prototype. */
  readValue(node: unknown, where: string): unknown {
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item) => this.readValue(item, where));
    if (!isMap(node)) return isAlias(node) ? undefined : null;
    return new Map(
      node.items.map(({ key, value }): [string, unknown] => {
        if (isScalar(key) && typeof key.value === "string") return [key.value, this.readValue(value, where)];
        this.note(isNode(key) ? key : node, `${where}: a key must be a string`);
        return ["", null];
      }),
    );
  }

  #noteAt(offset: number | undefined, message: string): void {
    const { line, col } = offset === undefined ? { line: 1, col: 1 } : this.#lines.linePos(offset);
    this.#violations.push({ field: `${this.name}:${line}:${col}`, message });
  }
}
