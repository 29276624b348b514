import { kinds } from "@cloudwright/contract/kinds";
import { parseSync, Visitor, type Expression, type Node } from "oxc-parser";

/** Maximum number of comparisons with kind names in generic code. */
export const mostKindComparisons = 25;

/** A place where code treats an entity kind differently because of its name. */
export interface KindComparison {
  readonly line: number;
  readonly text: string;
}

const kindNames: ReadonlySet<string> = new Set(kinds.map(({ kind }) => kind));

const equalities = new Set(["===", "!==", "==", "!="]);
const lookups = new Set(["includes", "indexOf", "has", "get"]);

/**
 * Lists every comparison with a kind name: equality, switch cases, `includes`, `indexOf`, `has`, `get`, lookups by key, and sets of names.
 */
export function listKindComparisons(file: string, source: string): KindComparison[] {
  const found: KindComparison[] = [];
  const add = ({ start, end }: Node): void => {
    const text = source.slice(start, end).replaceAll(/\s+/g, " ");
    found.push({ line: source.slice(0, start).split("\n").length, text: text.length > 90 ? `${text.slice(0, 87)}...` : text });
  };
  new Visitor({
    BinaryExpression(node) {
      if (equalities.has(node.operator) && (isKind(node.left) || isKind(node.right))) add(node);
    },
    SwitchCase(node) {
      if (node.test !== null && isKind(node.test)) add(node.test);
    },
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.computed || !lookups.has(callee.property.name)) return;
      if (node.arguments.some(isKind) || isKindList(callee.object)) add(node);
    },
    NewExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "Set" && node.arguments.some(isKindList)) add(node);
    },
    MemberExpression(node) {
      if (node.computed && isKind(node.property)) add(node);
    },
  }).visit(parseSync(file, source).program);
  return found;
}

function isKind(node: Node): boolean {
  const inner = unwrap(node);
  return inner.type === "Literal" && typeof inner.value === "string" && kindNames.has(inner.value);
}

function isKindList(node: Node): boolean {
  const inner = unwrap(node);
  return inner.type === "ArrayExpression" && inner.elements.some((element) => element !== null && isKind(element));
}

/** Strips `as const`, `satisfies` and parentheses. */
function unwrap(node: Node): Node {
  const wrappers = ["TSAsExpression", "TSSatisfiesExpression", "ParenthesizedExpression", "TSNonNullExpression"];
  return wrappers.includes(node.type) ? unwrap((node as { expression: Expression }).expression) : node;
}
