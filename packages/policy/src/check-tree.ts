import { isCelError, run, type parse } from "@bufbuild/cel";
import { hasFunction, loopFunction } from "./environment.ts";
import { policyLimits } from "./limits.ts";

type Tree = ReturnType<typeof parse>["expr"];

/** Thrown for an invalid expression. Records the offending node and the reason. */
export class UnusableError extends Error {
  readonly id: bigint;

  constructor(tree: Tree, message: string) {
    super(message);
    this.id = tree.id;
  }
}

interface Place {
  readonly names: ReadonlySet<string>;
  readonly depth: number;
  readonly loops: number;
}

// Type names that CEL predefines.
const typeNames = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];
const operators = /^(?:[-!]?_.*|@.*)$/;

/**
 * Throws if an expression is too large or uses an unknown name. Also wraps the list of each comprehension, so that its elements count
 * toward the step limit.
 */
export function checkTree(tree: Tree, names: ReadonlySet<string>): void {
  let nodes = 0;
  visit(tree, { names: new Set([...names, ...typeNames]), depth: 0, loops: 0 });

  function visit(node: Tree | undefined, place: Place): void {
    if (node === undefined) return;
    nodes += 1;
    if (nodes > policyLimits.expressionNodes)
      throw new UnusableError(node, `the expression has more than ${policyLimits.expressionNodes} nodes`);
    if (place.depth > policyLimits.expressionDepth)
      throw new UnusableError(node, `the expression is nested more than ${policyLimits.expressionDepth} levels deep`);
    const inside = { ...place, depth: place.depth + 1 };
    const { exprKind } = node;
    switch (exprKind.case) {
      case "constExpr":
        return;
      case "identExpr":
        if (!place.names.has(exprKind.value.name)) throw new UnusableError(node, `unknown name "${exprKind.value.name}"`);
        return;
      case "selectExpr":
        return visit(exprKind.value.operand, inside);
      case "listExpr":
        for (const element of exprKind.value.elements) visit(element, inside);
        return;
      case "structExpr":
        if (exprKind.value.messageName !== "")
          throw new UnusableError(node, `unknown message type "${exprKind.value.messageName}"`);
        for (const { keyKind, value } of exprKind.value.entries) {
          if (keyKind.case === "mapKey") visit(keyKind.value, inside);
          visit(value, inside);
        }
        return;
      case "callExpr": {
        const { function: name, target, args } = exprKind.value;
        checkCall(node, name, target, args);
        visit(target, inside);
        for (const arg of args) visit(arg, inside);
        return;
      }
      case "comprehensionExpr": {
        const fold = exprKind.value;
        if (place.loops >= policyLimits.loopDepth)
          throw new UnusableError(node, `loops are nested more than ${policyLimits.loopDepth} levels deep`);
        visit(fold.iterRange, inside);
        visit(fold.accuInit, inside);
        const body = {
          names: new Set([...place.names, fold.iterVar, fold.accuVar]),
          depth: inside.depth,
          loops: place.loops + 1,
        };
        for (const part of [fold.loopCondition, fold.loopStep, fold.result]) visit(part, body);
        if (fold.iterRange !== undefined) fold.iterRange = payingLoop(fold.iterRange);
        return;
      }
      default:
        throw new UnusableError(node, "the expression contains an unsupported construct");
    }
  }
}

function checkCall(node: Tree, name: string, target: Tree | undefined, args: readonly Tree[]): void {
  if (operators.test(name)) return;
  if (!hasFunction(name, target !== undefined, args.length)) {
    const what = target === undefined ? "function" : "method";
    throw new UnusableError(node, `there is no ${what} ${name} with ${args.length} arguments`);
  }
  if (name === "matches") checkPattern(node, args.at(-1));
}

// Only literal patterns are allowed, because the rule's author can test them. A pattern taken from the subject could be crafted to be
// expensive.
function checkPattern(node: Tree, pattern: Tree | undefined): void {
  const constant = pattern?.exprKind.case === "constExpr" ? pattern.exprKind.value.constantKind : undefined;
  if (constant?.case !== "stringValue") throw new UnusableError(node, "the pattern of matches() must be a string literal");
  if (constant.value.length > policyLimits.patternChars) {
    throw new UnusableError(node, `the pattern of matches() has more than ${policyLimits.patternChars} characters`);
  }
  const tried = run("''.matches(pattern)", { pattern: constant.value });
  if (isCelError(tried)) throw new UnusableError(node, tried.message);
}

function payingLoop(range: Tree): Tree {
  const value = { $typeName: "cel.expr.Expr.Call" as const, function: loopFunction, args: [range] };
  return { $typeName: "cel.expr.Expr", id: range.id, exprKind: { case: "callExpr", value } };
}
