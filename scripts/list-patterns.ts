import { parseSync, Visitor, type Node } from "oxc-parser";

/** A regular expression in a file. */
export interface Pattern {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Stands for an interpolated value that is known only at run time. */
const placeholder = "x";

/**
 * Lists the regular expressions of a TypeScript file: literals, and calls of `RegExp` with a constant text. A text may be joined from
 * strings, templates and top-level constants of the file. Other interpolated values count as a single letter.
 */
export function listPatterns(file: string, text: string): Pattern[] {
  const { program } = parseSync(file, text);
  const constants = readConstants(program.body);
  const found: Pattern[] = [];
  const add = ({ start }: Node, source: string, flags: string): void => {
    found.push({ line: lineAt(text, start), source, flags });
  };
  const addCall = (node: Node & { type: "CallExpression" | "NewExpression" }): void => {
    const [first, second] = node.arguments;
    if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp" || first === undefined) return;
    const source = readText(first, constants);
    if (source !== undefined) add(node, source, second === undefined ? "" : (readText(second, constants) ?? ""));
  };
  new Visitor({
    Literal(node) {
      if ("regex" in node) add(node, node.regex.pattern, node.regex.flags);
    },
    CallExpression: addCall,
    NewExpression: addCall,
  }).visit(program);
  return found;
}

/** Lists the `pattern` rules of a proto file. The server runs them as JavaScript expressions with the flag `u`. */
export function listRulePatterns(text: string): Pattern[] {
  return [...text.matchAll(/\bpattern\s*[:=]\s*(?<quoted>"(?:[^"\\]|\\.)*")/g)].map(({ index, groups }) => ({
    line: lineAt(text, index),
    source: JSON.parse(groups?.["quoted"] ?? '""') as string,
    flags: "u",
  }));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function readConstants(statements: readonly Node[]): ReadonlyMap<string, string> {
  const constants = new Map<string, string>();
  for (const statement of statements) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration.kind !== "const") continue;
    for (const { id, init } of declaration.declarations) {
      const value = init === null ? undefined : readText(init, constants);
      if (id.type === "Identifier" && value !== undefined) constants.set(id.name, value);
    }
  }
  return constants;
}

/** Returns the value of a text, with placeholders for its unknown parts. Returns undefined if all of it is unknown. */
function readText(node: Node, constants: ReadonlyMap<string, string>): string | undefined {
  const readPart = (part: Node): string => readText(part, constants) ?? placeholder;
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" ? node.value : undefined;
    case "Identifier":
      return constants.get(node.name);
    case "TemplateLiteral":
      return join(
        node.quasis.map(({ value }) => value.cooked ?? ""),
        node.expressions.map(readPart),
      );
    case "TaggedTemplateExpression": {
      const { tag, quasi } = node;
      const isRaw = tag.type === "MemberExpression" && !tag.computed && tag.property.name === "raw";
      return isRaw
        ? join(
            quasi.quasis.map(({ value }) => value.raw),
            quasi.expressions.map(readPart),
          )
        : undefined;
    }
    case "BinaryExpression": {
      const sides = [node.left, node.right];
      const isKnown = node.operator === "+" && sides.some((side) => readText(side, constants) !== undefined);
      return isKnown ? sides.map(readPart).join("") : undefined;
    }
    default:
      return undefined;
  }
}

function join(texts: readonly string[], values: readonly string[]): string {
  return texts.map((text, index) => `${text}${values[index] ?? ""}`).join("");
}
